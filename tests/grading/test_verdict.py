import pytest
from nbformat import from_dict, v4

from grading.execute import STOPPED_KEY
from grading.verdict import RequireReport


def report(points="1.5", **data):
    return v4.new_output("execute_result", data={"text/plain": points, "text/html": "<p>", **data}, execution_count=1)


def error(name):
    return v4.new_output("error", ename=name, evalue="[0.25]", traceback=["[0.25]"])


def stderr():
    return v4.new_output("stream", name="stderr", text="a warning of another exercise's thread")


@pytest.fixture
def settled(submitted):
    def settle(*outputs, grade_id="softmax-check", **metadata):
        nb = submitted(grade_id)
        nb.cells[0].outputs = [from_dict(output) for output in outputs]
        nb.cells[0].metadata.update(metadata)
        return RequireReport().preprocess(nb, {})[0].cells[0].outputs

    return settle


@pytest.mark.parametrize("points", ["0", "1.5", "2", "2.0"])
def test_a_report_is_all_that_stays(settled, points):
    assert settled(stderr(), report(points), stderr()) == [report(points)]


@pytest.mark.parametrize("points", ["-1", "2.5", "nan", "inf", "True", "np.float64(0.5)", ""])
def test_what_is_no_number_of_points_gives_none(settled, points):
    (output,) = settled(report(points))
    assert output.output_type == "error"
    assert "check" in output.evalue


def test_no_report_gives_no_points(settled):
    assert settled()[0].output_type == "error"
    assert settled(v4.new_output("display_data", data={"text/plain": "2"}))[0].output_type == "error"


def test_a_bare_number_is_no_report(settled):
    bare = v4.new_output("execute_result", data={"text/plain": "2.0"}, execution_count=1)
    assert settled(bare)[0].output_type == "error"


def test_an_error_counts_even_beside_a_report_and_its_message_is_not_shown(settled):
    (output,) = settled(report(), error("RuntimeError"))
    assert output.output_type == "error"
    assert "RuntimeError" in output.evalue
    assert "0.25" not in str(output)


def test_a_name_that_is_not_defined_points_to_the_cell_that_defines_it(settled):
    assert "没有定义" in settled(error("NameError"))[0].evalue


def test_what_was_said_of_a_stopped_cell_stays(settled):
    stopped = error("单元格没有运行完")
    assert settled(stopped, **{STOPPED_KEY: True}) == [stopped]
    assert settled(stopped) != [stopped]


def test_the_outputs_of_other_cells_are_left_alone(settled):
    assert settled(stderr(), grade_id="softmax") == [stderr()]
