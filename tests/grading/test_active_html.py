import pytest
from nbformat import v4

from grading.active_html import NOT_SHOWN, ShowActiveHtmlAsText, is_active
from helpers.checks import check

ACTIVE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="java\nscript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    "<iframe src='https://example.org'></iframe>",
    "<svg onload=alert(1)>",
    "<form action='/'><input name=x></form>",
    "<style>body{display:none}</style>",
    '<p style="position:fixed">x</p>',
    '<p style="background:url(https://example.org)">x</p>',
    "<p onclick=alert(1)>x</p>",
)


def shown(cell):
    nb = v4.new_notebook(cells=[cell])
    return ShowActiveHtmlAsText().preprocess(nb, {})[0].cells[0]


@pytest.mark.parametrize("html", ACTIVE)
def test_active_html_is_recognised(html):
    assert is_active(html)


@pytest.mark.parametrize("html", ACTIVE)
def test_active_html_in_prose_is_shown_as_text(html):
    source = shown(v4.new_markdown_cell(f"前\n\n{html}\n\n```\n代码\n```")).source
    assert source.startswith("（")
    assert html in source
    assert source.count("````") == 2  # a fence that the text itself does not close


@pytest.mark.parametrize(
    "source",
    [
        "# 标题\n\n> 引文 $a < b$，`x < y`\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "<details><summary>自查要点</summary>\n\n- 一\n\n</details>",
        "[链接](https://example.org) <img src='data:image/png;base64,AA==' width=20>",
    ],
)
def test_prose_stays_as_it_is(source):
    assert shown(v4.new_markdown_cell(source)).source == source


def test_a_pasted_picture_stays_and_a_missing_one_does_not_end_the_feedback():
    source, picture = "![](attachment:x.png)", {"x.png": {"image/png": "AA=="}}
    assert shown(v4.new_markdown_cell(source, attachments=picture)).source == source
    assert "缺少图片" in shown(v4.new_markdown_cell(source)).source


def test_a_raw_cell_cannot_put_html_into_the_page():
    cell = shown(v4.new_raw_cell("<script>alert(1)</script>"))
    assert cell.cell_type == "markdown"
    assert cell.source.startswith("```")


def test_outputs_lose_what_could_act_and_keep_the_rest():
    data = {"text/html": ACTIVE[0], "application/javascript": "alert(1)", "image/svg+xml": "<svg>", "text/plain": "x"}
    outputs = [v4.new_output("display_data", data=data), v4.new_output("display_data", data={"text/html": ACTIVE[1]})]
    kept = shown(v4.new_code_cell("x", outputs=outputs)).outputs
    assert kept[0].data == {"text/plain": "x"}
    assert kept[1].data == {"text/plain": NOT_SHOWN}


def test_the_report_of_a_check_stays():
    html = check("attention.softmax", lambda scores: scores)._repr_html_()
    output = v4.new_output("execute_result", data={"text/html": html, "text/plain": "0"})
    assert shown(v4.new_code_cell("x", outputs=[output])).outputs[0].data["text/html"] == html
