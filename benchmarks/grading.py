"""Grade the same class with stock nbgrader, with ours on one job and on all cores: `python -m benchmarks.grading`."""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from grading.sandbox.isolation import strongest
from grading.workers import usable_cores
from helpers.checks import exercises
from helpers.checks.checking import GRADING_ROUNDS, VISIBLE_SEED
from helpers.checks.collect import collect
from helpers.checks.exercise import draw_cases
from tests.grading.synthetic_class import SEED, SLIP_SETS, answered, dumps, read_section, released_id, slips

ROOT = Path(__file__).parents[1]
SECONDS_BETWEEN_LOOKS = 0.2
STOCK_CONFIG = """
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.ExecutePreprocessor.timeout = 60
"""
HEAD = f"{'':16}{'wall s':>9}{'CPU s':>9}{'per minute':>12}{'CPU s each':>12}{'MB a job':>10}"
BAR_ONE_JOB, BAR_ALL_CORES = 5, 10


@dataclass(frozen=True)
class Measured:
    """One run over a class.

    Attributes
    ----------
    students : int
    wall, cpu : float
        Seconds, from the command's start to its end; `cpu` with all that it started.
    memory : int
        Bytes, the most that all its processes had together, what they share counted once.
    scores : dict
        By student, by the graded cell's name.
    """

    students: int
    wall: float
    cpu: float
    memory: int
    scores: dict

    @property
    def per_minute(self):
        """Submissions a minute."""
        return 60 * self.students / self.wall


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grading", description=__doc__)
    parser.add_argument("--students", type=int, default=100, metavar="N", help="at least 4; default: %(default)s")
    parser.add_argument("--section", default="01_attention", help="default: %(default)s")
    options = parser.parse_args()
    n_students, cores, section = max(options.students, 4), usable_cores(), options.section
    print(f"{n_students} submissions of {section}, {cores} cores, load before: {os.getloadavg()[0]:.1f}")
    print(f"Sandbox: {strongest().in_force}")
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder, "course")
        released = make_course(course, section, n_students)
        print(HEAD)

        def measured(name, jobs, students, command, config=None):
            run = measure(course, section, students, command, config)
            print(row(name, jobs, run), flush=True)
            return run

        ours = ["grading", "autograde"]
        few = measured("ours, a quarter", cores, n_students // 4, [*ours, f"--jobs={cores}"])
        all_cores = measured("ours, all cores", cores, n_students, [*ours, f"--jobs={cores}"])
        one_job = measured("ours, 1 job", 1, n_students, [*ours, "--jobs=1"])
        stock = measured("stock nbgrader", 1, n_students, ["nbgrader", "autograde"], STOCK_CONFIG)
    print(comparison(stock, one_job, all_cores))
    print(linearity(few, all_cores))
    print(class_of(10_000, few, all_cores, one_job))
    print(distance_to_floor(released, all_cores, cores))


def make_course(course, section, n_students):
    """Make a course's folder with a class of honest submissions: right, untouched, and with slips in all exercises."""
    assignment = f"ch04_{section}"
    course.mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", course)
    shutil.copytree(ROOT / "solutions" / assignment, course / "solutions" / assignment)
    run(course, ["nbgrader", "generate_assignment", assignment, "--force"])
    path = Path(assignment, f"{section}.ipynb")
    released = read_section(course / "notebooks" / path, course / "solutions" / path)
    texts = [dumps(answered(released)), dumps(released.release)]
    texts += [slips(released, number).text for number in range(SLIP_SETS)]
    for number in range(n_students):
        folder = course / "submitted" / student(number) / assignment
        folder.mkdir(parents=True)
        (folder / path.name).write_text(texts[number % len(texts)], encoding="utf-8")
    return released


def student(number):
    """Return a student's id."""
    return f"student_{number:05}"


def measure(course, section, n_students, command, config=None):
    """Grade a copy of the course, from nothing, with the first students alone."""
    with tempfile.TemporaryDirectory() as folder:
        copied = shutil.copytree(course, Path(folder, "course"))
        for path in sorted((copied / "submitted").iterdir())[n_students:]:
            shutil.rmtree(path)
        if config is not None:
            (copied / "nbgrader_config.py").write_text(config, encoding="utf-8")
        module, verb, *options = command
        started = time.monotonic()
        memory, cpu = run(copied, [module, verb, f"ch04_{section}", *options])
        return Measured(n_students, time.monotonic() - started, cpu, memory, scores_in(copied, section))


def run(course, command):
    """Run a command in the course's folder and return the most memory, and all processor time, that it took."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # nbgrader calls alembic
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
        "JUPYTER_CONFIG_DIR": str(course),
        "GRADING_SEED": str(SEED),
    }
    with tempfile.TemporaryFile("w+") as said:
        options = {"cwd": course, "env": environment, "stdout": said, "stderr": said}
        process = subprocess.Popen([sys.executable, "-m", *command], **options)
        with watched(process.pid) as most:
            process.wait()
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{said.read()[-3000:]}")
    return most


@contextlib.contextmanager
def watched(pid):
    """Look at a process and its descendants while the body runs; the list holds the most bytes, and the most seconds.

    What the system says when all is over lacks the sandbox: it is killed together with the process that would ask.
    """
    most, over = [0, 0.0], threading.Event()

    def look():
        while not over.wait(SECONDS_BETWEEN_LOOKS):
            most[:] = max(most[0], memory_of(pid)), max(most[1], seconds_of(pid))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def memory_of(pid):
    """Return the bytes of a process and its descendants, what they share with each other counted once."""
    try:
        lines, children = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines(), children_of(pid)
    except OSError:  # it has ended meanwhile
        return 0
    own = next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return own + sum(map(memory_of, children))


def seconds_of(pid):
    """Return the seconds that a process, its descendants, and those of them that have ended, have computed."""
    try:
        numbers, children = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split(), children_of(pid)
    except OSError:
        return 0.0
    return sum(map(int, numbers[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(seconds_of, children))


def children_of(pid):
    """Return the ids of the processes that a process has started."""
    return {int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()}


def scores_in(course, section):
    """Return what the gradebook holds."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        return {
            submission.student.id: {
                grade.name: (grade.auto_score, grade.needs_manual_grade)
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in gradebook.assignment_submissions(f"ch04_{section}")
        }


def row(name, jobs, measured):
    """Return a run as a line below `HEAD`."""
    each, memory = measured.cpu / measured.students, measured.memory / 2**20 / jobs
    return f"{name:16}{measured.wall:9.1f}{measured.cpu:9.1f}{measured.per_minute:12.1f}{each:12.2f}{memory:10.0f}"


def comparison(stock, one_job, all_cores):
    """Return how much faster ours is, and whether it gives the same scores."""
    lines = []
    for name, ours, bar in (("1 job", one_job, BAR_ONE_JOB), ("all cores", all_cores, BAR_ALL_CORES)):
        times = ours.per_minute / stock.per_minute
        lines.append(
            f"{name}: {times:.1f} times stock's submissions a minute (bar: {bar}), "
            f"{stock.cpu / ours.cpu:.1f} times less CPU"
        )
    cells = [(name, cell) for name, grades in stock.scores.items() for cell in grades]
    differ = [
        (name, cell)
        for name, cell in cells
        if not stock.scores[name][cell] == one_job.scores[name].get(cell) == all_cores.scores[name].get(cell)
    ]
    return "\n".join(
        [*lines, f"scores: {len(cells) - len(differ)} of {len(cells)} cells equal", *map(str, differ[:20])]
    )


def cost(few, many, seconds):
    """Return the seconds that one submission more takes, and those that are left for starting up."""
    more = (seconds(many) - seconds(few)) / (many.students - few.students)
    return more, seconds(few) - more * few.students


def linearity(few, many):
    """Return what a submission more costs, in a small class and in a large one."""
    more, start = cost(few, many, lambda measured: measured.cpu)
    return (
        f"linear: {few.students} submissions took {few.cpu:.1f} CPU s, {many.students} took {many.cpu:.1f}: "
        f"{more:.2f} s for each one more, {start:.1f} s to start"
    )


def class_of(n_students, few, many, one_job):
    """Return the line of docs/grading-at-scale.md that says how long a large class takes on this machine."""
    more, start = cost(few, many, lambda measured: measured.wall)
    alone = (one_job.wall - start) / one_job.students
    return (
        f"a class of {n_students}: {start:.0f} s to start and {n_students} x {more:.3f} s on all cores are "
        f"{(start + n_students * more) / 60:.0f} minutes; on one job {n_students} x {alone:.3f} s are "
        f"{(start + n_students * alone) / 60:.0f} minutes"
    )


def distance_to_floor(released, measured, cores):
    """Return how near a run is to what the learners' own cells need."""
    submissions = [answered(released), released.release]
    submissions += [nbformat.reads(slips(released, number).text, as_version=4) for number in range(SLIP_SETS)]
    seconds = sum(map(seconds_of_own_cells, [released] * len(submissions), submissions)) / len(submissions)
    each = measured.cpu / measured.students
    return (
        f"floor: the learner's own cells and functions compute {seconds:.3f} s a submission, which is at best "
        f"{60 * cores / seconds:.0f} a minute; ours computes {each:.2f} s in all, {each / seconds:.1f} times the floor"
    )


def seconds_of_own_cells(released, nb):
    """Return the seconds that the answers' cells and their calls on all cases take, and nothing else."""
    namespace = {}
    answers = {question.answer_id: question for question in released.questions}
    exec("import numpy as np", namespace)
    cases = {question: cases_of(question) for question in answers.values()}
    started = time.process_time()
    for cell in nb.cells:
        question = answers.get(released_id(cell))
        if question is not None:
            exec(cell.source, namespace)
            collect(exercises()[question.exercise_id], namespace[question.function], cases[question])
    return time.process_time() - started


def cases_of(question):
    """Return the cases on which grading calls a function: those that are secret, and those of the practice."""
    exercise = exercises()[question.exercise_id]
    return [*draw_cases(exercise, SEED, GRADING_ROUNDS), *draw_cases(exercise, VISIBLE_SEED)]


if __name__ == "__main__":
    main()
