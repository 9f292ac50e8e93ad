"""What the chapter's scripts share: `--output-dir`, `--show`, `--dpi`, `--seed`, and writing the pictures.

Import it before anything else: it puts the project's folder on the path, so that a fresh clone needs no installation
of its own, and says what to do when a package is missing.
"""

import argparse
import importlib.util
import sys
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"  # where the READMEs show them from
NEEDED = ("numpy", "matplotlib")
DPI = 200  # 1,400 pixels across a figure of 7 inches: 300 to the inch when it is printed 12 cm wide
LOWEST_DPI, HIGHEST_DPI = 40, 1200

HELP = {
    "output_dir": "图片写到哪个文件夹，没有就新建（默认：项目里的 docs/pictures）",
    "show": "写好之后，用系统的看图程序打开图片",
    "dpi": f"每英寸多少点，{LOWEST_DPI} 到 {HIGHEST_DPI}（默认：{DPI}）",
    "seed": "随机数的种子，不小于 0（默认：{}）",
}
MISSING_PACKAGES = (
    "缺少 {packages}。先在项目的文件夹里运行 make lab，再激活它建好的环境（source .venv/bin/activate）；"
    "或者运行 {python} -m pip install {packages}"
)
NOT_A_FOLDER = "--output-dir {folder}：不能在这里写文件（{reason}）"
NOT_IN_RANGE = "应为 {lowest} 到 {highest} 之间的整数，得到 {text}"
TOO_SMALL = "应为不小于 0 的整数，得到 {text}"
WRITTEN = "图片：{path}"
NO_VIEWER = "没有找到能打开图片的程序，请自己打开上面的文件。"


def prepare():
    """Put the project's folder on the path, and stop with a sentence if a package is missing."""
    sys.path.insert(0, str(ROOT))
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(MISSING_PACKAGES.format(packages=" ".join(missing), python=Path(sys.executable).name))


def options(description, seed=0, arguments=None):
    """Read the command line; what cannot be done ends the program with a sentence and exit code 2.

    Parameters
    ----------
    description : str
        What `--help` says first.
    seed : int
        Used when the command line names none.
    arguments : list of str, optional
        In place of the command line.

    Returns
    -------
    argparse.Namespace
        `output_dir` (it exists), `show`, `dpi`, `seed`.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--output-dir", type=Path, default=PICTURES, help=HELP["output_dir"])
    parser.add_argument("--show", action="store_true", help=HELP["show"])
    parser.add_argument("--dpi", type=_dpi, default=DPI, help=HELP["dpi"])
    parser.add_argument("--seed", type=_seed, default=seed, help=HELP["seed"].format(seed))
    chosen = parser.parse_args(arguments)
    try:
        chosen.output_dir.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        parser.error(NOT_A_FOLDER.format(folder=chosen.output_dir, reason=problem.strerror))
    return chosen


def write(picture, name, chosen):
    """Write a picture as `name` into the folder chosen, say where it went, and open it if that was asked for."""
    path = chosen.output_dir / name
    try:
        path.write_bytes(picture.png(dpi=chosen.dpi))
    except OSError as problem:
        print(NOT_A_FOLDER.format(folder=chosen.output_dir, reason=problem.strerror), file=sys.stderr)
        sys.exit(2)
    print(WRITTEN.format(path=path))
    if chosen.show and not webbrowser.open(path.resolve().as_uri()):
        print(NO_VIEWER)


def _dpi(text):
    if not text.isdecimal() or not LOWEST_DPI <= int(text) <= HIGHEST_DPI:
        raise argparse.ArgumentTypeError(NOT_IN_RANGE.format(lowest=LOWEST_DPI, highest=HIGHEST_DPI, text=text))
    return int(text)


def _seed(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(TOO_SMALL.format(text=text))
    return int(text)


prepare()
