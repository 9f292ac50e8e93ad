"""Make a class of submissions of one section, each named by what is wrong with it; `make_class` lists them all."""

import ast
import builtins
import copy
import inspect
import json
import re
import textwrap
from dataclasses import dataclass, field
from types import FunctionType, ModuleType

import nbformat
from nbformat import from_dict, v4

from helpers.checks import exercises
from helpers.checks.checking import GRADING_ROUNDS
from helpers.checks.collect import collect
from helpers.checks.exercise import draw_cases
from helpers.checks.judge import judge

SEED = 20261129
CHECK_CALL = re.compile(r"^check\(\"(?P<exercise_id>[\w.]+)\", (?P<function>\w+)\)", re.MULTILINE)
SLIP_SETS = 3

ENDLESS = "while True:\n    pass"
ENDLESS_AND_DEAF = (
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
)
EXIT = "import os\nos._exit(1)"


@dataclass(frozen=True)
class Question:
    """An exercise of the lesson: which cell is answered, which cell tests it, and what it is worth."""

    exercise_id: str
    function: str
    answer_id: str
    test_id: str
    points: float


@dataclass(frozen=True)
class Section:
    """The released notebook, and the instructor's with the answers."""

    release: nbformat.NotebookNode
    solution: nbformat.NotebookNode

    @property
    def questions(self):
        """The exercises of the lesson, in its order."""
        questions, answer_id = [], None
        for cell in self.release.cells:
            grading = cell.metadata.get("nbgrader", {})
            call = CHECK_CALL.search(cell.source) if grading.get("grade") else None
            if call:
                test = (grading["grade_id"], float(grading["points"]))
                questions.append(Question(*call.group("exercise_id", "function"), answer_id, *test))
            elif grading.get("solution"):
                answer_id = grading["grade_id"]
        return questions

    @property
    def written_ids(self):
        """The `grade_id` of every written answer."""
        return [
            cell.metadata.nbgrader.grade_id
            for cell in self.release.cells
            if cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("grade")
        ]

    @property
    def full_marks(self):
        """The points of every exercise, by its id."""
        return {question.exercise_id: question.points for question in self.questions}


@dataclass(frozen=True)
class Submission:
    """What one learner hands in, and what it deserves.

    `text` is the file's content, `None` where no notebook was handed in. `points` are the points of each exercise by
    its id. `must_say` are sentences that the feedback has to contain. `other_files` lie beside the notebook.
    """

    text: str | None
    points: dict
    file_name: str | None = None
    must_say: tuple[str, ...] = ()
    other_files: dict = field(default_factory=dict)


def read_section(release, solution):
    """Read a section from its two notebooks."""
    return Section(nbformat.read(release, as_version=4), nbformat.read(solution, as_version=4))


def make_class(section):
    """Return the submissions by student; names that start with `slow` take the cell's whole time limit."""
    perfect, short = answered(section), exercises_only(section)
    full, none = section.full_marks, dict.fromkeys(section.full_marks, 0.0)
    makers = (
        deleted_cells,
        duplicated_cells,
        syntax_error,
        dead_kernel,
        slow_endless_loops,
        tags_that_skip_the_tests,
        other_schema_version,
        no_metadata_at_all,
        own_function_called_check,
        leaks_the_cases,
        brings_its_own_helpers,
    )
    return {
        "perfect": Submission(dumps(perfect), full),
        "untouched": Submission(dumps(section.release), none, must_say=("还没有作答", "没有作答。")),
        "saved_by_colab": Submission(dumps(saved_by_colab(short)), full),
        "renamed": Submission(dumps(short), full, file_name="“{name}”的副本 (1).ipynb"),
        "not_json": Submission(dumps(perfect)[:-200], none, must_say=("这份文件读不出来",)),
        "missing_notebook": Submission(None, none, other_files={"notes.txt": "?"}),
        **{f"slips_{number}": slips(section, number) for number in range(SLIP_SETS)},
        **{make.__name__: make(section, copy.deepcopy(short)) for make in makers},
    }


def answered(section):
    """Return the released notebook with every answer filled in from the instructor's."""
    nb = copy.deepcopy(section.release)
    answers = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source for cell in section.solution.cells}
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = answers[cell.metadata.nbgrader.grade_id]
    return nb


def exercises_only(section):
    """Return a right answer to every exercise, none of which calls another, and no demonstration (that saves time)."""
    nb = answered(section)
    for question in section.questions:
        style = exercises()[question.exercise_id].styles[0]
        set_source(nb, question.answer_id, standalone_source(style, question.function))
    return without_demonstrations(nb)


def without_demonstrations(nb):
    """Return the notebook with no code but the released cells that a test needs."""
    nb.cells = [cell for cell in nb.cells if cell.cell_type != "code" or released_id(cell) or "import " in cell.source]
    return nb


def slips(section, number):
    """Return one slip in every exercise; another number makes other slips."""
    nb, points, names = exercises_only(section), {}, []
    for question in section.questions:
        exercise = exercises()[question.exercise_id]
        slip = exercise.slips[number * (len(exercise.slips) - 1) // (SLIP_SETS - 1)]
        set_source(nb, question.answer_id, standalone_source(slip.code, question.function))
        points[question.exercise_id] = points_of(exercise, slip.code)
        names.append(slip.name)
    return Submission(dumps(nb), points, must_say=tuple(names))


def points_of(exercise, function):
    """Return the points of a function on the grading cases, without any notebook."""
    cases = draw_cases(exercise, SEED, GRADING_ROUNDS)
    return float(judge(exercise, cases, collect(exercise, function, cases)).points)


def saved_by_colab(nb):
    """Return the notebook as Colab saves it: format 4.0, no cell ids, metadata of its own."""
    nb = copy.deepcopy(nb)
    nb.nbformat_minor = 0
    nb.metadata = from_dict({"colab": {"provenance": []}, "kernelspec": nb.metadata.kernelspec})
    for cell in nb.cells:
        cell.metadata.id = cell.pop("id")
        if cell.cell_type == "code":
            cell.metadata.outputId = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
            cell.metadata.colab = {"base_uri": "https://localhost:8080/"}
    return nb


def deleted_cells(section, nb):
    """Lack a test, a test together with the answer that comes next, and the set-up cell."""
    first, second, *_ = section.questions
    locked = [cell for cell in nb.cells if is_locked_code(cell) and released_id(cell) != first.test_id]
    remove(nb, first.test_id, second.answer_id, released_id(locked[0]))
    return Submission(dumps(nb), section.full_marks | {second.exercise_id: 0.0}, must_say=("批改时补回",))


def duplicated_cells(section, nb):
    """Hold answer and test twice, the stub below the answer, and a locked cell with an id that is there twice."""
    first, second, *_ = section.questions
    stub = cell_of(section.release, first.answer_id)
    for cell in (stub, cell_of(nb, first.test_id)):
        nb.cells.insert(position(nb, first.test_id) + 1, copy.deepcopy(cell))
    draft = copy.deepcopy(cell_of(nb, second.answer_id))
    draft.source = f"def {second.function}(*args):\n    return None"
    nb.cells.insert(position(nb, second.answer_id), draft)
    nb.cells.insert(0, copy.deepcopy(next(cell for cell in nb.cells if is_locked_code(cell))))
    return Submission(dumps(nb), section.full_marks)


def syntax_error(section, nb):
    """Lack a colon in one answer."""
    question = section.questions[0]
    set_source(nb, question.answer_id, f"def {question.function}(x)\n    return x")
    points = section.full_marks | {question.exercise_id: 0.0}
    return Submission(dumps(nb), points, must_say=("SyntaxError", "要评判的函数没有定义"))


def dead_kernel(section, nb):
    """End the kernel's process, once in a function and once outside any."""
    first, second, *_ = section.questions
    set_source(nb, first.answer_id, function_source(first.function, EXIT))
    set_source(nb, second.answer_id, EXIT)
    points = section.full_marks | {first.exercise_id: 0.0, second.exercise_id: 0.0}
    return Submission(dumps(nb), points, must_say=("让 Python 进程终止了",))


def slow_endless_loops(section, nb):
    """Never end: outside a function, there deaf to interrupts, in a function, and there deaf to every exception."""
    broken = dict(zip(section.questions, (ENDLESS, ENDLESS_AND_DEAF, ENDLESS, ENDLESS_AND_DEAF), strict=False))
    for number, (question, body) in enumerate(broken.items()):
        source = body if number < 2 else function_source(question.function, body)
        set_source(nb, question.answer_id, source)
    points = section.full_marks | {question.exercise_id: 0.0 for question in broken}
    return Submission(dumps(nb), points, must_say=("秒还没有运行完", "超时"))


def tags_that_skip_the_tests(section, nb):
    """Answer nothing, and have no test run."""
    nb = without_demonstrations(copy.deepcopy(section.release))
    for question in section.questions:
        cell_of(nb, question.test_id).metadata.tags = ["skip-execution", "raises-exception"]
    return Submission(dumps(nb), dict.fromkeys(section.full_marks, 0.0))


def other_schema_version(section, nb):
    """Carry metadata of an old, of a new and of no version of nbgrader."""
    versions = (1, 99, None)
    for number, cell in enumerate(cell for cell in nb.cells if "nbgrader" in cell.metadata):
        cell.metadata.nbgrader.schema_version = versions[number % 3]
    nb.cells[0].metadata.nbgrader = "?"
    return Submission(dumps(nb), section.full_marks)


def no_metadata_at_all(section, nb):
    """Come from an editor that keeps sources alone."""
    for cell in nb.cells:
        cell.metadata = from_dict({})
    return Submission(dumps(nb), section.full_marks, file_name="homework.ipynb")


def own_function_called_check(section, nb):
    """Hide `check` behind a function of the learner's own, from the last exercise on."""
    question = section.questions[-1]
    cell_of(nb, question.answer_id).source += "\n\n\ndef check(*args):\n    print(args)"
    return Submission(dumps(nb), section.full_marks)


def leaks_the_cases(section, nb):
    """Keep the cases, print them, raise with them, and show them in a cell below, as an output and as an error."""
    first, second, *_ = section.questions
    keep = "seen.append(args)\nprint(args)\nwarnings.warn(str(args))\nsys.stderr.write(repr(args))"
    prefix = "import sys, warnings\nseen = []\n"
    set_source(nb, first.answer_id, prefix + function_source(first.function, f"{keep}\nraise ValueError(args)"))
    set_source(nb, second.answer_id, function_source(second.function, f"{keep}\nreturn args[0]"))
    show = "from IPython.display import HTML, display\ndisplay(HTML('<script>alert(1)</script>' + repr(seen)))\nseen"
    nb.cells += [v4.new_code_cell(show), v4.new_code_cell("raise ValueError(str(seen))")]
    nb.cells.append(v4.new_markdown_cell("<script>alert(1)</script><img src=x onerror='alert(2)'>"))
    points = section.full_marks | {first.exercise_id: 0.0, second.exercise_id: 0.0}
    return Submission(dumps(nb), points)


def brings_its_own_helpers(section, nb):
    """Come with files that are called like the modules that the notebook imports."""
    broken = "raise ImportError"
    return Submission(dumps(nb), section.full_marks, other_files={"helpers/__init__.py": broken, "numpy.py": broken})


def standalone_source(function, name):
    """Return the source of a function under another name, with the functions and imports that it needs."""
    sources, pending, done = [], [(function, name)], set()
    while pending:
        function, name = pending.pop()
        done.add(function)
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        sources.append(_renamed(tree, function.__name__, name))
        for used in sorted(names & function.__globals__.keys() - vars(builtins).keys()):
            value = function.__globals__[used]
            if isinstance(value, ModuleType):
                sources.append(f"import {value.__name__} as {used}")
            elif isinstance(value, FunctionType) and value not in done:
                pending.append((value, used))
    return "\n\n\n".join(dict.fromkeys(reversed(sources)))


def _renamed(tree, old, new):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == old:
            node.name = new
        elif isinstance(node, ast.Name) and node.id == old:
            node.id = new
    return ast.unparse(tree)


def function_source(name, body):
    """Return a function of any arguments with this body."""
    return f"def {name}(*args, **kwargs):\n{textwrap.indent(body, '    ')}"


def dumps(nb):
    """Return the notebook as a file's text, sound or not."""
    return json.dumps(nb, ensure_ascii=False, indent=1)


def released_id(cell):
    """Return a cell's `grade_id`, None if it has none."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_locked_code(cell):
    """Say whether a cell is code that a learner should not change."""
    return cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("locked", False)


def position(nb, grade_id):
    """Return the index of the released cell."""
    return next(index for index, cell in enumerate(nb.cells) if released_id(cell) == grade_id)


def cell_of(nb, grade_id):
    """Return the released cell."""
    return nb.cells[position(nb, grade_id)]


def set_source(nb, grade_id, source):
    """Replace the text of a released cell."""
    cell_of(nb, grade_id).source = source


def remove(nb, *grade_ids):
    """Delete released cells."""
    nb.cells = [cell for cell in nb.cells if released_id(cell) not in grade_ids]
