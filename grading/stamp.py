"""Note in a graded notebook which file it was graded from, so that a run that was interrupted can go on."""

import hashlib
from pathlib import Path

from nbformat import from_dict
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from grading.links import LINKED, links_in
from grading.renamed import GRADED_AS, file_behind

RECORD_KEY = "grading"  # in the graded notebook's metadata: what runs and reports of the instructor's are made from
SUBMITTED_KEY = "submitted"


class StampSubmission(NbGraderPreprocessor):
    """Start the record of the graded notebook with a digest of the file that was handed in."""

    submitted_directory = Unicode("submitted", help="where the submissions are").tag(config=True)
    release_directory = Unicode("notebooks", help="where the released notebooks are").tag(config=True)

    def preprocess(self, nb, resources):
        """Replace whatever record the submission came with."""
        names = resources["nbgrader"]
        folder = Path(self.submitted_directory, names["student"], names["assignment"])
        flags = [LINKED.format(name=link) for link in links_in(folder)]
        path = folder / f"{names['notebook']}.ipynb"
        behind = file_behind(path, self.release_directory)
        flags += [GRADED_AS.format(original=behind.name, name=path.name)] if behind != path else []
        nb.metadata[RECORD_KEY] = from_dict({SUBMITTED_KEY: digest_of(behind), "flags": flags})
        return nb, resources


def digest_of(path):
    """Return a name for a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
