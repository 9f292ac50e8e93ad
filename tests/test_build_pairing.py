"""Opening a solution notebook in JupyterLab and saving it carries the change back to its lesson."""

import asyncio
import inspect
import shutil

import jupytext
import pytest

from tools.build.lesson import canonical, read_lesson
from tools.build.section import ROOT, START, Section, page_of, sections


@pytest.fixture
def project(tmp_path):
    """Return a copy of what JupyterLab sees of the project."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in ("lessons", "solutions"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def edit_in_jupyterlab(project, section, edit):
    """Open the solution notebook, edit it, save it: through the class that JupyterLab itself saves with."""

    async def open_edit_save():
        manager = jupytext.TextFileContentsManager(root_dir=str(project))
        path = section.solution.as_posix()
        model = await finished(manager.get(path, content=True, type="notebook"))
        edit(model["content"])
        await finished(manager.save({"type": "notebook", "format": "json", "content": model["content"]}, path))

    asyncio.run(open_edit_save())


async def finished(result):
    return await result if inspect.isawaitable(result) else result


def add_a_sentence(notebook):
    notebook.cells[0].source += "\n\n加上的一句话。"


@pytest.mark.parametrize("name", sections())
def test_saving_without_a_change_leaves_the_lesson_as_it_is(project, name):
    section = Section(name)
    before = (project / section.lesson).read_text(encoding="utf-8")
    edit_in_jupyterlab(project, section, lambda notebook: None)
    assert (project / section.lesson).read_text(encoding="utf-8") == before


@pytest.mark.parametrize("name", sections())
def test_a_saved_change_is_the_only_change_in_the_lesson(project, name):
    section = Section(name)
    before = (project / section.lesson).read_text(encoding="utf-8").splitlines()
    edit_in_jupyterlab(project, section, add_a_sentence)
    after = (project / section.lesson).read_text(encoding="utf-8").splitlines()
    added = after.index("加上的一句话。")
    assert after[: added - 1] + after[added + 1 :] == before


@pytest.mark.parametrize("name", sections())
def test_a_solution_notebook_edited_without_jupytext_gives_back_the_lesson(project, name):
    """Its launch links and set-up are written out; the lesson keeps one line for each."""
    section = Section(name)
    notebook = jupytext.read(project / section.solution)
    assert canonical(notebook) == canonical(read_lesson(project / section.lesson))


@pytest.mark.parametrize("name", [START, *sections()])
def test_the_learners_notebook_is_paired_with_nothing(name):
    assert "jupytext" not in jupytext.read(ROOT / page_of(name).release).metadata
