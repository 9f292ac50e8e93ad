"""Undo what an editor's “split cell” and “merge cells” did to released cells."""

from nbformat import v4

from grading.cell_text import defined_functions, find_block, lines_of, normalised, parses, similarity
from grading.released import released_id

ANOTHER_TEXT = 0.5  # less alike than this, a text is not an edited or later version of the other
MAKE_CELL = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}


def rejoin_halves(matching):
    """Join an answer that was cut in two: neither half is an answer by itself."""
    cells, index = matching.nb.cells, 0
    while index + 1 < len(cells):
        first, second = cells[index : index + 2]
        if _are_halves(matching, first, second):
            first.source = _joined(first, second)
            grade_id = matching.id_of(first) or matching.id_of(second)
            del cells[index + 1]
            if grade_id:
                matching.label(first, grade_id, "was cut in two; joined")
        else:
            index += 1


def _joined(first, second):
    between = "\n" if first.cell_type == "code" else "\n\n"
    return f"{first.source.rstrip()}{between}{second.source}"


def _are_halves(matching, first, second):
    ids = {matching.id_of(first), matching.id_of(second)} - {None}
    same_answer = len(ids) <= 1 and not any(matching.released[grade_id].locked for grade_id in ids)
    if not same_answer or first.cell_type != second.cell_type:
        return False
    if first.cell_type == "code":
        return _is_cut_code(matching, first, second)
    return _is_cut_text(matching, first, second)


def _is_cut_code(matching, first, second):
    """Say whether two cells of code are whole only together, and then an answer."""
    asked = {name for grade_id in matching.released for name in matching.functions(grade_id)}
    joined = _joined(first, second)
    if not (second.source.strip() and asked.intersection(defined_functions(joined))):
        return False
    return not (parses(first.source) and parses(second.source)) and parses(joined)


def _is_cut_text(matching, first, second):
    """Say whether two texts carry the same id, and neither is the released one or a draft of the other."""
    ids = {matching.id_of(first), matching.id_of(second)}
    if len(ids) > 1 or ids == {None} or matching.is_untouched(first) or matching.is_untouched(second):
        return False
    return similarity(normalised(first.source), normalised(second.source)) < ANOTHER_TEXT


def split_merged(matching):
    """Take a locked cell out of the cell with which it was merged, so that the learner's part is not overwritten."""
    index = 0
    while index < len(matching.nb.cells):
        cell = matching.nb.cells[index]
        parts = _parts(matching, cell)
        if len(parts) > 1:
            matching.nb.cells[index : index + 1] = parts
        else:
            index += 1


def _parts(matching, cell):
    """Return the cells of which this one was made; itself if it was not."""
    own, lines = matching.id_of(cell), lines_of(cell.source)
    candidates = [each for each in [own, *matching.absent()] if each and matching.released[each].locked]
    blocks = {grade_id: lines_of(matching.released[grade_id].source) for grade_id in candidates}
    if lines in blocks.values() or not (own or matching.is_learners_own(cell)):
        return [cell]  # whole, even where one released cell quotes another
    for grade_id, block in blocks.items():
        locked = matching.released[grade_id]
        place = find_block(lines, block)
        if place is not None:
            before, after = lines[:place], lines[place + len(block) :]
            if grade_id != own or _holds_an_answer(matching, grade_id, before + after):
                return _taken_apart(matching, cell, grade_id, before, after)
        elif grade_id == own and _is_written_over(matching, cell, locked):
            return _taken_apart(matching, cell, grade_id, *((lines, []) if locked.is_test else ([], lines)))
    return [cell]


def _holds_an_answer(matching, grade_id, lines):
    """Say whether the rest of a locked cell defines a wanted function, or stands beside a wanted text."""
    wanted, text = matching.wanted(), "\n".join(lines)
    asked = {name for each in wanted for name in matching.functions(each)}
    if asked.intersection(defined_functions(text)):
        return True
    order = list(matching.released)
    rank = order.index(grade_id)
    neighbours = {*order[max(rank - 1, 0) : rank], *order[rank + 1 : rank + 2]}
    texts = {each for each in wanted if matching.released[each].cell_type == "markdown"}
    return bool(text.strip()) and matching.released[grade_id].cell_type == "markdown" and bool(neighbours & texts)


def _is_written_over(matching, cell, locked):
    lines = lines_of(cell.source)
    alike = similarity(normalised(cell.source), normalised(locked.source))
    return alike < ANOTHER_TEXT and _holds_an_answer(matching, locked.grade_id, lines)


def _taken_apart(matching, cell, grade_id, before, after):
    """Return the learner's lines and the locked cell between them; the first of the learner's keeps the cell's id."""
    locked = matching.released[grade_id]
    middle = MAKE_CELL[locked.cell_type](locked.source)
    matching.label(middle, grade_id, "was merged with another, or written over; taken apart")
    parts = [middle]
    for lines in (before, after):
        text = "\n".join(lines).strip("\n")
        if text.strip():
            own = MAKE_CELL[cell.cell_type](text)
            if released_id(cell) != grade_id and "nbgrader" in cell.metadata:
                own.metadata.nbgrader = cell.metadata.pop("nbgrader")
            parts.insert(0 if lines is before else len(parts), own)
    return parts
