"""Judge a learner's answers: `check("attention.softmax", softmax)` says what is right, what is wrong and why."""

from helpers.checks.catalogue import exercises
from helpers.checks.checking import check
from helpers.checks.hints import hint
from helpers.checks.logbook import progress
from helpers.checks.saved import chapter_progress

__all__ = ["chapter_progress", "check", "exercises", "hint", "progress"]
