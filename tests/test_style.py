"""The bundled font covers what the project says, its tool makes exactly these bytes, and pictures are reproducible."""

import ast
import itertools
import unicodedata
import warnings
from types import SimpleNamespace

import matplotlib
import pytest
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from helpers.style import FONT_FAMILY, FONT_PATH, Picture, register_font, styled

REBUILD = "run `python -m tools.make_font` and commit the font that it writes"
ROOT = FONT_PATH.parent.parent.parent


def characters_of(font_path):
    return {chr(code) for code in FT2Font(str(font_path)).get_charmap()}


def string_constants(source):
    return "".join(node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)
                   and isinstance(node.value, str))  # fmt: skip


def drawable(text):
    """Characters that take ink in a figure; colour emoji and the like are the browser's business."""
    return {c for c in text if not c.isascii() and c.isprintable() and not c.isspace() and not is_emoji(c)}


def is_emoji(character):
    return unicodedata.category(character) == "So" and not "\u2460" <= character <= "\u25ff"  # ① to ◿ are drawn


def texts_of_the_project():
    sources = [path for folder in ("helpers", "code") for path in (ROOT / folder).rglob("*.py")]
    texts = [*(ROOT / "lessons").glob("*.md"), *(ROOT / "helpers" / "models").glob("*.*")]
    texts = [path for path in texts if path.suffix != ".npz"]
    yield from ((path, string_constants(path.read_text(encoding="utf-8"))) for path in sources)
    yield from ((path, path.read_text(encoding="utf-8")) for path in texts)


def missing(text):
    dejavu = font_manager.findfont("DejaVu Sans", fallback_to_default=False)
    return drawable(text) - characters_of(FONT_PATH) - characters_of(dejavu)


def test_every_character_that_the_project_says_is_in_the_font():
    uncovered = {str(path.relative_to(ROOT)): "".join(sorted(missing(text))) for path, text in texts_of_the_project()}
    uncovered = {path: characters for path, characters in uncovered.items() if characters}
    assert not uncovered, f"characters without a glyph: {uncovered}; {REBUILD}"


def test_no_figure_uses_emoji_that_only_a_browser_draws():
    drawn = [text for path, text in texts_of_the_project() if {"figures", "widgets", "code"} & set(path.parts)]
    assert len(drawn) > 5
    assert not [character for character in "".join(drawn) if is_emoji(character)]


def test_a_rare_character_would_be_noticed():
    assert missing("注意力㐀") == {"㐀"}


def test_minus_greek_roots_and_chinese_mathtext_draw_without_a_missing_glyph():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)  # old matplotlib on new pyparsing
        write("−1 αβγδλσΣ √d_k q·k kᵀ × ÷ ≤ ≠ → ● d² 熵", r"维数 $d_k$，$\sqrt{d_k}$，$-\alpha$").png()


@pytest.fixture
def without_its_own_fonts(monkeypatch):
    """Take matplotlib's own fonts from its list, as it is where an environment was deleted while it ran."""
    manager = font_manager.fontManager
    kept = [font for font in manager.ttflist if not font.fname.startswith(matplotlib.get_data_path())]
    assert len(kept) < len(manager.ttflist)
    with monkeypatch.context() as changes:
        changes.setattr(manager, "ttflist", kept)
        register_font.cache_clear()
        manager._findfont_cached.cache_clear()
        yield
    register_font.cache_clear()
    manager._findfont_cached.cache_clear()


@pytest.mark.usefixtures("without_its_own_fonts")
def test_formulas_are_drawn_where_matplotlib_has_lost_its_own_fonts(caplog):
    write(r"长度 $10^{-3}$，$\sqrt{d_k}$").png()
    assert not [record.getMessage() for record in caplog.records if record.name == "matplotlib.font_manager"]


def test_a_character_of_neither_font_warns_when_it_is_drawn():
    with pytest.warns(UserWarning, match="missing from font"):
        write("㐀").png()


def test_the_minus_sign_of_an_axis_is_drawn():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)  # old matplotlib on new pyparsing
        picture = Picture(2, 2, "")
        picture.subplots().set_xlim(-5, -1)
        picture.png()
        labels = [label.get_text() for label in picture.axes[0].get_xticklabels()]
    assert any(label.startswith("−") for label in labels)


@styled
def write(*lines):
    picture = Picture(4, 1, "")
    for place, line in enumerate(lines):
        picture.text(0.1, 0.2 + 0.4 * place, line)
    return picture


def test_chinese_text_takes_the_bundled_font_first():
    text = write("注意力").texts[0]
    assert text.get_fontfamily()[0] == FONT_FAMILY


def test_a_picture_is_the_same_bytes_every_time_and_says_no_version():
    first, second = (write("权重 0.5").png() for _ in range(2))
    assert first == second
    assert b"matplotlib" not in first.lower()


def test_a_picture_shows_itself_as_an_image_with_its_alternative_text():
    picture = Picture(1, 1, "一幅空图")
    bundle, metadata = picture._repr_mimebundle_()
    assert bundle["text/plain"] == "一幅空图"
    assert metadata["image/png"]["alt"] == "一幅空图"
    assert bundle["image/png"].startswith("iVBORw0KGgo")  # the PNG signature in base64


def test_on_a_busy_machine_nothing_is_said_of_the_time_that_a_legend_takes(monkeypatch):
    seconds = itertools.count(step=2)
    monkeypatch.setattr("matplotlib.legend.time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    picture = Picture(3, 2, "")
    axes = picture.subplots()
    axes.plot([1, 2, 3], label="a")
    axes.legend()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture.png()
        picture.get_tightbbox(picture.canvas.get_renderer())
    assert next(seconds) > 2


def test_the_style_does_not_leak_into_the_learners_own_figures():
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # as in a process that has drawn nothing yet
        register_font.cache_clear()
        before = dict(matplotlib.rcParams)
        write("权重").png()
        assert dict(matplotlib.rcParams) == before


def test_the_font_is_small_and_its_licence_lies_beside_it():
    licence = (FONT_PATH.parent / "OFL.txt").read_text(encoding="utf-8")
    assert FONT_PATH.stat().st_size < 1_500_000
    assert licence.startswith("Copyright 2014-2021 Adobe")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence


def test_the_font_bears_its_own_name_and_keeps_its_copyright():
    ttlib = pytest.importorskip("fontTools.ttLib", reason="fontTools is needed to read the font's names")
    names = ttlib.TTFont(FONT_PATH)["name"]
    titles = [names.getDebugName(name_id) for name_id in (1, 3, 4, 6)]
    assert titles == [FONT_FAMILY, "1.0;ChapterSansSC-Regular", f"{FONT_FAMILY} Regular", "ChapterSansSC-Regular"]
    assert "Adobe" in names.getDebugName(0)
    assert "SIL Open Font License" in names.getDebugName(13)


def test_no_name_in_the_font_is_the_original_one():
    ttlib = pytest.importorskip("fontTools.ttLib", reason="fontTools is needed to read the font's names")
    font = ttlib.TTFont(FONT_PATH)
    top = font["CFF "].cff.topDictIndex[0]
    titles = [record.toUnicode() for record in font["name"].names if record.nameID in (1, 2, 3, 4, 6, 16, 17)]
    titles += [*font["CFF "].cff.fontNames, top.FullName, top.FamilyName, *(part.FontName for part in top.FDArray)]
    assert not [title for title in titles if "Noto" in title or "Source" in title]


def test_the_tool_writes_the_committed_bytes(tmp_path):
    pytest.importorskip("fontTools", reason="fontTools is needed to cut the font")
    from tools import make_font

    if not make_font.SOURCE.exists():
        pytest.skip(f"{make_font.SOURCE} IS NOT INSTALLED (Debian's fonts-noto-cjk): the font was not cut again")
    wanted, committed = make_font.wanted_characters(), characters_of(FONT_PATH)
    again = tmp_path / "again.otf"
    make_font.cut(make_font.SOURCE, committed).save(again)
    assert again.read_bytes() == FONT_PATH.read_bytes(), REBUILD
    left_out = {chr(code) for code in make_font.open_face(make_font.SOURCE).getBestCmap()} & wanted - committed
    assert not left_out, f"{''.join(sorted(left_out))}: {REBUILD}"


def test_the_font_has_the_common_characters():
    assert set("的一是在不了有和人这注意力机制掩码缩放，。：；？！「」（）—…αβλ→≤") <= characters_of(FONT_PATH)
