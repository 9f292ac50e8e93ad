"""The instructor's commands: `python -m grading autograde ch04_01_attention`, from the course's folder."""

import argparse
import os
import sys

from grading import collecting
from grading.batch import BatchError, autograde
from grading.course import Course
from grading.sandbox.isolation import NoSandboxError, strongest
from grading.workers import DaskWorkers, LocalWorkers


def main(arguments=None):
    """Read the command line and do what it says; the exit code is 1 if anything needs a look, 2 if nothing was done."""
    parser = argparse.ArgumentParser(prog="python -m grading", description=__doc__)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_autograde(subparsers)
    collecting.add_parser(subparsers)
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except (BatchError, NoSandboxError) as error:
        print(error, file=sys.stderr)
        return 2


def _add_autograde(subparsers):
    parser = subparsers.add_parser("autograde", help="grade everything in submitted/ that is not graded yet")
    parser.add_argument("assignments", nargs="+", metavar="ASSIGNMENT", help="such as ch04_01_attention")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="submissions at once (the cores)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that runs the submissions instead")
    parser.add_argument("--force", action="store_true", help="grade again what is graded")
    parser.add_argument("--unsafe", action="store_true", help="without a sandbox: submissions run with your rights")
    parser.set_defaults(run=run_autograde)


def run_autograde(options):
    """Grade a class and say what became of it."""
    course = Course()
    settings = {"unsafe": options.unsafe}
    if options.scheduler:
        workers = DaskWorkers(options.scheduler, settings)
    else:
        print(f"Sandbox: {strongest(options.unsafe).in_force}")
        workers = LocalWorkers(options.jobs, settings)
    submissions = [each for assignment in options.assignments for each in course.submissions(assignment)]
    outcome = autograde(course, submissions, workers, options.force)
    for submission in sorted(outcome.graded):
        for flag in [flag for record in course.records(submission) for flag in record["flags"]]:
            print(f"{submission.student}  {flag}")
    for submission, problem in sorted(outcome.problems.items()):
        print(f"{submission.student}  NOT GRADED ({submission.assignment}): {problem}")
    print(f"{len(outcome.graded)} graded, {len(outcome.skipped)} were, {len(outcome.problems)} could not be.")
    if outcome.interrupted:
        print("Interrupted. Run the command again: it goes on where it was.")
    return int(bool(outcome.problems or outcome.interrupted))


if __name__ == "__main__":
    sys.exit(main())
