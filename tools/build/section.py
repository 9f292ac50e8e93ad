"""Where everything about a section stands: `Section("01_attention")`; and the page that the chapter starts with."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
START = "00_start"


@dataclass(frozen=True)
class Section:
    """A section of the chapter: one lesson, one nbgrader assignment of one notebook.

    Examples
    --------
    >>> Section("01_attention").release.as_posix()
    'notebooks/ch04_01_attention/01_attention.ipynb'
    """

    name: str

    @property
    def assignment(self):
        """The id of its nbgrader assignment."""
        return f"ch04_{self.name}"

    @property
    def lesson(self):
        """The file that people edit."""
        return Path("lessons", f"{self.name}.md")

    @property
    def solution(self):
        """The instructor's notebook."""
        return Path("solutions", self.assignment, f"{self.name}.ipynb")

    @property
    def release(self):
        """The learner's notebook."""
        return Path("notebooks", self.assignment, f"{self.name}.ipynb")

    @property
    def picture(self):
        """The picture that closes it, for the READMEs."""
        return Path("docs", "pictures", f"{self.name}.png")


@dataclass(frozen=True)
class StartPage:
    """The whole chapter on one page: a notebook without exercises, so no assignment of nbgrader's and no solution."""

    name: str = START

    @property
    def lesson(self):
        """The file that people edit."""
        return Path("lessons", f"{self.name}.md")

    @property
    def release(self):
        """The notebook that is read."""
        return Path("notebooks", f"{self.name}.ipynb")


def sections():
    """Return the names of all sections, in the chapter's order: every lesson is one, the start page excepted."""
    return sorted(path.stem for path in (ROOT / "lessons").glob("*.md") if path.stem != START)


def page_of(name):
    """Return the section of this name, or the start page."""
    return StartPage() if name == START else Section(name)
