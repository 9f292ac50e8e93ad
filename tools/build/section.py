"""Where everything about a section stands: `Section("01_attention")`."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


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


def sections():
    """Return the names of all sections, in the chapter's order: every lesson is one."""
    return sorted(path.stem for path in (ROOT / "lessons").glob("*.md"))
