"""Give every submitted cell the nbgrader metadata that it was released with, and a locked one its text."""

from nbformat import from_dict, v4
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.released import released_cells, released_id, released_kernelspec

ALTERS_EXECUTION = {"skip-execution", "raises-exception"}


class RestoreMetadata(NbGraderPreprocessor):
    """Put back the released metadata, whatever schema version or edit a submission came with."""

    def preprocess(self, nb, resources):
        """Restore the metadata of the cells that were released; cells of the learner's own get none."""
        released = released_cells(resources)
        nb.cells = [self._restored(cell, released.get(released_id(cell))) for cell in nb.cells]
        return nb, resources

    def _restored(self, cell, released):
        if released is None:
            cell.metadata.pop("nbgrader", None)
            return cell
        if cell.cell_type != released.cell_type:
            self.log.warning(
                "Cell %s was turned into %s; it is %s", released.grade_id, cell.cell_type, released.cell_type
            )
            make = v4.new_code_cell if released.cell_type == "code" else v4.new_markdown_cell
            cell = make(source=cell.source, metadata=cell.metadata, id=cell.id)
        cell.metadata.nbgrader = from_dict(released.metadata())
        return cell


class RunEveryCell(NbGraderPreprocessor):
    """Remove the tags that keep a cell from being run, or its error from counting."""

    def preprocess_cell(self, cell, resources, cell_index):
        """Keep the other tags."""
        tags = cell.metadata.get("tags", [])
        if ALTERS_EXECUTION.intersection(tags):
            self.log.warning("Cell %s came with the tags %s", cell_index, tags)
            cell.metadata.tags = [tag for tag in tags if tag not in ALTERS_EXECUTION]
        return cell, resources


class RestoreLocked(NbGraderPreprocessor):
    """Put back what no learner should change: the text of the locked cells, and which kernel runs the notebook.

    nbgrader's `OverwriteCells` and `OverwriteKernelspec` do the same, with a question to the gradebook for each cell;
    what they do to metadata, `RestoreMetadata` has done.
    """

    def preprocess(self, nb, resources):
        """Overwrite what differs from the release."""
        released = released_cells(resources)
        for cell in nb.cells:
            known = released.get(released_id(cell))
            if known is not None and known.locked and cell.source != known.source:
                self.log.warning("The text of the locked cell %s was changed; put back", known.grade_id)
                cell.source = known.source
        kernelspec = released_kernelspec(resources)
        if kernelspec:
            nb.metadata.kernelspec = from_dict(kernelspec)
        return nb, resources
