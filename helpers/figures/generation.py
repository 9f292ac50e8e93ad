"""The figures of section 4.4 about training and generation: loss, temperature, the KV cache, and what it all weighs."""

import numpy as np

from helpers.figures.matrix import SMALL
from helpers.style import PALETTE, Picture, styled

LOOKS = [("blue", "o", "-"), ("vermilion", "s", "--"), ("green", "^", "-."), ("purple", "D", ":")]
STEP_AXIS, LOSS_AXIS = "训练步数", "损失（nat）"
LOSS_TITLE, EXACT_TITLE = "训练时的损失", "生成完全正确的比例"
TEMPERATURE_TITLE = "温度 {:g}"
CANDIDATE_AXIS, PROBABILITY_AXIS = "下一个符号", "概率"
LENGTH_AXIS = "已有的词数"
OPERATIONS_AXIS = "生成下一个词的乘法次数"
SECONDS_AXIS = "生成下一个词的秒数"
MEMORY_AXIS = "GB"
PART_COLORS = ["blue", "orange", "vermilion", "green", "purple"]

ALT_TRAINING = "左：对数纵轴的损失曲线。右：生成完全正确的比例。{parts}。"
ALT_TRAINING_PART = "{name}：损失从 {first:.2f} 降到 {last:.2f}，生成正确 {exact:.0%}"
ALT_TEMPERATURE = "{n} 幅条形图，一个温度一幅：{parts}。"
ALT_TEMPERATURE_PART = "温度 {temperature:g} 时最大的概率是 {largest:.2f}"
ALT_CACHE = "双对数图，横轴是已有的词数，纵轴是{quantity}。{parts}。"
ALT_CACHE_PART = "{name}：从 {first:.2g} 到 {last:.2g}"
ALT_MEMORY = "堆起来的条形图，单位 GB。{parts}。"
ALT_MEMORY_PART = "{name}：{parts}，合计 {total:.1f}"


@styled
def draw_training(losses, exact):
    """Draw the loss of each training over its steps, and how much each model then generates exactly.

    Parameters
    ----------
    losses : dict of str to (n_steps,) array
        In nats, by the training's name.
    exact : dict of str to float
        Share of the generations that are right to the last token, by the same names.

    Returns
    -------
    Picture
    """
    parts = [
        ALT_TRAINING_PART.format(name=name, first=values[0], last=values[-1], exact=exact[name])
        for name, values in losses.items()
    ]
    picture = Picture(7.2, 3.1, ALT_TRAINING.format(parts="；".join(parts)))
    curve, bars = picture.subplots(1, 2, width_ratios=[1.5, 1])
    for (name, values), (color, _, line) in zip(losses.items(), LOOKS, strict=False):
        curve.semilogy(np.arange(1, len(values) + 1), values, color=PALETTE[color], linestyle=line, label=name)
    curve.set(title=LOSS_TITLE, xlabel=STEP_AXIS, ylabel=LOSS_AXIS)
    curve.legend()
    shares = [exact[name] for name in losses]
    drawn = bars.bar(list(losses), shares, color=[PALETTE[color] for color, *_ in LOOKS[: len(losses)]], width=0.55)
    bars.bar_label(drawn, [f"{share:.0%}" for share in shares], padding=2, fontsize=SMALL)
    bars.set(title=EXACT_TITLE, ylim=(0, 1.15))
    bars.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return picture


@styled
def draw_temperatures(probabilities, temperatures, names):
    """Draw the distribution of the next token at several temperatures.

    Parameters
    ----------
    probabilities : (n_temperatures, n_tokens) array
    temperatures : (n_temperatures,) array
    names : list of str

    Returns
    -------
    Picture
    """
    probabilities = np.asarray(probabilities, dtype=float)
    parts = [
        ALT_TEMPERATURE_PART.format(temperature=temperature, largest=row.max())
        for temperature, row in zip(temperatures, probabilities, strict=True)
    ]
    picture = Picture(7.2, 2.4, ALT_TEMPERATURE.format(n=len(parts), parts="；".join(parts)))
    panels = picture.subplots(1, len(parts), sharey=True, squeeze=False).ravel()
    for axes, row, temperature in zip(panels, probabilities, temperatures, strict=True):
        axes.bar(range(len(names)), row, color=PALETTE["blue"], width=0.7)
        axes.set_xticks(range(len(names)), names, fontsize=SMALL)
        axes.set(title=TEMPERATURE_TITLE.format(temperature), xlabel=CANDIDATE_AXIS, ylim=(0, 1.05))
    panels[0].set_ylabel(PROBABILITY_AXIS)
    return picture


@styled
def draw_cache(lengths, costs, quantity="multiplications"):
    """Draw what the next token costs with and without a KV cache, as the text grows.

    Parameters
    ----------
    lengths : (n,) int array
    costs : dict of str to (n,) array
        By the way's name.
    quantity : {"multiplications", "seconds"}

    Returns
    -------
    Picture
    """
    label = {"multiplications": OPERATIONS_AXIS, "seconds": SECONDS_AXIS}[quantity]
    parts = [ALT_CACHE_PART.format(name=name, first=cost[0], last=cost[-1]) for name, cost in costs.items()]
    picture = Picture(6, 3.1, ALT_CACHE.format(quantity=label, parts="；".join(parts)))
    axes = picture.subplots()
    for (name, cost), (color, marker, line) in zip(costs.items(), LOOKS, strict=False):
        axes.loglog(lengths, cost, color=PALETTE[color], marker=marker, markersize=4, linestyle=line, label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.minorticks_off()
    axes.set(xlabel=LENGTH_AXIS, ylabel=label)
    axes.legend()
    return picture


@styled
def draw_memory(totals):
    """Draw what fills the memory, one stacked bar for each situation.

    Parameters
    ----------
    totals : dict of str to dict of str to float
        By situation, then by part, in bytes; every situation has the same parts, at most five.

    Returns
    -------
    Picture
    """
    gigabytes = {name: {part: size / 1e9 for part, size in parts.items()} for name, parts in totals.items()}
    picture = Picture(7.2, 1.1 + 0.5 * len(totals), _alt_memory(gigabytes))
    axes = picture.subplots()
    left = np.zeros(len(totals))
    for part, color in zip(next(iter(totals.values())), PART_COLORS, strict=False):
        sizes = np.array([parts[part] for parts in gigabytes.values()])
        axes.barh(list(totals), sizes, left=left, color=PALETTE[color], height=0.6, label=part)
        left += sizes
    for place, total in enumerate(left):
        axes.annotate(f"{total:.1f}", (total, place), xytext=(4, 0), textcoords="offset points", va="center")
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.12 * left.max()), xlabel=MEMORY_AXIS)
    picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=SMALL)
    return picture


def _alt_memory(gigabytes):
    said = []
    for name, parts in gigabytes.items():
        listed = "、".join(f"{part} {size:.1f}" for part, size in parts.items() if size)
        said.append(ALT_MEMORY_PART.format(name=name, parts=listed, total=sum(parts.values())))
    return ALT_MEMORY.format(parts="；".join(said))
