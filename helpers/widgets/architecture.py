"""The explorers of section 4.4: a stack of blocks, the three families, generation step by step; each an `Explorer`."""

import ipywidgets
import numpy as np

from helpers.figures.architecture_views import BlockView, FamilyView, StepperView
from helpers.reference import depth, families, generation, tiny_decoder
from helpers.reference.attention import causal_mask, sliding_window_mask
from helpers.widgets.explorer import Explorer

MASK = "掩码"
RESIDUAL = "残差连接"
NORM = "归一化"
FFN = "前馈网络 FFN"
N_HEADS = "头数"
N_LAYERS = "层数"
FAMILY = "架构"
N_SOURCE, N_TARGET = "源句长度", "目标长度"
STEP = "第几步"
CACHED = "用 KV 缓存"
PROMPT = "哪一道题"

MASKS = {
    "无": lambda n: None,
    "因果": causal_mask,
    "滑动窗口（看 3 个）": lambda n: sliding_window_mask(n, 3),
}
NORMS = {"没有": "none", "pre-norm": "pre", "post-norm": "post"}
D_MODEL, SEQ_LEN, DEEPEST = 16, 8, 48
HEAD_COUNTS = [1, 2, 4, 8]

SOURCE = ["我", "喜欢", "读", "旧", "书"]
TARGET = ["I", "love", "old", "books", "."]
MASKED, START, END = "[M]", "<s>", "</s>"
HIDDEN = (1, 3)  # the positions that masked training hides

BLOCK_SENTENCE = (
    "{n_layers} 层：信号是输入的 {signal:.2g} 倍，第一层之前的梯度 {gradient:.2g}，"
    "词与词的余弦平均 {similarity:.2f}。{verdict}"
)
VERDICTS = {
    "collapsed": "各个词几乎一样了。",
    "vanished": "梯度传不到第一层。",
    "exploded": "信号或梯度大得没法训练。",
    "healthy": "大小都还正常，词也分得清。",
}
COLLAPSED, TOO_SMALL, TOO_LARGE = 0.99, 1e-4, 1e4

FAMILY_SENTENCES = {
    "encoder-only": (
        "每个词都能看全句，没有交叉注意力。训练：遮住几个词，猜它们，这里得 {n} 个预测。"
        "适合理解，不能直接一个接一个地生成。"
    ),
    "decoder-only": (
        "每个词只看自己和前面，没有交叉注意力。训练：每个位置都猜下一个词，这里得 {n} 个预测。"
        "生成：猜一个，接上，再猜。"
    ),
    "encoder-decoder": (
        "源句内部互相都能看；目标只看前面的目标，并通过交叉注意力看整个源句（左下的一块）。"
        "训练：给定源句，猜目标的下一个词，得 {n} 个预测。"
    ),
}

STEP_SENTENCES = {
    True: "这一步新算 {computed} 个位置的 k 和 v，其余 {fetched} 个从缓存取，做 {now} 次乘法。",
    False: "没有缓存：{computed} 个位置的 k 和 v 全部重算，做 {now} 次乘法。",
}
FINISHED = "生成完了：{text}"
NEXT = "下一个符号取概率最大的「{symbol}」。"


def block_inspector():
    """Inspect a stack of random blocks: what mask, residual connections, norm, FFN, heads and depth do to it.

    Returns
    -------
    Explorer
        Controls `mask`, `residual`, `norm`, `ffn`, `n_heads`, `n_layers`.
    """
    controls = {
        "mask": ipywidgets.Dropdown(options=list(MASKS), value="因果", description=MASK),
        "residual": ipywidgets.Checkbox(value=True, description=RESIDUAL, indent=False),
        "norm": ipywidgets.Dropdown(options=list(NORMS), value="pre-norm", description=NORM),
        "ffn": ipywidgets.Checkbox(value=True, description=FFN, indent=False),
        "n_heads": ipywidgets.SelectionSlider(options=HEAD_COUNTS, value=2, description=N_HEADS),
        "n_layers": ipywidgets.IntSlider(value=12, min=1, max=DEEPEST, description=N_LAYERS),
    }
    x, stack = random_input_and_stack()
    view = BlockView(DEEPEST, SEQ_LEN, D_MODEL)

    def update(mask, residual, norm, ffn, n_heads, n_layers):
        measured = depth.measure_stack(
            x, stack[:n_layers], n_heads, MASKS[mask](SEQ_LEN), NORMS[norm], residual=residual, ffn=ffn
        )
        view.show(x, measured)
        return BLOCK_SENTENCE.format(
            n_layers=n_layers,
            signal=measured.signal[-1] / measured.signal[0],
            gradient=measured.gradient[0],
            similarity=measured.similarity[-1],
            verdict=VERDICTS[judge_stack(measured)],
        )

    return Explorer(view.picture, _wide(controls), update)


def random_input_and_stack():
    """Return the inspector's input `(seq_len, d_model)` and its 48 random blocks: the same every time.

    Examples
    --------
    >>> x, stack = random_input_and_stack()
    >>> x.shape, len(stack)
    ((8, 16), 48)
    """
    rng = np.random.default_rng(44)
    return rng.standard_normal((SEQ_LEN, D_MODEL)), depth.random_stack(DEEPEST, D_MODEL, rng)


def judge_stack(measured):
    """Name what is wrong with a stack: its size or its gradient out of bounds, its tokens alike, or nothing.

    Parameters
    ----------
    measured : helpers.reference.depth.StackMeasurement

    Returns
    -------
    verdict : {"exploded", "vanished", "collapsed", "healthy"}
    """
    if max(measured.signal[-1], measured.gradient[0]) > TOO_LARGE:
        return "exploded"
    if measured.gradient[0] < TOO_SMALL:
        return "vanished"
    return "collapsed" if measured.similarity[-1] > COLLAPSED else "healthy"


def architecture_chooser():
    """Choose one of the three families: who may look at whom, and which positions are trained on what.

    Returns
    -------
    Explorer
        Controls `family`, `n_source`, `n_target`.
    """
    controls = {
        "family": ipywidgets.Dropdown(options=list(families.FAMILIES), value="decoder-only", description=FAMILY),
        "n_source": ipywidgets.IntSlider(value=4, min=2, max=len(SOURCE), description=N_SOURCE),
        "n_target": ipywidgets.IntSlider(value=4, min=2, max=len(TARGET), description=N_TARGET),
    }
    view = FamilyView(len(SOURCE) + len(TARGET))

    def update(family, n_source, n_target):
        tokens = SOURCE[:n_source] + TARGET[:n_target]
        inputs, targets = objective_of(family, n_source, n_target)
        view.show(family, families.visibility(family, n_source, n_target), tokens, n_source, inputs, targets)
        return FAMILY_SENTENCES[family].format(n=sum(target is not None for target in targets))

    return Explorer(view.picture, _wide(controls), update)


def objective_of(family, n_source, n_target):
    """Return what goes in at every position and what must come out, None where there is no loss.

    Parameters
    ----------
    family : {"encoder-only", "decoder-only", "encoder-decoder"}
    n_source, n_target : int

    Returns
    -------
    inputs, targets : lists of str

    Examples
    --------
    >>> objective_of("encoder-decoder", 2, 2)
    (['<s>', 'I', 'love'], ['I', 'love', '</s>'])
    >>> objective_of("decoder-only", 2, 2)[1]
    ['喜欢', 'I', 'love', None]
    """
    tokens = SOURCE[:n_source] + TARGET[:n_target]
    if family == "encoder-decoder":
        return [START, *TARGET[:n_target]], [*TARGET[:n_target], END]
    if family == "decoder-only":
        return tokens, [*tokens[1:], None]
    inputs = [MASKED if place in HIDDEN else token for place, token in enumerate(tokens)]
    return inputs, [token if place in HIDDEN else None for place, token in enumerate(tokens)]


def generation_stepper(model):
    """Step through a generation of the tiny decoder, with and without a KV cache.

    Parameters
    ----------
    model : helpers.reference.tiny_decoder.Decoder

    Returns
    -------
    Explorer
        Controls `step`, `cached`, `prompt`.
    """
    n_new = tiny_decoder.N_DIGITS + 1
    controls = {
        "step": ipywidgets.IntSlider(value=2, min=0, max=n_new, description=STEP),
        "cached": ipywidgets.Checkbox(value=True, description=CACHED, indent=False),
        "prompt": ipywidgets.IntSlider(value=0, min=0, max=20, description=PROMPT),
    }
    costs = {cached: costs_of_steps(model, n_new, cached) for cached in (False, True)}
    n_prompt = tiny_decoder.N_DIGITS + 1
    d_k = model.embedding.shape[1] // tiny_decoder.N_HEADS
    view = StepperView(list(tiny_decoder.SYMBOLS), n_prompt + n_new, d_k, float(np.sum(costs[False])))
    runs = {}

    def update(step, cached, prompt):
        if prompt not in runs:
            runs[prompt] = generate_and_keep(model, prompt, n_new)
        ids, probabilities, keys = runs[prompt]
        length = n_prompt + step
        computed = length if step == 0 or not cached else 1
        states = np.zeros(n_prompt + n_new, dtype=int)
        states[:length] = 1
        states[length - computed : length] = 2
        text = [tiny_decoder.SYMBOLS[token] for token in ids[:length]]
        spent = [float(np.sum(costs[way][: step + 1])) for way in (False, True)]
        view.show(text, states, keys[:length], probabilities[step], spent)
        now = STEP_SENTENCES[cached].format(computed=computed, fetched=length - computed, now=costs[cached][step])
        symbol = tiny_decoder.SYMBOLS[int(np.argmax(probabilities[step]))]
        return now + (NEXT.format(symbol=symbol) if step < n_new else FINISHED.format(text=" ".join(text)))

    return Explorer(view.picture, _wide(controls), update)


def costs_of_steps(model, n_new, cached):
    """Count the multiplications of every step: the whole prompt at first, then one symbol more each time.

    Parameters
    ----------
    model : helpers.reference.tiny_decoder.Decoder
    n_new : int
    cached : bool

    Returns
    -------
    multiplications : (n_new + 1,) list of int
    """
    n_prompt, d_model = tiny_decoder.N_DIGITS + 1, model.embedding.shape[1]
    size = {"d_model": d_model, "n_layers": len(model.blocks), "d_ff": model.blocks[0].w_1.shape[1]}
    return [
        generation.step_multiplications(n_prompt + step, cached=cached and step > 0, **size)
        for step in range(n_new + 1)
    ]


def generate_and_keep(model, prompt, n_new):
    """Generate greedily from one prompt and keep what every step saw.

    Parameters
    ----------
    model : helpers.reference.tiny_decoder.Decoder
    prompt : int
        Which one: the seed that it is drawn with.
    n_new : int

    Returns
    -------
    ids : (n_prompt + n_new,) int array
    probabilities : (n_new + 1, n_symbols) array
        Of the next symbol, after the prompt and after every symbol more.
    keys : (n_prompt + n_new, d_k) array
        Of the first head of the first layer.
    """
    n_prompt = tiny_decoder.N_DIGITS + 1
    ids = list(tiny_decoder.sorting_batch(1, np.random.default_rng(prompt))[0, :n_prompt])
    cache, probabilities = generation.start_cache(model), []
    for place in range(n_prompt + n_new):
        logits, cache = generation.cached_logits(model, cache, ids[place])
        if place >= n_prompt - 1:
            probabilities.append(generation.temperature_probabilities(logits, 1.0))
            ids.append(int(np.argmax(logits)))
    return np.array(ids[:-1]), np.array(probabilities), cache.k[0][0]


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        if "description_width" in control.style.trait_names():
            control.style.description_width = "7em"
        control.layout.width = "21em"
    return controls
