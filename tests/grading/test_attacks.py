"""Every known attack is handed in by one student of a class: none gains a point, costs another one, or goes unseen.

A file of `attacks/` is what its student wrote in the place of softmax; its first line says what the report has to
name. The attacks below it are on the notebook itself.
"""

import copy
import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from nbformat import v4
from nbgrader.api import Gradebook

from tests.grading.real_course import ASSIGNMENT, NOTEBOOK, hand_in, release, run
from tests.grading.synthetic_class import cell_of, dumps, exercises_only, position, set_source

ATTACKS = sorted((Path(__file__).parent / "attacks").glob("*.txt"))
ATTACKED = "attention-softmax"
HONEST = ("a_honest", "m_honest", "zz_honest")
NOTHING = "nothing"
# They break the other exercises of the same notebook too.
HURTS_ITSELF = {"input_transformer", "thread_that_outlives_the_cell", "another_id"}
WRONG = "def softmax(scores):\n    return scores"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def more_points(nb):
    """Promise the answer a hundred points."""
    cell_of(nb, f"{ATTACKED}-check").metadata.nbgrader.points = 100


def another_id(nb):
    """Let the test of another exercise, which is right, count for this one."""
    other = cell_of(nb, "attention-scores-check").metadata.nbgrader
    mine = cell_of(nb, f"{ATTACKED}-check").metadata.nbgrader
    other.grade_id, mine.grade_id = mine.grade_id, other.grade_id


def unlocked_test(nb):
    """Write the test anew."""
    cell = cell_of(nb, f"{ATTACKED}-check")
    cell.source = "2.0"
    cell.metadata.nbgrader.locked = False


def no_longer_graded(nb):
    """Call the test no test."""
    cell_of(nb, f"{ATTACKED}-check").metadata.nbgrader.grade = False


def skipped_test(nb):
    """Have the test skipped."""
    cell_of(nb, f"{ATTACKED}-check").metadata.tags = ["skip-execution"]


def cell_before_the_test(nb):
    """Put another function into the test's place just before it."""
    nb.cells.insert(position(nb, f"{ATTACKED}-check"), v4.new_code_cell("check = lambda *args: 2.0"))


def cell_after_the_test(nb):
    """Show a full score below the test."""
    nb.cells.insert(position(nb, f"{ATTACKED}-check") + 1, v4.new_code_cell("from IPython.display import HTML\n2.0"))


def ready_outputs(nb):
    """Bring the test's outputs along."""
    cell = cell_of(nb, f"{ATTACKED}-check")
    cell.outputs = [v4.new_output("execute_result", data={"text/plain": "2.0"}, execution_count=1)]


def forged_record(nb):
    """Claim to be graded already."""
    nb.metadata.grading = {"submitted": "?", "flags": [], "tests": [{"points": 2}]}


def script_in_prose(nb):
    """Have the instructor's browser run a script."""
    nb.cells.append(v4.new_markdown_cell(SCRIPT))
    nb.cells.append(v4.new_raw_cell(SCRIPT))
    cell_of(nb, "set-up").metadata.trusted = True


def huge_notebook(nb):
    """Weigh twenty megabytes."""
    nb.cells.append(v4.new_markdown_cell("x" * 20_000_000))


def a_thousand_cells(nb):
    """Have many cells."""
    nb.cells += [v4.new_code_cell("pass") for _ in range(1_000)]


NOTEBOOK_ATTACKS = (
    more_points,
    another_id,
    unlocked_test,
    no_longer_graded,
    skipped_test,
    cell_before_the_test,
    cell_after_the_test,
    ready_outputs,
    forged_record,
    script_in_prose,
    huge_notebook,
    a_thousand_cells,
)


@dataclass(frozen=True)
class Attacked:
    """A course folder after grading."""

    course: Path
    printed: str
    section: object

    def points(self, student):
        """Return a student's points by the id of the test cell."""
        with Gradebook(f"sqlite:///{self.course / 'gradebook.db'}") as gradebook:
            grades = gradebook.find_submission_notebook(NOTEBOOK, ASSIGNMENT, student).grades
            return {grade.name: grade.auto_score for grade in grades if grade.name.endswith("-check")}

    def reported(self, student):
        """Return the lines of the report that name a student."""
        return [line for line in self.printed.splitlines() if line.startswith(f"{student} ")]


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    course = tmp_path_factory.mktemp("course")
    section, _ = release(course)
    honest = exercises_only(section)
    for student in HONEST:
        hand_in(course, student, dumps(honest))
    for attack in ATTACKS:
        nb = copy.deepcopy(honest)
        set_source(nb, ATTACKED, attack.read_text(encoding="utf-8"))
        hand_in(course, attack.stem, dumps(nb))
    for attack in NOTEBOOK_ATTACKS:
        nb = copy.deepcopy(honest)
        set_source(nb, ATTACKED, WRONG)
        attack(nb)
        hand_in(course, attack.__name__, dumps(nb))
    hand_in_files(course, honest)
    ran = run(course, "grading", "autograde", ASSIGNMENT, "--jobs=2", "--ExecuteSubmission.timeout=3")
    return Attacked(course, ran.stdout, section)


def hand_in_files(course, honest):
    """Hand in what is no notebook: links to what others own, a folder, and modules named like ours."""
    secret = course / "secret.txt"
    secret.write_text("the instructor's", encoding="utf-8")
    folder = hand_in(course, "link_to_a_secret", dumps(honest))
    (folder / "notes.txt").symlink_to(secret)
    folder = hand_in(course, "link_to_another_s_notebook", dumps(honest))
    (folder / f"{NOTEBOOK}.ipynb").unlink()
    (folder / f"{NOTEBOOK}.ipynb").symlink_to(course / "submitted" / HONEST[0] / ASSIGNMENT / f"{NOTEBOOK}.ipynb")
    folder = hand_in(course, "own_modules", dumps(honest))
    for name in ("numpy.py", "sitecustomize.py", "nbgrader_config.py"):
        (folder / name).write_text("raise SystemExit", encoding="utf-8")


def full_marks(attacked):
    return {question.test_id: question.points for question in attacked.section.questions}


@pytest.mark.parametrize("student", HONEST)
def test_the_rest_of_the_class_is_untouched(attacked, student):
    assert attacked.points(student) == full_marks(attacked)
    assert attacked.reported(student) == []


@pytest.mark.parametrize("student", [path.stem for path in ATTACKS] + [attack.__name__ for attack in NOTEBOOK_ATTACKS])
def test_an_attack_gains_nothing_and_costs_its_own_exercise_alone(attacked, student):
    points, full = attacked.points(student), full_marks(attacked)
    assert points[f"{ATTACKED}-check"] == 0
    assert points.keys() == full.keys()
    if student not in HURTS_ITSELF:
        assert points == full | {f"{ATTACKED}-check": 0}


def test_a_notebook_that_is_a_link_gets_nothing(attacked):
    assert set(attacked.points("link_to_another_s_notebook").values()) == {0}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda path: path.stem)
def test_what_is_worth_a_look_is_in_the_report(attacked, attack):
    first_line = attack.read_text(encoding="utf-8").splitlines()[0]
    expected = first_line.removeprefix("# reported: ")
    lines = "\n".join(attacked.reported(attack.stem))
    assert expected.startswith(NOTHING) or expected in lines


def test_nothing_was_written_outside_and_nothing_is_left_running(attacked):
    assert not (attacked.course / "attack_was_here").exists()
    assert not Path("/tmp/attack_was_here").exists()
    alive = [p for p in Path("/proc").glob("[0-9]*/cmdline") if b"sleep\x001000" in _read_or_empty(p)]
    assert alive == []


def test_a_link_shows_nobody_else_s_file(attacked):
    graded = attacked.course / "autograded"
    assert not any("the instructor's" in _read_or_empty(path).decode() for path in graded.rglob("notes.txt"))
    assert attacked.reported("link_to_a_secret")
    assert attacked.reported("link_to_another_s_notebook")


def test_files_that_are_called_like_modules_are_not_imported(attacked):
    assert attacked.points("own_modules") == full_marks(attacked)


@pytest.fixture(scope="module")
def with_feedback(attacked):
    """Return the course after the instructor has made feedback for two of the class."""
    run(attacked.course, "nbgrader", "generate_feedback", ASSIGNMENT, "--student=[hs]*t*_in_*")
    return attacked.course


@pytest.mark.parametrize("student", ["script_in_prose", "html_in_the_feedback"])
def test_no_script_of_a_submission_reaches_a_browser(with_feedback, student):
    page = (with_feedback / "feedback" / student / ASSIGNMENT / f"{NOTEBOOK}.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    notebook = json.loads((with_feedback / "autograded" / student / ASSIGNMENT / f"{NOTEBOOK}.ipynb").read_text())
    shown = [output.get("data", {}) for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert not any("<script>alert" in str(data.get("text/html", "")) for data in shown)


def _read_or_empty(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""
