"""The chapter's five scripts run as the chapter says, from a copy of the project, and do what it promises."""

import os
import re
import runpy
import shutil
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from PIL import Image

from tests.notebooks.reading import PICTURE_TOLERANCE
from tools.build.section import ROOT

PICTURES = {
    "self_attention.py": ["ch04_self_attention.png"],
    "positional_encoding.py": ["ch04_positional_encoding.png"],
    "scaled_attention_demo.py": ["ch04_scaled_attention.png"],
    "causal_mask_demo.py": ["ch04_causal_mask.png"],
    "graph_theory_demo.py": ["ch04_graph_theory.png", "ch04_attention_graph.png"],
}
FOLDER = "docs/pictures"
WARNINGS_ARE_ERRORS = ("-W", "error::UserWarning", "-W", "error::RuntimeWarning")  # such as a missing glyph
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
script = pytest.mark.parametrize("script", PICTURES)


def numbers(text):
    return [float(number) for number in NUMBER.findall(text)]


def lines(text, beginning):
    return [line.strip() for line in text.splitlines() if line.strip().startswith(beginning)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Return a folder with what the scripts need of the project, and nothing that they have written before."""
    folder = tmp_path_factory.mktemp("clone")
    for part in ("helpers", "code"):
        shutil.copytree(ROOT / part, folder / part)
    return folder


@pytest.fixture(scope="module")
def run(clone):
    """Return a function that runs a script as the chapter prints the command, by a Python that has no helpers."""

    def run(script, *arguments, environment=()):
        names = ("PATH", "HOME", "LD_LIBRARY_PATH", "MPLCONFIGDIR")
        alone = {name: os.environ[name] for name in names if name in os.environ} | {"PYTHONUTF8": "1"}
        command = [sys.executable, *WARNINGS_ARE_ERRORS, f"code/ch04_transformer/{script}", *map(str, arguments)]
        return subprocess.run(
            command, cwd=clone, env=alone | dict(environment), capture_output=True, text=True, encoding="utf-8"
        )

    return run


@pytest.fixture(scope="module")
def printed(clone, run):
    """Return what each script prints when it is run without any option, by its name."""
    results = {script: run(script) for script in PICTURES}
    assert {script: result.stderr for script, result in results.items() if result.stderr or result.returncode} == {}
    return {script: result.stdout for script, result in results.items()}


def test_the_chapters_commands_write_exactly_the_six_pictures_and_say_where(clone, printed):
    written = {str(path.relative_to(clone)) for path in (clone / "docs").rglob("*") if path.is_file()}
    assert written == {f"{FOLDER}/{name}" for names in PICTURES.values() for name in names}
    for name, names in PICTURES.items():
        assert lines(printed[name], "图片：") == [f"图片：{clone / FOLDER / picture}" for picture in names]


@script
def test_the_pictures_in_the_tree_are_those_that_the_script_draws(clone, printed, script):
    for name in PICTURES[script]:
        fresh, stored = (pixels(folder / FOLDER / name) for folder in (clone, ROOT))
        assert fresh.shape == stored.shape, f"run `python code/ch04_transformer/{script}`"
        assert np.sqrt(np.mean((fresh - stored) ** 2)) <= PICTURE_TOLERANCE, f"run code/ch04_transformer/{script}"


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGBA"), dtype=float)


@pytest.fixture
def call(clone, monkeypatch, capsys):
    """Return a function that runs a script in this process, to save the time of starting another."""

    def call(script, *arguments):
        folder = clone / "code" / "ch04_transformer"
        monkeypatch.chdir(clone)
        monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
        monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
        monkeypatch.delitem(sys.modules, "command_line", raising=False)
        try:
            runpy.run_path(str(folder / script), run_name="__main__")
            code = 0
        except SystemExit as stop:
            code = stop.code
        sys.modules.pop("command_line", None)
        return code, *capsys.readouterr()

    return call


@script
def test_a_second_run_writes_the_same_bytes_elsewhere_and_prints_the_same(clone, call, printed, script, tmp_path):
    code, output, errors = call(script, "--output-dir", tmp_path / "made" / "for it")
    assert (code, errors) == (0, "")
    for name in PICTURES[script]:
        assert (tmp_path / "made" / "for it" / name).read_bytes() == (clone / FOLDER / name).read_bytes()
    assert without_paths(output) == without_paths(printed[script])


def without_paths(text):
    return [line for line in text.splitlines() if not line.startswith("图片：")]


@script
def test_another_seed_prints_other_numbers_and_dpi_sets_the_size(call, printed, script, clone, tmp_path):
    _, output, _ = call(script, "--output-dir", tmp_path, "--seed", 3, "--dpi", 50)
    assert without_paths(output) != without_paths(printed[script])
    for name in PICTURES[script]:
        small, usual = pixels(tmp_path / name), pixels(clone / FOLDER / name)
        np.testing.assert_allclose(np.array(small.shape[:2]) * 4, usual.shape[:2], atol=4)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--output-dir", "helpers/style.py"], "--output-dir helpers/style.py：不能在这里写文件"),
        (["--output-dir", "helpers/style.py/below"], "--output-dir helpers/style.py/below：不能在这里写文件"),
        (["--dpi", "0"], "应为 40 到 1200 之间的整数，得到 0"),
        (["--dpi", "sharp"], "应为 40 到 1200 之间的整数，得到 sharp"),
        (["--seed", "-1"], "应为不小于 0 的整数，得到 -1"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_with_exit_code_2(call, arguments, complaint):
    code, output, errors = call("self_attention.py", *arguments)
    assert (code, output) == (2, "")
    assert complaint in errors


def test_a_picture_that_cannot_be_written_is_said_in_a_sentence_with_exit_code_2(call, tmp_path):
    (tmp_path / "ch04_self_attention.png").mkdir()
    code, _, errors = call("self_attention.py", "--output-dir", tmp_path, "--dpi", 40)
    assert code == 2
    assert f"--output-dir {tmp_path}：不能在这里写文件" in errors


def test_a_folder_that_cannot_be_made_ends_the_program_without_a_stack_trace(run):
    result = run("causal_mask_demo.py", "--output-dir", "helpers/style.py")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_show_opens_each_picture_with_the_systems_viewer(run, tmp_path):
    viewer = tmp_path / "viewer.py"
    viewer.write_text(f"import sys\nopen({str(tmp_path / 'seen.txt')!r}, 'a').write(sys.argv[1] + '\\n')")
    browser = {"BROWSER": f"{sys.executable} {viewer} %s"}
    run("graph_theory_demo.py", "--output-dir", tmp_path, "--dpi", 40, "--show", environment=browser)
    expected = [(tmp_path / name).as_uri() for name in PICTURES["graph_theory_demo.py"]]
    assert (tmp_path / "seen.txt").read_text().split() == expected


def test_without_numpy_a_script_says_what_to_install(clone):
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys; sys.path.insert(0, sys.argv[1]); import command_line"]
        + [str(clone / "code" / "ch04_transformer")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONUTF8": "1"},
    )
    assert result.returncode == 1
    assert result.stderr.startswith("缺少 numpy matplotlib。")
    assert "make lab" in result.stderr


def test_help_is_in_chinese_and_names_the_folder(call):
    _, text, _ = call("causal_mask_demo.py", "--help")
    assert "因果掩码（图 4.4）" in text
    assert "默认：项目里的 docs/pictures" in text


def test_self_attention_prints_weights_distribution_and_pattern(printed):
    text = printed["self_attention.py"]
    rows = [line for line in text.splitlines() if "最看" in line]
    assert len(rows) == 8
    (wing,) = lines(text, "飞：")
    assert "最看“小鸟”" in wing
    (distribution,) = lines(text, "权重的分布：")
    assert numbers(distribution)[:3] == [64, 0.125, 1]
    weights = self_attention_weights()
    expected = [round(np.median(weights), 3), round(weights.max(), 2), round(100 * (weights < 1 / 8).mean())]
    assert numbers(distribution)[4:7] == expected
    (pattern,) = lines(text, "模式：")
    itself, earlier = np.trace(weights) / 8, np.tril(weights, -1).sum() / 8
    assert numbers(pattern)[:3] == [round(100 * part) for part in (itself, earlier, 1 - itself - earlier)]
    assert numbers(pattern)[3] == sum(row.max() > 0.5 for row in weights)
    tops = [numbers(row) for row in rows]
    assert [top for top, _ in tops] == [round(row.max(), 2) for row in weights]
    assert [n for _, n in tops] == [round(np.exp(-(row * np.log(row)).sum()), 1) for row in weights]


def self_attention_weights():
    """Return the weights of the sentence, computed entry by entry."""
    looks_or_is = {0: (0, 3), 1: (2, 2), 2: (3, 2), 3: (1, 3), 5: (2, 2), 6: (2, 1)}  # word: column, value
    x = np.zeros((8, 4))
    for word, (column, value) in looks_or_is.items():
        x[word, column] = value
    x = x + 0.3 * np.random.default_rng(0).standard_normal((8, 4))
    exps = [[np.exp((a[2] * b[0] + a[3] * b[1]) / 2**0.5) for b in x] for a in x]
    return np.array([[e / sum(row) for e in row] for row in exps])


def test_positional_encoding_prints_periods_and_similarity_of_neighbours(printed):
    text = printed["positional_encoding.py"]
    for line in lines(text, "第"):
        pair, period, _, turns = numbers(line)
        expected = 2 * np.pi * 10000 ** (2 * pair / 64)
        assert (period, turns) == (round(expected, 1), round(64 / expected, 2))
    apart = [numbers(line) for line in lines(text, "相隔")]
    assert [distance for distance, _ in apart] == [1, 2, 4, 8, 16, 32]
    for distance, cosine in apart:
        assert cosine == round(np.mean([np.cos(distance * 10000 ** (-2 * i / 64)) for i in range(32)]), 3)
    assert text.count("从哪里数起都一样：是") == 6


def test_scaled_attention_prints_both_spreads_and_how_sharp_softmax_is(printed):
    rows = [numbers(line) for line in printed["scaled_attention_demo.py"].splitlines() if re.match(r"\s*\d", line)]
    spreads, sharpness = rows[:11], rows[11:]
    assert [row[0] for row in spreads] == [row[0] for row in sharpness] == [2**power for power in range(11)]
    for d_k, root, raw, scaled in spreads:
        assert root == round(d_k**0.5, 2)
        assert raw == pytest.approx(root, rel=0.1)
        assert scaled == pytest.approx(1, rel=0.1)
    top_raw, top_scaled, entropy_raw, entropy_scaled = np.array(sharpness)[:, 1:].T
    assert (np.diff(top_raw) > 0).all()
    assert (np.diff(entropy_raw) < 0).all()
    assert top_raw[-1] > 0.95 > 0.4 > top_scaled.max()
    assert entropy_raw[-1] < 0.1 < 1.9 < entropy_scaled.min()


def test_the_causal_mask_prints_what_each_word_sees(printed):
    text = printed["causal_mask_demo.py"]
    words = ["今天", "天气", "真", "好", "我们", "出门"]
    weights = two_way_weights(n=6, d=8)
    for i, word in enumerate(words):
        (line,) = lines(text, f"{word}：")
        assert f"看得见 {'、'.join(words[: i + 1])}（{i + 1} / 6）" in line
        assert numbers(line)[2:] == [round(weights[i, i + 1 :].sum(), 2), 0]
    assert lines(text, "双向：") == [f"双向：{'、'.join(words)}（6 个）"]
    assert lines(text, "因果掩码：") == ["因果掩码：出门（1 个）"]


def two_way_weights(n, d):
    """Return the weights of the script's random words when all may be looked at, computed entry by entry."""
    rng = np.random.default_rng(0)
    x = 1.5 * rng.standard_normal((n, d))
    w_q, w_k, _ = rng.standard_normal((3, d, d)) / d**0.5
    exps = [[np.exp(sum(a @ w_q * (b @ w_k)) / d**0.5) for b in x] for a in x]
    return np.array([[e / sum(row) for e in row] for row in exps])


def test_graph_theory_prints_distances_components_and_the_strongest_edges(printed):
    text = printed["graph_theory_demo.py"]
    friends = nx.Graph(["安北", "安晨", "北东", "晨东", "东恩", "方果"])
    reached = nx.single_source_shortest_path_length(friends, "安")
    (distances,) = lines(text, "从安安出发的距离")
    for name in friends:
        assert f"{name * 2} {reached.get(name, '到不了')}" in distances
    (components,) = lines(text, "连通分量")
    assert numbers(components) == [nx.number_connected_components(friends)]
    strongest = [float(line.split("：")[-1]) for line in text.splitlines() if "→" in line]
    assert len(strongest) == 6
    assert strongest == sorted(strongest, reverse=True)
    assert strongest[-1] >= 0.3
    assert "她 → 小红" in text


def test_every_picture_is_shown_in_the_readmes_with_its_command():
    for readme in ("README.md", "README.zh-CN.md"):
        text = (ROOT / readme).read_text(encoding="utf-8")
        for name, pictures in PICTURES.items():
            assert f"python code/ch04_transformer/{name}" in text
            for picture in pictures:
                assert f"]({FOLDER}/{picture})" in text
