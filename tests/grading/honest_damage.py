"""Damage a perfect notebook as editors, converters and learners do, without taking anything of the answers away."""

import copy

from nbformat import from_dict, v4

from tests.grading.synthetic_class import cell_of, position, released_id, saved_by_colab


def metadata_stripped(section, nb):
    """Lose all metadata and all cell ids, as through a converter."""
    nb.nbformat_minor = 0
    nb.metadata = from_dict({})
    for cell in nb.cells:
        cell.metadata = from_dict({})
        cell.pop("id", None)


def metadata_stripped_on_windows(section, nb):
    """Lose all metadata; lines end as on Windows, and with spaces."""
    metadata_stripped(section, nb)
    for cell in nb.cells:
        cell.source = cell.source.replace("\n", "  \r\n") + "\r\n"


def only_code_and_written_answers_kept(section, nb):
    """Lose all metadata, all questions and all prose."""
    written = set(section.written_ids)
    nb.cells = [cell for cell in nb.cells if cell.cell_type == "code" or released_id(cell) in written]
    metadata_stripped(section, nb)


def tests_deleted_and_metadata_stripped(section, nb):
    """Lose all metadata and all tests."""
    tests = {question.test_id for question in section.questions}
    nb.cells = [cell for cell in nb.cells if released_id(cell) not in tests]
    metadata_stripped(section, nb)


def ids_of_another_course(section, nb):
    """Carry other ids, as after a copy into another assignment."""
    for cell in nb.cells:
        if released_id(cell):
            cell.metadata.nbgrader.grade_id = f"copy-of-{released_id(cell)}"


def answer_cut_in_two(section, nb):
    """Have an answer split inside its function, and a written one; both halves keep the id, as in JupyterLab."""
    question = section.questions[0]
    for grade_id in (question.answer_id, section.written_ids[0]):
        cut(nb, grade_id)


def answer_cut_in_two_and_metadata_stripped(section, nb):
    """Have every answer split, with no ids left."""
    for question in section.questions:
        cut(nb, question.answer_id)
    for grade_id in section.written_ids:
        cut(nb, grade_id)
    metadata_stripped(section, nb)


def answer_merged_into_its_test(section, nb):
    """Have every answer merged with the test below, whose id is kept."""
    for question in section.questions:
        merge(nb, question.answer_id, question.test_id, kept=question.test_id)


def question_merged_with_its_answer(section, nb):
    """Have a written answer merged into the question above, whose id is kept, and one the other way round."""
    first, second, *_ = section.written_ids
    merge(nb, before(section, first), first, kept=before(section, first))
    merge(nb, before(section, second), second, kept=second)


def written_answers_merged(section, nb):
    """Have all written answers and the questions between them in one cell, under the first id."""
    first, *others = section.written_ids
    for grade_id in others:
        merge(nb, first, before(section, grade_id), kept=first)
        merge(nb, first, grade_id, kept=first)


def everything_merged_and_metadata_stripped(section, nb):
    """Have answer and test, question and written answer merged in pairs, with no ids left."""
    for question in section.questions:
        merge(nb, question.answer_id, question.test_id, kept=question.test_id)
    for grade_id in section.written_ids:
        merge(nb, before(section, grade_id), grade_id, kept=grade_id)
    metadata_stripped(section, nb)


def task_and_answer_merged_as_markdown(section, nb):
    """Have an answer merged into its task, which makes it Markdown."""
    question = section.questions[1]
    merge(nb, before(section, question.answer_id), question.answer_id, kept=before(section, question.answer_id))


def answers_written_over_the_tests(section, nb):
    """Hold two answers where their tests were, and the stubs above."""
    for question in section.questions[:2]:
        cell_of(nb, question.test_id).source = cell_of(nb, question.answer_id).source
        cell_of(nb, question.answer_id).source = cell_of(section.release, question.answer_id).source


def written_answer_over_its_question(section, nb):
    """Hold a written answer in place of the question, and the stub below."""
    grade_id = section.written_ids[0]
    cell_of(nb, before(section, grade_id)).source = cell_of(nb, grade_id).source
    cell_of(nb, grade_id).source = cell_of(section.release, grade_id).source


def answers_in_new_cells(section, nb):
    """Leave the stubs as they are, and answer in new cells: above a stub, below the test, below the question."""
    first, second, *_ = section.questions
    for question, offset in ((first, 0), (second, 2)):
        answer_in_new_cell(section, nb, question.answer_id, v4.new_code_cell, offset)
    answer_in_new_cell(section, nb, section.written_ids[0], v4.new_markdown_cell, 1)


def answers_in_new_cells_and_metadata_stripped(section, nb):
    """Keep the stubs, with other line ends, beside the answers in new cells, with no ids left."""
    answers_in_new_cells(section, nb)
    metadata_stripped_on_windows(section, nb)


def all_functions_in_one_cell_at_the_end(section, nb):
    """Hold every function in one new cell at the end, and none of the answers' own cells."""
    answers = [cell_of(nb, question.answer_id) for question in section.questions]
    nb.cells = [cell for cell in nb.cells if not any(cell is answer for answer in answers)]
    nb.cells.append(v4.new_code_cell("\n\n\n".join(answer.source for answer in answers)))


def answers_turned_into_markdown(section, nb):
    """Have an answer made Markdown and a written one made code, with no ids left."""
    for grade_id, make in (
        (section.questions[0].answer_id, v4.new_markdown_cell),
        (section.written_ids[0], v4.new_code_cell),
    ):
        nb.cells[position(nb, grade_id)] = make(cell_of(nb, grade_id).source)


def copied_cell_answers_another_exercise(section, nb):
    """Answer the second exercise in a copy of the first's cell; the second's own cell was deleted."""
    first, second, *_ = section.questions
    cell_of(nb, second.answer_id).metadata = copy.deepcopy(cell_of(nb, first.answer_id).metadata)


DAMAGES = (
    lambda section, nb: None,
    metadata_stripped,
    metadata_stripped_on_windows,
    only_code_and_written_answers_kept,
    tests_deleted_and_metadata_stripped,
    ids_of_another_course,
    answer_cut_in_two,
    answer_cut_in_two_and_metadata_stripped,
    answer_merged_into_its_test,
    question_merged_with_its_answer,
    written_answers_merged,
    everything_merged_and_metadata_stripped,
    task_and_answer_merged_as_markdown,
    answers_written_over_the_tests,
    written_answer_over_its_question,
    answers_in_new_cells,
    answers_in_new_cells_and_metadata_stripped,
    all_functions_in_one_cell_at_the_end,
    answers_turned_into_markdown,
    copied_cell_answers_another_exercise,
)


def damaged(section, perfect, *damages):
    """Return a copy of a perfect notebook with these damages, saved by Colab in the end."""
    nb = copy.deepcopy(perfect)
    for damage in damages:
        damage(section, nb)
    return nb if "id" not in nb.cells[0] else saved_by_colab(nb)


def before(section, grade_id):
    """Return the released id before this one."""
    ids = [released_id(cell) for cell in section.release.cells if released_id(cell)]
    return ids[ids.index(grade_id) - 1]


def cut(nb, grade_id):
    """Split a cell in the middle of its lines; both halves keep the metadata."""
    cell = cell_of(nb, grade_id)
    lines = cell.source.split("\n")
    second = copy.deepcopy(cell)
    middle = max(len(lines) // 2, 1)
    cell.source, second.source = "\n".join(lines[:middle]), "\n".join(lines[middle:])
    nb.cells.insert(position(nb, grade_id) + 1, second)


def merge(nb, upper, lower, kept):
    """Merge two cells into one that keeps the type and metadata of one of them."""
    between = "\n" if cell_of(nb, upper).cell_type == "code" else "\n\n"
    source = f"{cell_of(nb, upper).source}{between}{cell_of(nb, lower).source}"
    gone = {upper, lower} - {kept}
    nb.cells = [cell for cell in nb.cells if released_id(cell) not in gone]
    cell_of(nb, kept).source = source


def answer_in_new_cell(section, nb, grade_id, make, offset):
    """Move an answer into a new cell, `offset` below the stub, which stays."""
    cell = cell_of(nb, grade_id)
    nb.cells.insert(position(nb, grade_id) + offset, make(cell.source))
    cell.source = cell_of(section.release, grade_id).source
