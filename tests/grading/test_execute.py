import os
from pathlib import Path

import pytest
from nbclient.exceptions import DeadKernelError
from nbformat import v4

from grading.execute import STOPPED_KEY, ExecuteSubmission
from grading.seed import SEED_VARIABLE

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
DEAF = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run cells in the folder of a submission and return what each shows."""
    monkeypatch.delenv(SEED_VARIABLE, raising=False)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))

    def run_cells(*sources, **settings):
        nb = v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources], metadata={"kernelspec": KERNEL})
        settings = {"seed_file": str(tmp_path / "seed"), "timeout": 20, **settings}
        run_cells.step = ExecuteSubmission(**settings)
        run_cells.step.preprocess(nb, {"metadata": {"path": str(tmp_path)}})
        run_cells.cells = nb.cells
        return ["".join(map(_text, cell.outputs)) for cell in nb.cells]

    return run_cells


def _text(output):
    return output.get("text") or output.get("evalue") or output.get("data", {}).get("text/plain", "")


def test_a_cell_that_kills_the_kernel_costs_itself_alone(run):
    shown = run("x = 1", "import os; os._exit(0)", "print(x)")
    assert "终止了" in shown[1]
    assert shown[2] == "1\n"
    assert [STOPPED_KEY in cell.metadata for cell in run.cells] == [False, True, False]


def test_a_cell_that_is_deaf_to_interrupts_is_stopped_and_the_others_run(run):
    shown = run("x = 1", DEAF, "print(x)", timeout=4)
    assert "4 秒" in shown[1]
    assert shown[2] == "1\n"


def test_after_too_many_restarts_what_ran_stays_and_the_rest_is_not_run(run):
    die = "import os; os._exit(0)"
    shown = run("print(1)", die, "print(2)", die, "print(3)", die, max_restarts=1)
    assert shown[0] == "1\n"
    assert shown[2] == "2\n"
    assert all("终止了" in shown[index] for index in (1, 3))
    assert all("没有运行" in shown[index] for index in (4, 5))


def test_a_flood_of_output_is_cut_off_and_what_follows_is_kept(run):
    shown = run("for _ in range(2000):\n    print('x' * 10_000, flush=True)", "print(2)")
    assert 0 < len(shown[0]) < 6_000_000
    assert shown[1] == "2\n"


def test_the_kernel_knows_the_seed_and_that_it_is_grading(run, tmp_path):
    (shown,) = run("import os; print(os.environ['GRADING_SEED'], os.environ['NBGRADER_EXECUTION'])")
    assert shown == f"{(tmp_path / 'seed').read_text().strip()} autograde\n"
    assert SEED_VARIABLE not in os.environ


def test_a_file_beside_the_submission_does_not_replace_a_module(run, tmp_path):
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").write_text("print('mine')")
    (tmp_path / "numpy.py").write_text("print('mine')")
    assert run("import helpers, numpy") == [""]


def test_a_submission_cannot_claim_to_have_been_stopped(run):
    run("1")
    run.cells[0].metadata[STOPPED_KEY] = True
    nb = v4.new_notebook(cells=run.cells, metadata={"kernelspec": KERNEL})
    run.step.preprocess(nb, {"metadata": {"path": "."}})
    assert STOPPED_KEY not in nb.cells[0].metadata


def test_a_kernel_that_does_not_start_is_no_cells_fault(run, monkeypatch):
    def setup_kernel(self):
        raise DeadKernelError("died before any cell")

    monkeypatch.setattr(ExecuteSubmission, "setup_kernel", setup_kernel)
    with pytest.raises(DeadKernelError):
        run("1")


def test_widgets_are_not_answered(run):
    run("import ipywidgets; ipywidgets.Output()")
    assert run.step.comm_objects == {}


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc, as Linux has it")
@pytest.mark.parametrize("end", ["1", "import os; os._exit(0)"])
def test_a_process_that_a_cell_started_does_not_outlive_it(run, tmp_path, end):
    mark = str(tmp_path / "mark")
    run(f"import subprocess\nsubprocess.Popen(['tail', '--retry', '--follow=name', {mark!r}])", end)
    alive = [path for path in Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in _read_or_empty(path)]
    assert alive == []


def _read_or_empty(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""
