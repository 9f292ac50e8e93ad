"""Every address that a build writes, made from `[project.urls]` in pyproject.toml, the one place that states it."""

import tomllib
from dataclasses import dataclass
from urllib.parse import quote, urlparse

from tools.build.section import ROOT

BRANCH = "main"


@dataclass(frozen=True)
class Addresses:
    """Where the project lives, and what follows from it.

    Examples
    --------
    >>> Addresses("https://github.com/someone/chapter", "").colab("notebooks/a.ipynb")
    'https://colab.research.google.com/github/someone/chapter/blob/main/notebooks/a.ipynb'
    """

    repository: str
    mirror: str

    @property
    def owner_and_name(self):
        """What Colab and ModelScope call the repository."""
        return urlparse(self.repository).path.strip("/")

    @property
    def archives(self):
        """The whole project as one ZIP file: from the repository, then from the mirror."""
        return (
            f"{self.repository}/archive/refs/heads/{BRANCH}.zip",
            f"{self.mirror}/repository/archive/{BRANCH}.zip",
        )

    def colab(self, path):
        """Where Google Colab opens a notebook of the project."""
        return f"https://colab.research.google.com/github/{self.owner_and_name}/blob/{BRANCH}/{path}"

    def modelscope(self, path):
        """Where ModelScope, within reach from China, opens a notebook of the project."""
        return f"https://modelscope.cn/notebook/share/github/{self.owner_and_name}/blob/{BRANCH}/{path}"

    def binder(self, path):
        """Where Binder opens a notebook, without an account, in what it builds from environment.yml."""
        return f"https://mybinder.org/v2/gh/{self.owner_and_name}/{BRANCH}?labpath={quote(path, safe='')}"

    def download(self, path):
        """Where the notebook itself is served."""
        return f"{self.repository}/raw/{BRANCH}/{path}"


def project_addresses(pyproject=ROOT / "pyproject.toml"):
    """Read `[project.urls]`."""
    urls = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["urls"]
    return Addresses(repository=urls["Repository"].rstrip("/"), mirror=urls["Mirror"].rstrip("/"))
