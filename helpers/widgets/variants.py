"""The explorers of the attention variants: shared keys and values, sparse patterns, tiles; each an `Explorer`."""

import functools

import ipywidgets
import numpy as np

from helpers.figures.variants_views import PatternView, SharingView, TileView
from helpers.reference import grouped, memory_traffic, sparse, tiled
from helpers.reference.attention import attention, causal_mask, reach, scores, sliding_window_mask
from helpers.widgets.explorer import Explorer

N_KV_HEADS, LIKENESS, SEQ_LEN = "键值头数", "各头的相似度", "上下文长度"
WINDOW, STRIDE, N_GLOBAL, N_LAYERS, CAUSAL = "窗口", "步长", "全局词数", "层数", "因果"
BLOCK_SIZE, STEP, MASKED = "每块几个键", "第几块", "因果掩码"
NO_STRIDE = "无"

N_HEADS, PATTERN_LEN, PATTERN_D_K = 8, 12, 4
HIGHEST_ERROR = 0.3  # no head of any pattern loses more
MODEL_LAYERS, MODEL_D_MODEL = 32, 1024  # the model whose cache is shown: eight heads of 128
CONTEXTS = [1024, 2048, 4096, 8192]
POSITIONS = 20
TILE_LEN, TILE_D_K, TILE_BLOCKS = 8, 4, [1, 2, 3, 4, 8]
BYTES_PER_NUMBER = 2  # half precision

SHARING_SENTENCE = (
    "{name}：8 个查询头用 {n} 组键和值，缓存 {now:.0f} MB，是各用各的 1/{times}；落在错误的键上的权重平均 {error:.3f}。"
)
SHARING_NAMES = {8: "MHA", 1: "MQA"}
PATTERN_SENTENCE = "一层只算 {share:.0%} 的格子。叠 {n_layers} 层，最后一个位置够到 {last} / {n} 个位置；{needed}"
NEEDED = "要叠 {} 层，才够到这张掩码够得到的全部。"
TILE_SENTENCE = (
    "第 {step} / {n_steps} 块：键 {start} 到 {stop}。{rescaled}到此搬运 {moved} 字节；不分块全程要 {plain} 字节。{end}"
)
RESCALED = "{n} 行遇到了更大的分数，旧的和与旧的输出先缩小。"
NOT_RESCALED = "没有一行遇到更大的分数，旧的和不用缩小。"
FIRST = "这是第一块，还没有旧的和。"
FINISHED = "输出与答案相差不到 1e-12。"


def sharing_explorer():
    """Explore how many groups of keys and values the query heads share: the cache, and what sharing costs them.

    Returns
    -------
    Explorer
        Controls `n_kv_heads`, `likeness`, `seq_len`.
    """
    controls = {
        "n_kv_heads": ipywidgets.SelectionSlider(options=[8, 4, 2, 1], value=2, description=N_KV_HEADS),
        "likeness": ipywidgets.SelectionSlider(options=[0.0, 0.5, 1.0], value=0.5, description=LIKENESS),
        "seq_len": ipywidgets.SelectionSlider(options=CONTEXTS, value=4096, description=SEQ_LEN),
    }
    view = SharingView(N_HEADS, cache_bytes(CONTEXTS[-1], N_HEADS) / 1e6, HIGHEST_ERROR)

    def update(n_kv_heads, likeness, seq_len):
        cache = [cache_bytes(seq_len, n) for n in (N_HEADS, n_kv_heads)]
        errors = errors_of_sharing(likeness, n_kv_heads)
        view.show(n_kv_heads, cache, errors)
        return SHARING_SENTENCE.format(
            name=SHARING_NAMES.get(n_kv_heads, "GQA"),
            n=n_kv_heads,
            now=cache[1] / 1e6,
            times=N_HEADS // n_kv_heads,
            error=errors.mean(),
        )

    return Explorer(view.picture, _wide(controls), update)


def cache_bytes(seq_len, n_kv_heads):
    """Return the bytes of the explorer's cache: 32 layers, eight query heads of 128, half precision.

    Examples
    --------
    >>> cache_bytes(1024, 8) // cache_bytes(1024, 2)
    4
    """
    return grouped.kv_cache_bytes(seq_len, MODEL_LAYERS, MODEL_D_MODEL, N_HEADS, n_kv_heads)


@functools.cache
def errors_of_sharing(likeness, n_kv_heads):
    """Return how much weight of each head `(n_heads,)` lands on wrong keys; fitted once, then kept."""
    patterns = grouped.related_patterns(N_HEADS, PATTERN_LEN, likeness, np.random.default_rng(0))
    return grouped.sharing_error(patterns, n_kv_heads, PATTERN_D_K)


def pattern_explorer():
    """Explore sparse patterns: window, stride and global tokens, and what several layers of them reach.

    Returns
    -------
    Explorer
        Controls `window`, `stride`, `n_global`, `n_layers`, `causal`.
    """
    controls = {
        "window": ipywidgets.IntSlider(value=3, min=1, max=10, description=WINDOW),
        "stride": ipywidgets.SelectionSlider(options=[NO_STRIDE, 6, 5, 4, 3], value=NO_STRIDE, description=STRIDE),
        "n_global": ipywidgets.IntSlider(value=0, min=0, max=3, description=N_GLOBAL),
        "n_layers": ipywidgets.IntSlider(value=2, min=1, max=8, description=N_LAYERS),
        "causal": ipywidgets.Checkbox(value=True, description=CAUSAL, indent=False),
    }
    view = PatternView(POSITIONS)

    def update(window, stride, n_global, n_layers, causal):
        mask = pattern(window, stride, n_global, causal)
        reachable = reach(mask, n_layers)
        view.show(mask, reachable, n_layers)
        return PATTERN_SENTENCE.format(
            share=sparse.density(mask),
            n_layers=n_layers,
            last=int(reachable[-1].sum()),
            n=POSITIONS,
            needed=NEEDED.format(sparse.layers_needed(mask)),
        )

    return Explorer(view.picture, _wide(controls), update)


def pattern(window, stride, n_global, causal):
    """Join a window, a stride and global tokens into one mask `(seq_len, seq_len)`.

    Parameters
    ----------
    window : int
    stride : int or NO_STRIDE
    n_global : int
    causal : bool
        Without it, window and stride look ahead as far as they look back.

    Returns
    -------
    mask : (POSITIONS, POSITIONS) bool array

    Examples
    --------
    >>> pattern(3, NO_STRIDE, 0, True)[-1].sum(), pattern(3, NO_STRIDE, 0, False)[9].sum()
    (np.int64(3), np.int64(5))
    """
    back = sliding_window_mask(POSITIONS, window)
    if stride != NO_STRIDE:
        back = back | sparse.strided_mask(POSITIONS, stride)
    mask = back | back.T | sparse.global_mask(POSITIONS, n_global)
    return mask & causal_mask(POSITIONS) if causal else mask


def tile_stepper():
    """Step through tiled attention: running maximum, running sum, output so far, and the bytes moved.

    Returns
    -------
    Explorer
        Controls `step`, `block_size`, `masked`.
    """
    controls = {
        "step": ipywidgets.IntSlider(value=2, min=1, max=4, description=STEP),
        "block_size": ipywidgets.SelectionSlider(options=TILE_BLOCKS, value=2, description=BLOCK_SIZE),
        "masked": ipywidgets.Checkbox(value=False, description=MASKED, indent=False),
    }
    q, k, v = tile_inputs()
    view = TileView(TILE_LEN, TILE_D_K, **limits_of_tiles(q, k, v))

    def follow_block_size(block_size):
        controls["step"].max = -(-TILE_LEN // block_size)  # rounded up: a ragged tile is a tile

    def update(step, block_size, masked):
        mask = causal_mask(TILE_LEN) if masked else None
        steps = tiled.tile_steps(q, k, v, block_size, mask)
        moved = bytes_moved(block_size)
        running, shown = steps[step - 1], np.full((TILE_LEN, TILE_LEN), np.nan)
        for done in steps[:step]:
            shown[:, done.start : done.stop] = done.scores
        plain = BYTES_PER_NUMBER * memory_traffic.memory_traffic(TILE_LEN, TILE_D_K, block_size)[0]
        view.show(shown, step, len(steps), running, attention(q, k, v, mask)[0], (moved[step - 1], plain))
        return _tile_sentence(steps, step, moved[step - 1], plain)

    return Explorer(view.picture, _wide(controls), update, {"block_size": follow_block_size})


def _tile_sentence(steps, step, moved, plain):
    running = steps[step - 1]
    n_rescaled = int((running.rescale < 1).sum())
    rescaled = RESCALED.format(n=n_rescaled) if n_rescaled else NOT_RESCALED
    return TILE_SENTENCE.format(
        step=step,
        n_steps=len(steps),
        start=running.start,
        stop=running.stop - 1,
        rescaled=FIRST if step == 1 else rescaled,
        moved=moved,
        plain=plain,
        end=FINISHED if step == len(steps) else "",
    )


def tile_inputs():
    """Return the stepper's q, k and v, `(8, 4)` each: the same every time.

    Examples
    --------
    >>> [array.shape for array in tile_inputs()]
    [(8, 4), (8, 4), (8, 4)]
    """
    return np.random.default_rng(6).standard_normal((3, TILE_LEN, TILE_D_K)) * np.array([2.0, 1.0, 1.0])[:, None, None]


def limits_of_tiles(q, k, v):
    """Return where the stepper's scales end, so that no step, block size or mask goes beyond."""
    ends = [tiled.tile_steps(q, k, v, size, mask)[-1] for size in TILE_BLOCKS for mask in (None, causal_mask(TILE_LEN))]
    return {
        "highest_score": np.abs(scores(q, k)).max(),
        "highest_total": max(end.total.max() for end in ends),
        "highest_output": np.abs(v).max(),  # an output is an average of values
        "highest_moved": float(max(bytes_moved(size)[-1] for size in TILE_BLOCKS)),
    }


@functools.cache
def bytes_moved(block_size):
    """Return the bytes that have crossed after each tile of keys, as instrumented loads and stores count them.

    Parameters
    ----------
    block_size : int
        Keys in a tile; all queries are one tile.

    Returns
    -------
    n_bytes : tuple of int

    Examples
    --------
    >>> bytes_moved(4)[-1] == BYTES_PER_NUMBER * memory_traffic.memory_traffic(TILE_LEN, TILE_D_K, 4)[1]
    True
    """
    q, k, v = tile_inputs()
    memory = memory_traffic.SlowMemory(q=q, k=k, v=v)
    memory_traffic.tiled_in_memory(memory, TILE_LEN, block_size)
    counts = np.cumsum([n_numbers for *_, n_numbers in memory.log])
    starts = [place for place, (way, name, _) in enumerate(memory.log) if (way, name) == ("load", "k")]
    ends = [place - 1 for place in [*starts[1:], len(memory.log)]]
    return tuple(int(BYTES_PER_NUMBER * counts[end]) for end in ends)


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        if "description_width" in control.style.trait_names():
            control.style.description_width = "7em"
        control.layout.width = "21em"
    return controls
