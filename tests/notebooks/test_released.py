"""What stands in the built notebooks, and what must not."""

import ast
import re

import pytest

from helpers.checks import exercises
from tests.notebooks.reading import read, releases, solution_regions, solutions_and_releases, texts
from tools.build.deep_links import HEADING, LINK, PATHS
from tools.build.section import ROOT, START, Section, page_of, sections

LARGEST = 1_500_000  # bytes
LONGEST_CELL = 25  # lines
MARKERS = ("BEGIN SOLUTION", "BEGIN HIDDEN", "BEGIN MARK SCHEME", "END SOLUTION", "END MARK SCHEME")
UNWANTED_WORDS = ("显然", "简单地", "众所周知", "变压器")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|tmp|Users|usr|opt|var)/|[A-Z]:\\\\")
ADDRESS_IN_MEMORY = re.compile(r"\bat 0x[0-9a-f]{6,}")
CHECK_CALL = re.compile(r"^check\(\"([\w.]+)\", (\w+)\)$")

built = pytest.mark.parametrize("path", solutions_and_releases(), ids=str)
released = pytest.mark.parametrize("path", releases(), ids=str)
section = pytest.mark.parametrize("section", [Section(name) for name in sections()], ids=sections())


def graded(notebook, cell_type):
    return [
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == cell_type
    ]


def test_nothing_but_notebooks_is_released():
    assert {path.suffix for path in (ROOT / "notebooks").rglob("*") if path.is_file()} <= {".ipynb"}


@released
def test_no_marker_of_a_solution_reaches_the_learner(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert [marker for marker in MARKERS if marker in text] == []


@section
def test_no_line_of_a_solution_or_mark_scheme_reaches_the_learner(section):
    """A line that stands outside every solution too, in a demonstration, is public anyway."""
    solution = read(section.solution)
    regions = solution_regions(solution)
    assert regions, "the lesson asks for nothing"
    public = "\n".join(cell.source for cell in solution.cells)
    for region in regions:
        public = public.replace(region, "")
    secret = {line.strip() for region in regions for line in region.splitlines() if len(line.strip()) >= 10}
    secret = {line for line in secret if line not in public and not any(marker in line for marker in MARKERS)}
    assert secret
    shown = "\n".join(texts(read(section.release)))
    assert [line for line in secret if line in shown] == []


@built
def test_a_notebook_is_small_enough_to_open(path):
    assert (ROOT / path).stat().st_size < LARGEST


@built
def test_a_notebook_names_no_path_of_a_machine(path):
    found = [text for text in texts(read(path)) if MACHINE_PATH.search(text)]
    assert found == []


@built
def test_an_output_shows_nothing_that_changes_from_run_to_run(path):
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    assert [text for text in texts(outputs) if ADDRESS_IN_MEMORY.search(text)] == []
    assert "application/vnd.jupyter.widget-view+json" not in str(outputs)


@built
def test_an_output_is_no_exception_no_warning_and_no_missing_glyph(path):
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"] == []
    assert "missing from" not in str(outputs)


@built
def test_a_picture_says_in_words_what_it_shows(path):
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    drawn = [output for output in outputs if "image/png" in output.get("data", {})]
    assert [output for output in drawn if not output.data.get("text/plain", "").strip()] == []


@built
def test_a_code_cell_fits_on_a_screen(path):
    cells = [cell.source for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell for cell in cells if len(cell.splitlines()) > LONGEST_CELL] == []


@built
def test_the_prose_uses_no_unwanted_word(path):
    found = [(word, text) for text in texts(read(path)) for word in UNWANTED_WORDS if word in text]
    assert found == []


@section
def test_the_launch_links_and_the_set_up_stand_at_the_head(section):
    tags = [tag for cell in read(section.release).cells[:4] for tag in cell.metadata.get("tags", [])]
    assert tags == ["launch-links", "set-up"]


def test_the_start_page_begins_with_launch_links_the_table_of_sections_and_the_set_up():
    tags = [tag for cell in read(page_of(START).release).cells[:6] for tag in cell.metadata.get("tags", [])]
    assert tags == ["launch-links", "launch-table", "set-up"]


def test_the_start_page_asks_nothing_and_its_experiments_are_short():
    cells = read(page_of(START).release).cells
    assert [cell for cell in cells if "nbgrader" in cell.metadata] == []
    experiments = [cell.source for cell in cells if cell.cell_type == "code" and "rng(" in cell.source]
    assert len(experiments) == 5
    assert max(len(source.splitlines()) for source in experiments) <= 13


def test_the_three_paths_list_every_part_of_the_four_sections_once_where_its_heading_puts_it():
    text = (ROOT / page_of(START).lesson).read_text(encoding="utf-8")
    (rows,) = re.findall(r"^## 2 三条路径\n(.*?)^\+\+\+", text, re.MULTILINE | re.DOTALL)
    for name in sections():
        release = Section(name).release.relative_to("notebooks").as_posix()
        columns = next((row.split(" | ") for row in rows.splitlines() if release in row), None)
        if name.startswith("ext_"):
            continue
        listed = {heading: column for column, cell in enumerate(columns[1:]) for _, _, heading in LINK.findall(cell)}
        assert listed == first_path_of_each_part(read(Section(name).release)), name


def first_path_of_each_part(notebook):
    """Return by heading of the second rank which of the paths 〔快速 · 标准 · 深度〕 it belongs to first."""
    parts = [heading for cell in notebook.cells if cell.cell_type == "markdown" for heading in second_rank(cell.source)]
    return {
        PATHS.sub("", part).strip(): next(place for place, path in enumerate(("快速", "标准", "深度")) if path in label)
        for part in parts
        for label in [PATHS.search(part).group().split("；")[0]]
    }


def second_rank(source):
    return [line.removeprefix("## ") for line in source.splitlines() if line.startswith("## ") and HEADING.match(line)]


@section
def test_every_point_that_a_check_gives_is_a_point_in_the_gradebook(section):
    for cell in graded(read(section.release), "code"):
        call = CHECK_CALL.match(cell.source.splitlines()[-1])
        assert call, f"the last line must be check(...):\n{cell.source}"
        exercise, function = call.groups()
        assert cell.metadata.nbgrader.points == exercises()[exercise].points, exercise
        assert cell.metadata.nbgrader.grade_id == f"{re.sub('[._]', '-', exercise)}-check"
        assert function == exercises()[exercise].reference.__name__


@section
def test_a_section_asks_each_of_its_exercises_once(section):
    """The others of its family, as attention.softmax and attention.reach, are asked for by no other lesson."""
    calls = [CHECK_CALL.match(cell.source.splitlines()[-1]) for cell in graded(read(section.release), "code")]
    asked = [call.group(1) for call in calls]
    (family,) = {exercise.split(".")[0] for exercise in asked}
    assert sorted(asked) == sorted(exercise for exercise in exercises() if exercise.split(".")[0] == family)


@section
@pytest.mark.parametrize("which", ["solution", "release"])
def test_the_instructors_answers_get_every_point_and_an_untouched_notebook_none(section, which):
    for cell in graded(read(getattr(section, which)), "code"):
        points = float(cell.outputs[-1].data["text/plain"])
        assert points == (cell.metadata.nbgrader.points if which == "solution" else 0), cell.source


@released
def test_an_exercise_is_a_function_to_complete(path):
    cells = [cell for cell in read(path).cells if cell.metadata.get("nbgrader", {}).get("solution")]
    for cell in cells:
        if cell.cell_type == "code":
            (function,) = ast.parse(cell.source).body
            assert isinstance(function, ast.FunctionDef), cell.source
            assert ast.get_docstring(function), cell.source
            assert ast.unparse(function.body[-1]) == "raise NotImplementedError", cell.source
