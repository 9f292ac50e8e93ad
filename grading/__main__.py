"""The instructor's commands: `python -m grading autograde ch04_01_attention`, from the course's folder."""

import argparse
import re
import sys

from grading.lean import import_jsonschema

import_jsonschema()  # before anything else does

from grading import collecting, reporting  # noqa: E402
from grading.batch import BatchError, autograde  # noqa: E402
from grading.course import Course  # noqa: E402
from grading.sandbox.isolation import NoSandboxError, strongest  # noqa: E402
from grading.text_table import printable  # noqa: E402
from grading.workers import DaskWorkers, LocalWorkers, NoClusterError, usable_cores  # noqa: E402

MAX_JOBS = 1000
SETTING = re.compile(r"--\w+\.\w+=")  # nbgrader's own: --ExecuteSubmission.timeout=30


def main(arguments=None):
    """Read the command line and do what it says; the exit code is 1 if anything needs a look, 2 if nothing was done."""
    parser = argparse.ArgumentParser(prog="python -m grading", description=__doc__)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_autograde(subparsers)
    collecting.add_parser(subparsers)
    reporting.add_parser(subparsers)
    options, settings = parser.parse_known_args(arguments)
    wrong = [setting for setting in settings if not SETTING.match(setting)]
    if wrong:
        parser.error(f"unknown: {' '.join(wrong)}")
    try:
        return options.run(options, settings)
    except (BatchError, NoClusterError, NoSandboxError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # before or after the grading itself, which takes it as a wish to stop
        print("Interrupted.", file=sys.stderr)
        return 130


def _add_autograde(subparsers):
    parser = subparsers.add_parser("autograde", help="grade everything in submitted/ that is not graded yet")
    parser.add_argument("assignments", nargs="+", metavar="ASSIGNMENT", help="such as ch04_01_attention")
    parser.add_argument("--jobs", type=_jobs, default=usable_cores(), metavar="N", help="at once; default: the cores")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that runs the submissions instead")
    parser.add_argument("--force", action="store_true", help="grade again what is graded")
    parser.add_argument("--unsafe", action="store_true", help="without a sandbox: submissions run with your rights")
    parser.epilog = "Settings of nbgrader can be given as well: --ExecuteSubmission.timeout=30."
    parser.set_defaults(run=run_autograde)


def _jobs(text):
    if not text.isdecimal() or not 1 <= int(text) <= MAX_JOBS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MAX_JOBS}")
    return int(text)


def run_autograde(options, settings):
    """Grade a class and say what became of it."""
    course = Course(settings)
    submissions = [each for assignment in options.assignments for each in course.submissions(assignment)]
    if not submissions:
        raise BatchError(_nothing_handed_in(options.assignments, course.assignments_handed_in()))
    if options.scheduler:
        workers = DaskWorkers(options.scheduler, unsafe=options.unsafe)
    else:
        print(f"Sandbox: {strongest(options.unsafe).in_force}")
        workers = LocalWorkers(options.jobs, unsafe=options.unsafe)
    outcome = autograde(course, submissions, workers, options.force)
    for submission, problem in sorted(outcome.problems.items()):
        print(printable(f"{submission.student}  NOT GRADED ({submission.assignment}): {problem}"))
    reporting.print_table(course, options.assignments)
    print(f"{len(outcome.graded)} graded, {len(outcome.skipped)} were, {len(outcome.problems)} could not be.")
    if outcome.interrupted:
        print("Interrupted. Run the command again: it goes on where it was.")
    return int(bool(outcome.problems or outcome.interrupted))


def _nothing_handed_in(wanted, there):
    found = f"there is {', '.join(there)}" if there else "it is empty; `python -m grading collect` fills it"
    return f"Nobody has handed in {' or '.join(wanted)}: nothing of it is in submitted/ ({found})."


if __name__ == "__main__":
    sys.exit(main())
