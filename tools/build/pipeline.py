"""From a lesson to the learner's notebook: read `build` and what it calls, from top to bottom."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

from grading.release import executed
from tools.build.addresses import project_addresses
from tools.build.cells import name_cells, refuse_tags
from tools.build.deep_links import with_deep_links
from tools.build.generated import (
    LAUNCH_LINKS,
    LAUNCH_TABLE,
    SET_UP,
    launch_links,
    replace_generated_cells,
    set_up,
)
from tools.build.lesson import canonical, read_lesson
from tools.build.pictures import write_picture
from tools.build.readme import stamp_readmes, table
from tools.build.section import ROOT, START, page_of, sections


def write_generated_cells(notebook, page):
    """Write launch links, set-up and the table of all sections out, with the project's addresses."""
    addresses = project_addresses()
    texts = {
        LAUNCH_LINKS: launch_links(page, addresses),
        SET_UP: set_up(addresses),
        LAUNCH_TABLE: table(sections()).strip(),
    }
    return replace_generated_cells(notebook, texts.__getitem__)


def build(name, into=ROOT):
    """Build both notebooks of a section, or the start page.

    Parameters
    ----------
    name : str
        Such as `01_attention`, or `00_start`.
    into : Path
        The folder that `solutions/`, `notebooks/` and `docs/pictures/` are made in. The project itself by default;
        then the lesson is put in canonical form and the links in the READMEs are written too.

    Returns
    -------
    paths : tuple of Path
        A section's solution and its release; of the start page, which hides nothing, the one notebook.
    """
    page = page_of(name)
    lesson = read_lesson(ROOT / page.lesson)
    if into == ROOT:
        (ROOT / page.lesson).write_text(canonical(lesson), encoding="utf-8")
        stamp_readmes()
    if name == START:
        return (write_start(lesson, page, into),)
    return write_solution(lesson, page, into), write_release(page, into)


def write_start(lesson, page, into):
    """Turn the start page's lesson into its notebook: the steps of a solution, and links to cells of the sections."""
    notebook = refuse_tags(lesson)
    notebook = write_generated_cells(notebook, page)
    notebook = with_deep_links(notebook, into)  # before cells are named: a name is a digest of the final text
    notebook = name_cells(notebook)
    notebook = executed(notebook)
    notebook.metadata.pop("jupytext", None)  # a reader who saves it must not write the lesson
    path = into / page.release
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


def write_solution(lesson, section, into):
    """Turn the lesson into the instructor's notebook, step by step, and write it."""
    notebook = refuse_tags(lesson)  # before anything runs: a tag can skip what comes next
    notebook = write_generated_cells(notebook, section)
    notebook = name_cells(notebook)  # after the text is final: an id is a digest of it
    notebook = executed(notebook)  # last: it keeps the pictures
    path = into / section.solution
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    write_picture(notebook, section, into)
    return path


def write_release(section, into):
    """Have nbgrader make the learner's notebook from the instructor's, and copy it where it belongs.

    nbgrader works in a folder of its own: it deletes a release before it makes the new one, and a failure in between
    would leave nothing.
    """
    with tempfile.TemporaryDirectory() as course:
        shutil.copytree((into / section.solution).parent, (Path(course) / section.solution).parent)
        generate_assignment(section.assignment, course)
        path = into / section.release
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(course) / section.release, path)
    return path


def generate_assignment(assignment, course):
    """Run `nbgrader generate_assignment` in a course folder, with the project's settings and nobody's own."""
    shutil.copy(ROOT / "nbgrader_config.py", course)
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", assignment, "--force", "--log-level=WARN"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls `alembic` by name
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "JUPYTER_CONFIG_DIR": course}
    subprocess.run(command, cwd=course, env=environment, check=True)
