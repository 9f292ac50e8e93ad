"""Tang poems as token ids: fetch them from the npm package, keep the regular ones, split them, number the characters.

Source of the texts: the npm package `chinese-poetry` 2.0.1 (MIT), its collection of all Tang poems. Characters are
simplified with OpenCC.
"""

import base64
import hashlib
import json
import re
import subprocess
import tarfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.reference.tiny_gpt import END, PUNCTUATION, START, UNKNOWN

PACKAGE = "chinese-poetry@2.0.1"
INTEGRITY = "sha512-KtYARvV7CWNtax0na9+Jn6PlhGgSoid7PWyDzXI4KsCEm2odZcqEQyval5koaLygZnM/EQ3lfJ//25K8p3uHNg=="
TANG = re.compile(r"package/dist/quantangshi/poet\.tang\.\d+\.json")
LICENCE = "package/LICENSE"

NOTES = re.compile(r"（.*?）|\(.*?\)|\[.*?\]|〖.*?〗|\{.*?\}|《.*?》")
LINE_ENDS = re.compile("[，。！？；、]")
CHINESE_LINE = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]+")
LINE_LENGTHS, LINE_COUNTS = (5, 7), (4, 8)

SPECIAL = (START, END, UNKNOWN, *PUNCTUATION)
# Simplified characters that hardly any font has, and the traditional ones that OpenCC makes them from.
IN_FONTS = str.maketrans("𫏐𣃁𫛶𦶟𫛳", "蹔斸鶒爇鵩")
COVERAGE = 0.99
HELD_OUT_SHARE = 0.05
SHARED_LINES = 2  # a held-out poem that has so many lines of a training poem is a variant of it


class Corpus(NamedTuple):
    """Poems as strings of lines with their punctuation, and the characters that have a number."""

    training: list[str]
    held_out: list[str]
    symbols: str  # position = token id; `SPECIAL` first, then characters, the most frequent first


def fetch(folder):
    """Download the package by its name into a folder, unless it is there, and return the archive's path.

    Raises
    ------
    ValueError
        If the archive is not the one whose hash stands in `INTEGRITY`.
    """
    name, version = PACKAGE.split("@")
    path = Path(folder, f"{name}-{version}.tgz")
    if not path.exists():
        subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True)
    found = "sha512-" + base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    if found != INTEGRITY:
        raise ValueError(f"{path} has the hash {found}, not that of {PACKAGE}: delete it and start again")
    return path


def read(archive):
    """Return all Tang poems in an archive, each as one string, in the order of their files, and the licence's text."""
    poems = {}
    with tarfile.open(archive) as package:
        for member in package:
            if TANG.fullmatch(member.name):
                content = json.load(package.extractfile(member))
                poems[member.name] = ["".join(poem["paragraphs"]) for poem in content]
            elif member.name == LICENCE:
                licence = package.extractfile(member).read().decode()
    return [poem for name in sorted(poems) for poem in poems[name]], licence


def regular(poem):
    """Return a poem's lines, or None unless it has 4 or 8 lines of 5 or of 7 Chinese characters each.

    Examples
    --------
    >>> regular("床前明月光，疑是地上霜。举头望明月，低头思故乡。")
    ['床前明月光', '疑是地上霜', '举头望明月', '低头思故乡']
    """
    lines = [line for line in LINE_ENDS.split(NOTES.sub("", poem)) if line.strip()]
    lengths = {len(line) for line in lines}
    fits = len(lines) in LINE_COUNTS and len(lengths) == 1 and lengths <= set(LINE_LENGTHS)
    return lines if fits and all(map(CHINESE_LINE.fullmatch, lines)) else None


def punctuated(lines):
    """Join lines, a comma after each odd one and a full stop after each even one.

    Examples
    --------
    >>> punctuated(["床前明月光", "疑是地上霜"])
    '床前明月光，疑是地上霜。'
    """
    return "".join(line + PUNCTUATION[number % 2] for number, line in enumerate(lines))


def corpus(raw_poems):
    """Clean poems, leave out what occurs twice, split them and choose the characters that get a number.

    Parameters
    ----------
    raw_poems : list of str
        As the package has them, in traditional characters.

    Returns
    -------
    Corpus
    """
    import opencc  # needed by nothing else here, so that everything else can be tested without it

    simplify = opencc.OpenCC("t2s").convert
    kept = (regular(simplify(poem)) for poem in raw_poems)
    poems = sorted({tuple(lines) for lines in kept if lines is not None})
    training = [lines for lines in poems if not is_held_out(lines)]
    known = {line for lines in training for line in lines}
    held_out = [lines for lines in poems if is_held_out(lines) and sum(map(known.__contains__, lines)) < SHARED_LINES]
    counts = Counter(character for lines in training for line in lines for character in line)
    symbols = "".join([*SPECIAL, *most_frequent(counts, COVERAGE)])
    texts = ([punctuated(lines).translate(IN_FONTS) for lines in part] for part in (training, held_out))
    return Corpus(*texts, symbols.translate(IN_FONTS))


def is_held_out(lines):
    """Decide by a hash of the first line, so that variants of one poem, and a run elsewhere, are split alike."""
    digest = hashlib.sha256(lines[0].encode()).digest()
    return int.from_bytes(digest[:4]) < HELD_OUT_SHARE * 2**32


def most_frequent(counts, coverage):
    """Return the fewest characters that make up at least this share of all, the most frequent first."""
    ordered = sorted(counts, key=lambda character: (-counts[character], character))
    shares = np.cumsum([counts[character] for character in ordered]) / counts.total()
    return ordered[: int(np.searchsorted(shares, coverage)) + 1]
