import pytest
from nbconvert.exporters import HTMLExporter
from nbformat import v4

from grading.execute import STOPPED_KEY
from grading.feedback import KeepReportsOnly, TranslateComments


def graded(**metadata):
    return {"nbgrader": {"grade_id": "softmax-check", "grade": True, "solution": False, **metadata}}


def error(name):
    return v4.new_output("error", ename=name, evalue="[0.25]", traceback=["[0.25]"])


def kept(cell):
    return KeepReportsOnly().preprocess(v4.new_notebook(cells=[cell]), {})[0].cells[0].outputs


@pytest.mark.parametrize("step", [TranslateComments, KeepReportsOnly])
def test_a_page_s_settings_are_taken_without_a_complaint(step, caplog):
    settings = HTMLExporter().default_config
    assert "display_data_priority" in settings.NbConvertBase
    step(config=settings)
    assert caplog.text == ""


def test_the_outputs_of_a_graded_cell_stay():
    report = v4.new_output("execute_result", data={"text/plain": "1"})
    assert kept(v4.new_code_cell("check()", metadata=graded(), outputs=[report])) == [report]


def test_other_outputs_are_dropped():
    printed = v4.new_output("stream", name="stdout", text="0.25")
    assert kept(v4.new_code_cell("print(seen)", outputs=[printed])) == []


def test_of_an_error_its_type_stays_and_its_message_does_not():
    (output,) = kept(v4.new_code_cell("x", outputs=[error("SyntaxError")]))
    assert "SyntaxError" in output.evalue
    assert "0.25" not in str(output)


def test_a_type_of_the_learners_own_is_not_named():
    (output,) = kept(v4.new_code_cell("x", outputs=[error("0.25")]))
    assert "0.25" not in str(output)


def test_what_was_said_of_a_stopped_cell_stays():
    stopped = error("x")
    assert kept(v4.new_code_cell("x", metadata={STOPPED_KEY: True}, outputs=[stopped])) == [stopped]


def test_nbgraders_comment_is_translated_and_a_graders_stays():
    for comment, said in {"No response.": "没有作答。", "很好": "很好"}.items():
        nb = v4.new_notebook(cells=[v4.new_markdown_cell("x", metadata=graded(comment=comment))])
        assert TranslateComments().preprocess(nb, {})[0].cells[0].metadata.nbgrader.comment == said
