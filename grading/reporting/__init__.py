"""What the instructor reads after grading: who got what, which mistakes the class makes, and where to look."""

from grading.reporting.command import add_parser, print_table, run

__all__ = ["add_parser", "print_table", "run"]
