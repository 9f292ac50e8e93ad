"""The explorers of section 4.2: how many heads, which of them, and how not to split; each returns an `Explorer`."""

import ipywidgets
import numpy as np

from helpers.figures.multihead_views import HeadsView, ReshapeView, SwitchView
from helpers.reference.attention import causal_mask
from helpers.reference.heads import answers, hand_built_heads
from helpers.reference.multihead import (
    flops,
    merge_heads,
    multihead_attention,
    parameter_count,
    split_heads,
)
from helpers.widgets.explorer import Explorer

N_HEADS = "头数"
SEQ_LEN = "句子长度"
CAUSAL = "因果掩码"
SEED = "随机种子"
WAY = "做什么"
WAYS = {"拆头": "split", "合并": "merge"}

D_MODEL = 24
DIVISORS = [n for n in range(1, D_MODEL + 1) if D_MODEL % n == 0]
LONGEST = 8

SENTENCE = ["老师", "问", "学生", "学生", "问", "老师", "好"]
HEAD_NAMES = ["前一个", "后一个", "同一词", "句首", "平均看", "前一个"]
QUESTIONS = ["前一个", "后一个", "在哪里", "句首", "哪些词"]
SWITCH = "头 {h}（{name}）"

RESHAPE_TOKENS = ["春", "夏", "秋", "冬", "晨", "夜"]
RESHAPE_WIDTH = 12
RESHAPE_HEADS = [n for n in range(1, RESHAPE_WIDTH + 1) if RESHAPE_WIDTH % n == 0]

HEADS_SENTENCE = (
    "{d_model} 维分给 {n_heads} 个头，每头 d_k = {d_k}。参数 {parameters} 个，乘法 {multiplications} 次，都不随头数变；"
    "要取的指数 {exponentials} 个，随头数增长。{different}"
)
ONE_HEAD = "只有一个头：一个查询只有一种看法。"
DIFFERENT = "任意两个头的权重平均有 {share:.0%} 放在不同的地方。"
ALL_ON = "六个头都开着：五个问题都答得出。"
STILL_RIGHT = "关掉{off}：五个问题仍都答得出，输出变了 {change:.0%}。"
LOST = "关掉{off}：{lost}答不出了，输出变了 {change:.0%}。"
NO_DIFFERENCE = "这时两种做法结果相同：{why}。"
ONE_HEAD_ONLY, ONE_TOKEN_ONLY = "只有一个头，没有轴可换", "只有一个 token，没有别的行可错"
WRONG_ROWS = {
    "split": "只 reshape：{all} 格里 {wrong} 格到了别的 token 的行。头 0 只看得到 {seen}。",
    "merge": "只 reshape：{all} 格里 {wrong} 格到了别的 token 的行。第 0 行里有 {seen}。",
}


def heads_explorer():
    """Explore one attention with 1 to 24 heads: their weights, and what does and does not depend on their number.

    Returns
    -------
    Explorer
        Controls `n_heads`, `seq_len`, `causal`, `seed`.
    """
    controls = {
        "n_heads": ipywidgets.SelectionSlider(options=DIVISORS, value=4, description=N_HEADS),
        "seq_len": ipywidgets.IntSlider(value=6, min=2, max=LONGEST, description=SEQ_LEN),
        "causal": ipywidgets.Checkbox(value=False, description=CAUSAL, indent=False),
        "seed": ipywidgets.IntSlider(value=0, min=0, max=20, description=SEED),
    }
    view = HeadsView(DIVISORS)

    def update(n_heads, seq_len, causal, seed):
        weights = random_heads(n_heads, seq_len, causal, seed)
        counts = head_counts(seq_len)
        view.show(weights, D_MODEL // n_heads, counts)
        now = {name: values[DIVISORS.index(n_heads)] for name, values in counts.items()}
        different = DIFFERENT.format(share=mean_difference(weights)) if n_heads > 1 else ONE_HEAD
        return HEADS_SENTENCE.format(
            d_model=D_MODEL, n_heads=n_heads, d_k=D_MODEL // n_heads, different=different, **now
        )

    return Explorer(view.picture, _wide(controls), update)


def random_heads(n_heads, seq_len, causal, seed):
    """Return the weights of random projections of a random sequence, the same for every number of heads.

    Parameters
    ----------
    n_heads, seq_len : int
    causal : bool
    seed : int

    Returns
    -------
    weights : (n_heads, seq_len, seq_len) array
    """
    rng = np.random.default_rng(seed)
    matrices = 1.5 * rng.standard_normal((4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    x = rng.standard_normal((LONGEST, D_MODEL))[:seq_len]
    _, weights = multihead_attention(x, *matrices, n_heads, causal_mask(seq_len) if causal else None)
    return weights


def head_counts(seq_len):
    """Count parameters, multiplications and exponentials for every number of heads.

    Examples
    --------
    >>> counts = head_counts(2)
    >>> counts["parameters"][0] == counts["parameters"][-1], counts["exponentials"][:3]
    (True, [4, 8, 12])
    """
    return {
        "parameters": [parameter_count(D_MODEL)] * len(DIVISORS),
        "multiplications": [flops(seq_len, D_MODEL)] * len(DIVISORS),
        "exponentials": [n_heads * seq_len**2 for n_heads in DIVISORS],
    }


def mean_difference(weights):
    """Measure how much of their weight two heads put in different places, averaged over pairs and queries.

    Parameters
    ----------
    weights : (n_heads, n_queries, n_keys) array
        Of two heads or more.

    Returns
    -------
    share : float

    Examples
    --------
    >>> mean_difference(np.array([[[1.0, 0.0]], [[0.5, 0.5]]]))
    0.5
    """
    n_heads = len(weights)
    apart = np.abs(weights[:, None] - weights[None, :]).sum(axis=-1).mean(axis=-1) / 2  # (h, h)
    return float(apart.sum() / (n_heads * (n_heads - 1)))


def switch_explorer():
    """Switch six hand-built heads off and on, and see which questions the output still answers.

    Returns
    -------
    Explorer
        Controls `head_0` to `head_5`.
    """
    controls = {
        f"head_{h}": ipywidgets.Checkbox(value=True, description=SWITCH.format(h=h, name=name), indent=False)
        for h, name in enumerate(HEAD_NAMES)
    }
    heads = hand_built_heads(SENTENCE)
    complete = heads.output()
    view = SwitchView(SENTENCE, HEAD_NAMES, QUESTIONS)

    def update(**is_on):
        off = [h for h in range(len(HEAD_NAMES)) if not is_on[f"head_{h}"]]
        output, right = heads.output(off), answers(heads, off).mean(axis=-1)
        slots = np.linalg.norm(output.reshape(len(SENTENCE), len(QUESTIONS), -1), axis=-1)  # (n, n_questions)
        view.show(heads.weights, off, right, slots)
        return _sentence_on_switches(off, right, np.linalg.norm(output - complete) / np.linalg.norm(complete))

    return Explorer(view.picture, _wide(controls), update)


def _sentence_on_switches(off, right, change):
    if not off:
        return ALL_ON
    lost = "、".join(f"「{question}」" for question, share in zip(QUESTIONS, right, strict=True) if share < 1)
    names = "、".join(f"头 {h}" for h in off)
    return (LOST if lost else STILL_RIGHT).format(off=names, lost=lost, change=change)


def reshape_explorer():
    """See side by side where every token's numbers go, split or merged the right way and by reshape alone.

    Returns
    -------
    Explorer
        Controls `way`, `n_heads`, `seq_len`.
    """
    controls = {
        "way": ipywidgets.Dropdown(options=list(WAYS), description=WAY),
        "n_heads": ipywidgets.SelectionSlider(options=RESHAPE_HEADS, value=3, description=N_HEADS),
        "seq_len": ipywidgets.IntSlider(value=4, min=1, max=len(RESHAPE_TOKENS), description=SEQ_LEN),
    }
    view = ReshapeView(RESHAPE_TOKENS, RESHAPE_WIDTH)

    def update(way, n_heads, seq_len):
        start, right, wrong = both_ways(WAYS[way], n_heads, seq_len)
        view.show(WAYS[way], start, right, wrong)
        return _sentence_on_reshape(WAYS[way], n_heads, wrong)

    return Explorer(view.picture, _wide(controls), update)


def both_ways(way, n_heads, seq_len):
    """Return where token numbers stand before, after the right way and after reshape alone; merged, there is one head.

    Parameters
    ----------
    way : {"split", "merge"}
    n_heads, seq_len : int

    Returns
    -------
    start, right, wrong : (n_heads or 1, seq_len, n_columns) int arrays

    Examples
    --------
    >>> _, right, wrong = both_ways("split", 2, 2)
    >>> right[0, :, 0], wrong[0, :, 0]
    (array([0, 1]), array([0, 0]))
    """
    whole = np.repeat(np.arange(seq_len)[:, None], RESHAPE_WIDTH, axis=1)  # (n, d_model)
    heads = split_heads(whole, n_heads).astype(int)
    if way == "split":
        return whole[None], heads, whole.reshape(heads.shape)
    return heads, merge_heads(heads).astype(int)[None], heads.reshape(whole.shape)[None]


def _sentence_on_reshape(way, n_heads, wrong):
    seq_len = wrong.shape[1]
    n_wrong = int((wrong != np.arange(seq_len)[:, None]).sum())
    if not n_wrong:
        return NO_DIFFERENCE.format(why=ONE_HEAD_ONLY if n_heads == 1 else ONE_TOKEN_ONLY)
    looked_at = wrong[0] if way == "split" else wrong[0, 0]
    seen = "、".join(RESHAPE_TOKENS[token] for token in np.unique(looked_at))
    return WRONG_ROWS[way].format(all=wrong.size, wrong=n_wrong, seen=seen)


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        if "description_width" in control.style.trait_names():
            control.style.description_width = "7em"
        control.layout.width = "21em"
    return controls
