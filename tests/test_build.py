"""The steps of the build, one by one, on small notebooks."""

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grading.release import NotebookRefused, executed, refuse_machine_paths, run, strip_metadata, strip_outputs
from tools.build.addresses import Addresses, project_addresses
from tools.build.cells import name_cells, refuse_tags
from tools.build.generated import PLACEHOLDERS, launch_links, set_up
from tools.build.lesson import canonical, read_lesson
from tools.build.readme import BEGIN, END, READMES, stamped, table
from tools.build.section import ROOT, START, Section, page_of, sections

ADDRESSES = Addresses("https://github.com/someone/chapter", "https://gitee.com/someone/chapter")


@pytest.mark.parametrize("name", [START, *sections()])
def test_a_lesson_is_stored_as_jupytext_writes_it(name):
    path = ROOT / page_of(name).lesson
    assert path.read_text(encoding="utf-8") == canonical(read_lesson(path)), "run `make build`, then look at the diff"


def test_the_canonical_text_of_a_lesson_is_a_fixed_point(tmp_path):
    text = canonical(lesson())
    (tmp_path / "lesson.md").write_text(text, encoding="utf-8")
    assert canonical(read_lesson(tmp_path / "lesson.md")) == text


def test_what_the_build_writes_into_a_notebook_is_one_line_in_the_lesson():
    text = canonical(lesson())
    assert "import helpers" not in text
    assert all(placeholder in text for placeholder in PLACEHOLDERS.values())


def lesson():
    links, table = (
        new_markdown_cell("[written out](https://example.org)", metadata={"tags": [tag]})
        for tag in ("launch-links", "launch-table")
    )
    code = new_code_cell(
        "import helpers", metadata={"tags": ["set-up"], "nbgrader": {"solution": False, "grade": True}}
    )
    return new_notebook(
        cells=[links, table, code], metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )


def test_a_cell_keeps_its_id_when_another_cell_changes():
    def ids(*sources):
        return [cell.id for cell in name_cells(new_notebook(cells=[new_markdown_cell(text) for text in sources])).cells]

    assert ids("a", "b", "c")[::2] == ids("a", "changed", "c")[::2]
    assert len(set(ids("twice", "twice", "once"))) == 3


def test_a_graded_cell_is_called_by_its_grade_id():
    cell = new_code_cell("check()", metadata={"nbgrader": {"grade_id": "attention-softmax-check"}})
    assert name_cells(new_notebook(cells=[cell])).cells[0].id == "attention-softmax-check"


@pytest.mark.parametrize(
    "tags", [["raises-exception"], ["skip-execution"], ["nbval-skip"], ["measured-time"], ["nbval-ignore-output"]]
)
def test_a_tag_that_would_hide_a_cell_from_the_checks_is_refused(tags):
    with pytest.raises(NotebookRefused, match="print"):
        refuse_tags(new_notebook(cells=[new_code_cell("print(1)", metadata={"tags": tags})]))


def test_measured_times_are_run_but_not_stored():
    tags = ["measured-time", "nbval-ignore-output"]
    notebook = new_notebook(cells=[new_code_cell("import time\ntime.perf_counter()", metadata={"tags": tags})])
    refuse_tags(notebook)
    cell = executed(notebook).cells[0]
    assert cell.execution_count == 1
    assert cell.outputs == []


def test_running_a_notebook_keeps_no_timestamp_no_version_and_no_user_setting(monkeypatch):
    monkeypatch.setenv("GRADING_SEED", "7")
    source = "import os\nprint('GRADING_SEED' in os.environ, os.environ['PYTHONHASHSEED'], os.listdir())"
    notebook = executed(new_notebook(cells=[new_code_cell(source)]))
    assert notebook.cells[0].outputs[0].text.startswith("False 0 ")
    assert notebook.cells[0].metadata == {}
    assert "version" not in notebook.metadata.language_info


def test_a_text_printed_in_pieces_is_stored_as_one():
    source = "import sys, time\nfor piece in 'abc':\n    print(piece, flush=True)\n    time.sleep(0.3)"
    notebook = executed(new_notebook(cells=[new_code_cell(source)]))
    assert [output.text for output in notebook.cells[0].outputs] == ["a\nb\nc\n"]


def test_a_cell_that_makes_a_widget_keeps_its_text_and_no_view():
    notebook = new_notebook(cells=[new_code_cell("import ipywidgets\nipywidgets.IntSlider(description='长度')")])
    data = executed(notebook).cells[0].outputs[0].data
    assert list(data) == ["text/plain"]


def test_what_only_a_running_kernel_understands_is_dropped():
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "0"}, "text/plain": "a slider"}
    cell = new_code_cell("slider", metadata={"execution": {"iopub.status.busy": "now"}})
    cell.outputs = [new_output("display_data", data=view)]
    notebook = new_notebook(cells=[cell], metadata={"widgets": {"state": {}}})
    strip_outputs(notebook)
    strip_metadata(notebook)
    assert notebook.cells[0].outputs[0].data == {"text/plain": "a slider"}
    assert "widgets" not in notebook.metadata
    assert notebook.cells[0].metadata == {}


@pytest.mark.parametrize(
    "source", ["import sys\nprint('watch out', file=sys.stderr)", "import warnings\nwarnings.warn('old')"]
)
def test_a_cell_that_writes_to_stderr_is_refused(source):
    with pytest.raises(NotebookRefused, match="stderr"):
        executed(new_notebook(cells=[new_code_cell(source)]))


def test_a_cell_that_raises_stops_the_build():
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        executed(new_notebook(cells=[new_code_cell("1 / 0")]))


def test_an_output_that_shows_a_path_of_the_machine_is_refused():
    notebook = new_notebook(cells=[new_code_cell("import os\nprint(os.path.join(os.getcwd(), 'x'))")])
    run(notebook)
    with pytest.raises(NotebookRefused, match="stands in the output"):
        refuse_machine_paths(notebook)


def test_the_start_page_is_no_section_and_stands_first_in_the_table():
    assert START not in sections()
    first = table().strip().splitlines()[2]
    assert first.startswith("| 从这里开始：")
    assert project_addresses().colab("notebooks/00_start.ipynb") in first
    assert len(table().strip().splitlines()) == 3 + len(sections())


def test_links_open_the_learners_notebook_wherever_the_project_lives():
    links = launch_links(Section("01_attention"), ADDRESSES)
    path = "blob/main/notebooks/ch04_01_attention/01_attention.ipynb"
    assert f"https://colab.research.google.com/github/someone/chapter/{path}" in links
    assert f"https://modelscope.cn/notebook/share/github/someone/chapter/{path}" in links
    assert f"https://github.com/someone/chapter/{path.replace('blob', 'raw')}" in links
    binder = "https://mybinder.org/v2/gh/someone/chapter/main?labpath="
    assert f"{binder}notebooks%2Fch04_01_attention%2F01_attention.ipynb" in links


def test_the_set_up_cell_asks_the_repository_first_and_then_the_mirror():
    code = set_up(ADDRESSES)
    assert (
        0 < code.index("https://github.com/someone/chapter/archive") < code.index("https://gitee.com/someone/chapter/")
    )
    assert "{" not in code.split("for address")[0]


def test_only_what_stands_between_the_marks_of_a_readme_is_written():
    text = stamped(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    assert project_addresses().colab("notebooks/ch04_01_attention/01_attention.ipynb") in text
    assert stamped(text) == text


@pytest.mark.parametrize("name", READMES)
def test_a_readme_is_as_the_build_writes_it(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert BEGIN in text
    assert stamped(text) == text, "run `make build`"


def test_a_built_notebook_is_valid_for_nbformat():
    for name in sections():
        for path in (Section(name).solution, Section(name).release):
            nbformat.validate(nbformat.read(ROOT / path, as_version=4))
