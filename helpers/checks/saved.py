"""How far the whole chapter has come, read from what the sections' notebooks have saved: `chapter_progress()`.

Each notebook runs in a process of its own, so no notebook sees another's answers. What a check said is stored in the
notebook's file, as its output, when it is saved; that is read here, and nothing is written anywhere.
"""

import html
import json
import re
from dataclasses import dataclass
from pathlib import Path

from helpers.checks.catalogue import exercises

SECTIONS = {  # by the part of the exercises' ids before the dot
    "attention": "4.1 自注意力机制",
    "multihead": "4.2 多头注意力",
    "positions": "4.3 位置编码",
    "architecture": "4.4 完整架构",
    "variants": "扩展：注意力机制变种",
    "vectors": "扩展：向量空间基础",
    "graphs": "扩展：图论基础",
    "tinygpt": "扩展：打开一个真实的小模型",
}
HEADINGS = ("节", "做对", "得分")
NOT_FOUND = "没有找到它的 notebook"
TOTAL = "合计"
NOTE = "读的是同一文件夹里各节 notebook 最近一次保存的结果：先保存那一节，再运行这一格。书面题由人来评，不在其中。"
NOTHING_FOUND = (
    "旁边没有各节的 notebook：在 Colab 里就是这样，每个 notebook 在自己的机器上运行，互相看不见。"
    "请看各节末尾自己的进度表。"
)
CHECK_CALL = re.compile(r"""^check\(["']([\w.]+)["'],""", re.MULTILINE)


@dataclass(frozen=True)
class ChapterProgress:
    """A table of sections: rows of (title, found, done, n_exercises, points, max_points)."""

    rows: tuple[tuple[str, bool, int, int, float, float], ...]

    @property
    def note(self):
        """Where the numbers come from, or why there are none."""
        return NOTE if any(found for _, found, *_ in self.rows) else NOTHING_FOUND

    def _texts(self):
        """Return the table's cells, the total last."""
        lines = [
            (title, f"{done} / {n}", f"{points:g} / {most:g}") if found else (title, NOT_FOUND, f"{most:g}")
            for title, found, done, n, points, most in self.rows
        ]
        done, n, points, most = (sum(column) for column in list(zip(*self.rows, strict=True))[2:])
        return [*lines, (TOTAL, f"{done} / {n}", f"{points:g} / {most:g}")]

    def __repr__(self):
        table = ["　".join(line) for line in (HEADINGS, *self._texts())]
        return "\n".join([*table, self.note])

    def _repr_html_(self):
        head = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in line) + "</tr>" for line in self._texts()
        )
        return f"<table><tr>{head}</tr>{body}</table><p>{self.note}</p>"


def chapter_progress(folder="."):
    """Show how far every section has come, from the notebooks that are saved beside this one.

    Parameters
    ----------
    folder : str or Path
        Where the sections' folders `ch04_…` are.

    Returns
    -------
    ChapterProgress
    """
    saved = saved_points(folder)
    return ChapterProgress(tuple(_row(section, saved) for section in SECTIONS if _exercises_of(section)))


def saved_points(folder="."):
    """Return what the checks said when the notebooks were last saved; of several copies the best counts.

    Parameters
    ----------
    folder : str or Path

    Returns
    -------
    points : dict of str to float
        By exercise id. A check that was never run counts 0; one that stands in no notebook is missing.
    """
    best = {}
    for path in sorted(Path(folder).glob("ch04_*/*.ipynb")):
        for id_, points in _points_in(path):
            best[id_] = max(points, best.get(id_, 0.0))
    return best


def _points_in(path):
    """Return (exercise id, points) for each check in a notebook; a file that is no notebook has none."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        calls = [(CHECK_CALL.search("".join(cell["source"])), cell["outputs"]) for cell in code]
        return [(call.group(1), _shown_points(outputs)) for call, outputs in calls if call]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _shown_points(outputs):
    """Return the number that a report leaves as plain text, 0 where there is none."""
    texts = ["".join(output.get("data", {}).get("text/plain", "")) for output in outputs]
    numbers = [float(text) for text in texts if re.fullmatch(r"\d+(\.\d+)?", text)]
    return numbers[-1] if numbers else 0.0


def _exercises_of(section):
    return [exercise for exercise in exercises().values() if exercise.id.split(".")[0] == section]


def _row(section, saved):
    chosen = _exercises_of(section)
    points = [min(saved.get(exercise.id, 0.0), exercise.points) for exercise in chosen]
    done = sum(reached == exercise.points for reached, exercise in zip(points, chosen, strict=True))
    found = any(exercise.id in saved for exercise in chosen)
    most = sum(exercise.points for exercise in chosen)
    return SECTIONS[section], found, done, len(chosen), round(sum(points), 2), most
