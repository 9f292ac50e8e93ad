"""Show HTML that could act (scripts, frames, forms) as text: graders and learners open submissions in a browser."""

import functools
import re

import bleach
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath
from nbformat import from_dict, v4
from nbgrader.preprocessors import NbGraderPreprocessor

SHOWN_AS_TEXT = "（下面的内容含有会在浏览器里运行的 HTML，或缺少图片，只按文字显示。）"
NOT_SHOWN = "（这里的输出含有会在浏览器里运行的 HTML，没有显示。）"

TAGS = frozenset(
    """
    a abbr b blockquote br code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li
    mark ol p pre s small span strong sub summary sup table tbody td tfoot th thead tr u ul var
    """.split()  # noqa: SIM905 (a list literal would take 40 lines)
)
ATTRIBUTES = frozenset(
    """
    align alt class colspan dir height id lang open rowspan scope start style title width
    """.split()  # noqa: SIM905
)
ADDRESSES = frozenset({"href", "src"})
SAFE_ADDRESS = re.compile(r"(https?:|mailto:|attachment:|data:image/(png|jpeg|gif);|[^:]*$)", re.IGNORECASE)
UNSAFE_STYLE = re.compile(r"url|expression|position|[@\\]", re.IGNORECASE)
INACTIVE_TYPES = frozenset({"text/plain", "text/latex", "image/png", "image/jpeg", "application/json"})


class ShowActiveHtmlAsText(NbGraderPreprocessor):
    """Keep what is harmless as it is; show a cell that is not as its own text."""

    def preprocess_cell(self, cell, resources, cell_index):
        """Look at the text of prose, and at the outputs of code."""
        if cell.cell_type == "code":
            cell.outputs = [self._harmless(output) for output in cell.outputs]
        elif cell.cell_type == "raw":  # goes into the page as it is
            cell = v4.new_markdown_cell(_as_text(cell.source), metadata=cell.metadata, id=cell.id)
        elif _is_active_markdown(cell.source, cell.get("attachments", {})):
            self.log.warning("Cell %d holds active HTML, or lacks a picture; shown as text", cell_index)
            cell.source = f"{SHOWN_AS_TEXT}\n\n{_as_text(cell.source)}"
        return cell, resources

    def _harmless(self, output):
        if output.output_type not in ("display_data", "execute_result"):
            return output
        kept = {key: value for key, value in output.data.items() if _is_harmless(key, value)}
        output.data = from_dict(kept or {"text/plain": NOT_SHOWN})
        return output


@functools.lru_cache(maxsize=4096)  # most of a class's text is the lesson's, the same in every submission
def is_active(html):
    """Say whether HTML holds anything but formatting.

    Examples
    --------
    >>> is_active('<p style="color:red">1 &lt; 2</p>')
    False
    >>> is_active('<img src="x" onerror="alert(1)">')
    True
    """
    refused = []

    def allow(tag, name, value):
        allowed = _attribute_is_inactive(name, value)
        refused.extend([] if allowed else [name])
        return allowed

    # Tags outside the list are escaped in the one and removed in the other.
    escaped, stripped = (bleach.clean(html, tags=TAGS, attributes=allow, strip=strip) for strip in (False, True))
    return escaped != stripped or bool(refused)


def _is_active_markdown(source, attachments):
    """Say whether prose must be shown as text; a missing picture would leave the learner without any feedback."""
    return _is_active_prose(source) if not attachments else _is_active_with(source, attachments)


@functools.lru_cache(maxsize=4096)
def _is_active_prose(source):
    return _is_active_with(source, {})


def _is_active_with(source, attachments):
    renderer = IPythonRenderer(escape=False, attachments=attachments)
    try:
        return is_active(MarkdownWithMath(renderer=renderer).render(source))
    except InvalidNotebook:
        return True


def _attribute_is_inactive(name, value):
    if name in ADDRESSES:
        return bool(SAFE_ADDRESS.match(value))
    if name == "style":
        return not UNSAFE_STYLE.search(value)
    return name in ATTRIBUTES or name.startswith("aria-")


def _is_harmless(mime_type, value):
    if mime_type == "text/html":
        return not is_active(value)
    if mime_type == "text/markdown":
        return not _is_active_markdown(value, {})
    return mime_type in INACTIVE_TYPES


def _as_text(source):
    longest = max((len(run) for run in re.findall("`+", source)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{source}\n{fence}"
