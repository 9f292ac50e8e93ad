"""The explorers of section 4.1: attention itself, scaling, masks, soft look-up; each function returns an `Explorer`."""

import ipywidgets
import numpy as np

from helpers.figures.attention_views import AttentionView, LookupView, MaskView, ScalingView
from helpers.reference.attention import (
    causal_mask,
    entropy,
    masked_softmax,
    padding_mask,
    reach,
    scores,
    sliding_window_mask,
    soft_lookup,
)
from helpers.reference.scaling import measure_scaling
from helpers.widgets.explorer import Explorer

D_K = "维数 d_k"
MASK = "掩码"
SCALED = "除以 √d_k"
SEQ_LEN = "句子长度"
ROW = "第几行（从 0）"
SEED = "随机种子"
RULE = "规则"
WINDOW = "宽度 w"
CELL_ROW = "行 i（查询）"
CELL_COLUMN = "列 j（键）"
RESET = "恢复成规则"
TEMPERATURE = "温度"
ALLOWED_NAMES = {True: "这一格：允许", False: "这一格：禁止"}

SENTENCE = ["小猫", "追", "着", "老鼠", "因为", "它", "饿", "了", "很", "久"]
PAINTER_SENTENCE = ["小猫", "追", "老鼠", "它", "饿", "了"]
FRUITS = ["西瓜", "草莓", "苹果", "橘子", "柠檬"]
FRUIT_QUERY = [1.0, 0.4]  # sweet, sour
FRUIT_KEYS = [[0.9, 0.1], [0.8, 0.5], [0.6, 0.4], [0.5, 0.7], [0.1, 1.0]]
FRUIT_PRICES = [2.0, 12.0, 6.0, 5.0, 9.0]

NO_MASK, CAUSAL, PADDING, SLIDING = "无", "因果", "填充（末 2 个）", "滑动窗口（宽 3）"
WINDOW_SIZE = 3  # of the attention explorer's sliding window
PADDED = 2  # how many of the last tokens its padding mask treats as padding
PAINTED = "自己涂"
MASK_RULES = {
    "j <= i": lambda i, j, w: j <= i,
    "j < i": lambda i, j, w: j < i,
    "j >= i": lambda i, j, w: j >= i,
    "|i − j| <= w": lambda i, j, w: abs(i - j) <= w,
    "i − w < j <= i": lambda i, j, w: (i - w < j) & (j <= i),
    "全部允许": lambda i, j, w: (i == i) & (j == j),
}

ATTENTION_SENTENCE = (
    "「{name}」最看「{best}」（{weight:.2f}）；这一行的熵 {entropy:.2f} nat，平均分给 {n} 个位置时是 {largest:.2f}。"
)
NOTHING_TO_SEE = "「{name}」没有可看的位置：权重全是 0。"
SCALING_SENTENCE = (
    "d_k = {d_k}：不缩放时分数的标准差 {raw:.1f}（√d_k = {root:.1f}），最大权重的平均值 {raw_top:.2f}，"
    "梯度 {raw_gradient:.3f}；除以 √d_k 后 {scaled:.1f}、{scaled_top:.2f}、{scaled_gradient:.3f}。"
)
LOOKUP_SENTENCE = "温度 {temperature:.3g}：「{label}」得到 {weight:.2f} 的权重，答案 {answer:.2f}。"
BLIND_ROWS = "第 {rows} 行没有任何可看的键：权重全是 0，输出也是 0。"
FUTURE = "有 {count} 格看得到未来（第一处：第 {i} 行看第 {j} 列）：通读整句可以，逐词生成时那个词还不存在。"
NOT_SELF = "第 {rows} 行看不到自己。"
RELAYED = "有 {count} 格属于过去却看不到（第一处：第 {i} 行看不到第 {j} 列）：一层够不着，多叠几层可以接力传到。"
LOST = "有 {count} 格属于过去却看不到（第一处：第 {i} 行看不到第 {j} 列）：叠多少层也传不到，有残差连接也不行。"
UNSEEN = "第 {columns} 列没有任何一行看：这些位置的值传不出去。"
EXACTLY_CAUSAL = "每一行都看到自己和全部过去，看不到未来：这正是因果掩码。"


def attention_explorer():
    """Explore the weights of random queries and keys: d_k, mask, scaling, length, row and seed.

    Returns
    -------
    Explorer
        Controls `d_k`, `mask`, `scaled`, `seq_len`, `row`, `seed`.
    """
    controls = {
        "d_k": _power_slider(D_K, 256, 16),
        "mask": ipywidgets.Dropdown(options=[NO_MASK, CAUSAL, PADDING, SLIDING], description=MASK),
        "scaled": ipywidgets.Checkbox(value=True, description=SCALED, indent=False),
        "seq_len": ipywidgets.IntSlider(value=8, min=3, max=len(SENTENCE), description=SEQ_LEN),
        "row": ipywidgets.IntSlider(value=5, min=0, max=7, description=ROW),
        "seed": ipywidgets.IntSlider(value=0, min=0, max=20, description=SEED),
    }
    view = AttentionView(SENTENCE)

    def shorten(seq_len):
        controls["row"].max = seq_len - 1  # a row beyond the end moves to the last one

    def update(d_k, mask, scaled, seq_len, row, seed):
        weights = random_weights(d_k, mask, scaled, seq_len, seed)
        view.show(weights, row, float(entropy(weights[row])))
        return _sentence_on_row(weights[row], SENTENCE[row])

    return Explorer(view.picture, _wide(controls), update, {"seq_len": shorten})


def random_weights(d_k, mask, scaled, seq_len, seed):
    """Return the weights of standard normal queries and keys under a mask that is named as in the dropdown.

    Parameters
    ----------
    d_k : int
    mask : str
        One of `NO_MASK`, `CAUSAL`, `PADDING`, `SLIDING`.
    scaled : bool
        Whether the scores are divided by sqrt(d_k).
    seq_len, seed : int

    Returns
    -------
    weights : (seq_len, seq_len) array
    """
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, seq_len, d_k))
    factor = 1.0 if scaled else np.sqrt(d_k)  # undo the division
    return masked_softmax(scores(q, k) * factor, named_mask(mask, seq_len))


def named_mask(name, seq_len):
    """Return the mask that the explorer's dropdown calls by this name, `(seq_len, seq_len)` bool, or None.

    Examples
    --------
    >>> named_mask("因果", 2).astype(int)
    array([[1, 0],
           [1, 1]])
    """
    masks = {
        NO_MASK: lambda: None,
        CAUSAL: lambda: causal_mask(seq_len),
        PADDING: lambda: padding_mask(seq_len - PADDED, seq_len),
        SLIDING: lambda: sliding_window_mask(seq_len, WINDOW_SIZE),
    }
    return masks[name]()


def scaling_explorer():
    """Explore what d_k, a power of two from 1 to 1024, does to scores, to the largest weight and to the gradient.

    Returns
    -------
    Explorer
        Control `d_k`.
    """
    controls = {"d_k": _power_slider(D_K, 1024, 64)}
    rng = np.random.default_rng(0)
    measured = {d_k: measure_scaling(d_k, rng, n_rows=200) for d_k in controls["d_k"].options}
    view = ScalingView(list(measured.values()))

    def update(d_k):
        view.show(measured[d_k])
        return _sentence_on_scaling(measured[d_k])

    return Explorer(view.picture, _wide(controls), update)


def mask_painter(tokens=None):
    """Paint a mask, by a rule or cell by cell, and see the weights that it leaves and what it breaks.

    Parameters
    ----------
    tokens : list of str, optional

    Returns
    -------
    Explorer
        Controls `rule`, `window`, `row`, `column`, `allowed`, and the button `reset`.
    """
    tokens = PAINTER_SENTENCE if tokens is None else list(tokens)
    last = len(tokens) - 1
    controls = {
        "rule": ipywidgets.Dropdown(options=[*MASK_RULES, PAINTED], description=RULE),
        "window": ipywidgets.IntSlider(value=2, min=1, max=len(tokens), description=WINDOW),
        "row": ipywidgets.IntSlider(value=0, min=0, max=last, description=CELL_ROW),
        "column": ipywidgets.IntSlider(value=0, min=0, max=last, description=CELL_COLUMN),
        "allowed": ipywidgets.ToggleButton(value=True, description=ALLOWED_NAMES[True]),
        "reset": ipywidgets.Button(description=RESET),
    }
    mask = rule_mask("j <= i", len(tokens), 2)
    view, painter = MaskView(tokens), _MaskPainter(controls, mask)
    q, k = np.random.default_rng(0).standard_normal((2, len(tokens), 4))

    def update(row, column, **_):
        view.show(painter.mask, masked_softmax(scores(q, k), painter.mask), row, column)
        return what_the_mask_does(painter.mask)

    return Explorer(view.picture, _wide(controls), update, painter.handlers())


class _MaskPainter:
    """The mask under the brush, and what each control does to it."""

    def __init__(self, controls, mask):
        self.controls, self.mask = controls, mask
        self.last_rule = controls["rule"].value

    def handlers(self):
        """Return what each control does, by the control's name."""
        return {
            "rule": self.follow_rule,
            "window": lambda window: self.follow_rule(self.controls["rule"].value),
            "row": lambda row: self.read_cell(),
            "column": lambda column: self.read_cell(),
            "allowed": self.paint,
            "reset": self.reset,
        }

    def follow_rule(self, rule):
        """Make the mask by the rule; a painted mask stays as it is."""
        if rule == PAINTED:
            return
        self.last_rule = rule
        self.mask = rule_mask(rule, len(self.mask), self.controls["window"].value)
        self.read_cell()

    def read_cell(self):
        """Let the toggle say what the cell under the cursor is."""
        self.controls["allowed"].value = bool(self.mask[self._cell()])

    def paint(self, allowed):
        """Give the cell under the cursor the toggle's value; from then on the mask follows no rule."""
        self.controls["allowed"].description = ALLOWED_NAMES[allowed]
        if self.mask[self._cell()] != allowed:
            self.mask = self.mask.copy()
            self.mask[self._cell()] = allowed
            self.controls["rule"].value = PAINTED

    def reset(self):
        """Go back to the last rule."""
        self.controls["rule"].value = self.last_rule
        self.follow_rule(self.last_rule)

    def _cell(self):
        return self.controls["row"].value, self.controls["column"].value


def rule_mask(rule, seq_len, window):
    """Return the mask of one of `MASK_RULES`, `(seq_len, seq_len)` bool.

    Examples
    --------
    >>> rule_mask("j < i", 2, window=1).astype(int)
    array([[0, 0],
           [1, 0]])
    """
    i, j = np.indices((seq_len, seq_len))
    return MASK_RULES[rule](i, j, window)


def what_the_mask_does(mask):
    """Say in Chinese what a mask breaks, judged by its cells alone.

    Parameters
    ----------
    mask : (seq_len, seq_len) bool array

    Returns
    -------
    sentence : str

    Examples
    --------
    >>> print(what_the_mask_does(causal_mask(3)))
    每一行都看到自己和全部过去，看不到未来：这正是因果掩码。
    """
    mask = np.asarray(mask, dtype=bool)
    causal = causal_mask(len(mask))
    if (mask == causal).all():
        return EXACTLY_CAUSAL
    blind = ~mask.any(axis=1)  # (n, m) -> (n,)
    itself = np.eye(len(mask), dtype=bool)
    hidden_past = causal & ~itself & ~mask & ~blind[:, None]
    in_the_end = reach(mask | itself, len(mask))  # a residual connection keeps every token in its own place
    findings = [
        _name_places(BLIND_ROWS, "rows", blind),
        _name_cells(FUTURE, mask & ~causal),
        _name_places(NOT_SELF, "rows", ~mask.diagonal() & ~blind),
        _name_cells(RELAYED, hidden_past & in_the_end),
        _name_cells(LOST, hidden_past & ~in_the_end),
        _name_places(UNSEEN, "columns", ~mask.any(axis=0)),
    ]
    return "".join(findings)


def _name_places(template, what, places):
    """Fill the template with the numbers of the places `(n,)` that are True; nothing if none is."""
    return template.format(**{what: "、".join(map(str, np.flatnonzero(places)))}) if places.any() else ""


def _name_cells(template, cells):
    """Fill the template with the number of cells `(n, m)` that are True and the first of them; nothing if none is."""
    if not cells.any():
        return ""
    i, j = np.argwhere(cells)[0]
    return template.format(count=int(cells.sum()), i=i, j=j)


def soft_lookup_explorer(labels=None, query=None, keys=None, values=None):
    """Explore how the temperature turns a dictionary's look-up from soft to hard.

    Parameters
    ----------
    labels : list of str, optional
        The keys' names. Without arguments a small example of fruits and their prices is used.
    query : (d_k,) array, optional
    keys : (n_keys, d_k) array, optional
    values : (n_keys,) array, optional

    Returns
    -------
    Explorer
        Control `temperature`.
    """
    if labels is None:
        labels, query, keys, values = FRUITS, FRUIT_QUERY, FRUIT_KEYS, FRUIT_PRICES
    slider = ipywidgets.FloatLogSlider(
        value=0.5, min=-2, max=1, step=0.1, description=TEMPERATURE, readout_format=".2f"
    )
    view = LookupView(list(labels))

    def update(temperature):
        answer, weights = soft_lookup(query, keys, values, temperature)
        view.show(weights, temperature, answer)
        best = int(weights.argmax())
        return LOOKUP_SENTENCE.format(temperature=temperature, label=labels[best], weight=weights[best], answer=answer)

    return Explorer(view.picture, _wide({"temperature": slider}), update)


def _power_slider(description, largest, value):
    """Make a slider over the powers of two from 1 to `largest`."""
    powers = [2**exponent for exponent in range(int(np.log2(largest)) + 1)]
    return ipywidgets.SelectionSlider(options=powers, value=value, description=description)


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        if "description_width" in control.style.trait_names():
            control.style.description_width = "7em"
        control.layout.width = "21em"
    return controls


def _sentence_on_row(weights, name):
    if not weights.any():
        return NOTHING_TO_SEE.format(name=name)
    best, n = int(weights.argmax()), len(weights)
    return ATTENTION_SENTENCE.format(
        name=name, best=SENTENCE[best], weight=weights[best], entropy=entropy(weights), n=n, largest=np.log(n)
    )


def _sentence_on_scaling(measurement):
    return SCALING_SENTENCE.format(
        d_k=measurement.d_k,
        root=np.sqrt(measurement.d_k),
        raw=measurement.raw.std(),
        scaled=measurement.scaled.std(),
        raw_top=measurement.raw_top_weight,
        scaled_top=measurement.scaled_top_weight,
        raw_gradient=measurement.raw_gradient,
        scaled_gradient=measurement.scaled_gradient,
    )
