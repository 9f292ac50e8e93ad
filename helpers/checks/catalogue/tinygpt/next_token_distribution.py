"""Exercise `tinygpt.next_token_distribution`: what the last position says about the token that comes next."""

import numpy as np

from helpers.checks.catalogue.tinygpt.given import softmax
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import next_token as reference

CORE, TEMPERATURE, BATCH, LARGE = (
    "最后一个位置的分布",
    "温度使分布更尖或更平",
    "前面可以有批量轴",
    "很大的 logits 不溢出",
)


def cases(rng):
    return [
        Case(CORE, (rng.normal(size=(3, 4)), 1.0)),
        Case(CORE, (2 * rng.normal(size=(7, 5)), 1.0)),
        Case(CORE, (rng.normal(size=(1, 6)), 1.0)),
        Case(TEMPERATURE, (rng.normal(size=(2, 5)), 0.5)),
        Case(TEMPERATURE, (2 * rng.normal(size=(5, 7)), 3.0)),
        Case(TEMPERATURE, (rng.normal(size=(5, 3)).astype(np.float32), 0.7)),
        Case(BATCH, (rng.normal(size=(2, 3, 5)), 1.0)),
        Case(BATCH, (rng.normal(size=(3, 2, 5, 4)), 1.5)),
        Case(LARGE, (900 + 2 * rng.normal(size=(3, 5)), 1.0)),
        Case(LARGE, (30 * rng.normal(size=(2, 7)), 0.02)),
        Case(LARGE, (rng.normal(size=(2, 3, 5)) + np.array([900.0, -900.0])[:, None, None], 1.0)),
        Case(
            LARGE, (rng.normal(size=(3, 4)) + np.array([-900.0, 900.0, 0.0])[:, None], 1.0)
        ),  # the last is not the largest
    ]


def all_positions(logits, temperature):
    return softmax(logits / temperature)


def first_position(logits, temperature):
    return softmax(logits[..., 0, :] / temperature)


def position_before_the_last(logits, temperature):
    return softmax(logits[..., -2, :] / temperature)


def mean_over_positions(logits, temperature):
    return softmax(logits / temperature).mean(axis=-2)


def logits_averaged(logits, temperature):
    return softmax(logits.mean(axis=-2) / temperature)


def last_token_of_the_vocabulary(logits, temperature):
    return softmax(logits[..., -1] / temperature)


def position_axis_kept(logits, temperature):
    return softmax(logits[..., -1:, :] / temperature)


def temperature_ignored(logits, temperature):
    return softmax(logits[..., -1, :])


def multiplied_by_temperature(logits, temperature):
    return softmax(logits[..., -1, :] * temperature)


def root_of_temperature(logits, temperature):
    return softmax(logits[..., -1, :] / np.sqrt(temperature))


def probabilities_divided(logits, temperature):
    return softmax(logits[..., -1, :]) / temperature


def powers_not_normalised(logits, temperature):
    return softmax(logits[..., -1, :]) ** (1 / temperature)


def softmax_twice(logits, temperature):
    return softmax(softmax(logits[..., -1, :]) / temperature)


def over_the_positions(logits, temperature):
    return softmax(logits / temperature, axis=-2)[..., -1, :]


def logits_only(logits, temperature):
    return logits[..., -1, :] / temperature


def only_exponentials(logits, temperature):
    return np.exp(logits[..., -1, :] / temperature)


def logarithms(logits, temperature):
    return np.log(np.maximum(softmax(logits[..., -1, :] / temperature), 1e-300))


def without_exponential(logits, temperature):
    last = logits[..., -1, :] / temperature
    return last / last.sum(axis=-1, keepdims=True)


def divided_by_the_largest(logits, temperature):
    last = logits[..., -1, :] / temperature
    return np.exp(last - last.max(axis=-1, keepdims=True))


def only_the_best(logits, temperature):
    return np.eye(logits.shape[-1])[logits[..., -1, :].argmax(axis=-1)]


def overflowing(logits, temperature):
    exps = np.exp(logits[..., -1, :] / temperature)
    return exps / exps.sum(axis=-1, keepdims=True)


def largest_of_the_whole_batch(logits, temperature):
    last = logits[..., -1, :] / temperature
    exps = np.exp(last - last.max())
    return exps / exps.sum(axis=-1, keepdims=True)


def largest_of_the_whole_text(logits, temperature):
    exps = np.exp((logits - logits.max(axis=(-1, -2), keepdims=True)) / temperature)
    return (exps / exps.sum(axis=-1, keepdims=True))[..., -1, :]


def largest_of_all_numbers(logits, temperature):
    exps = np.exp((logits - logits.max()) / temperature)
    return (exps / exps.sum(axis=-1, keepdims=True))[..., -1, :]


def first_axis(logits, temperature):
    return softmax(logits[-1] / temperature)


def sum_over_everything(logits, temperature):
    last = logits[..., -1, :] / temperature
    exps = np.exp(last - last.max(axis=-1, keepdims=True))
    return exps / exps.sum()


def one_by_one(logits, temperature):
    if np.ndim(logits) > 2:
        return [one_by_one(each, temperature) for each in logits]
    last = [float(number) / temperature for number in logits[-1]]
    exps = [np.exp(number - max(last)) for number in last]
    return [each / sum(exps) for each in exps]


def through_logarithms(logits, temperature):
    scaled = np.asarray(logits, dtype=float)[..., -1, :] / temperature
    return np.exp(scaled - np.logaddexp.reduce(scaled, axis=-1, keepdims=True))


def through_powers(logits, temperature):
    probabilities = softmax(np.take(np.asarray(logits, dtype=np.float64), -1, axis=-2))
    sharpened = (probabilities / probabilities.max(-1)[..., None]) ** (1 / temperature)
    return sharpened / sharpened.sum(-1)[..., None]


EXERCISE = Exercise(
    id="tinygpt.next_token_distribution",
    title="下一个字的分布",
    points=2,
    reference=reference.next_token_distribution,
    returns=("probabilities",),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.4),
        Behaviour(TEMPERATURE, 0.3),
        Behaviour(BATCH, 0.15),
        Behaviour(LARGE, 0.15),
    ),
    slips=(
        Slip(
            "所有位置都返回了",
            all_positions,
            wrong="每个位置都有一个分布；要续写，只问最后一个位置：前面的位置问的是已经有了的字。",
            look="先取 logits[..., -1, :]。",
        ),
        Slip(
            "取了第一个位置",
            first_position,
            wrong="第一个位置只读过一个 token；读过全文的是最后一个。",
            look="logits[..., -1, :]。",
        ),
        Slip(
            "取了倒数第二个位置",
            position_before_the_last,
            wrong="倒数第二个位置问的是最后一个 token，它已经有了。",
            look="logits[..., -1, :]。",
        ),
        Slip(
            "对所有位置取了平均",
            mean_over_positions,
            wrong="每个位置问的是自己后面的那个 token，平均起来没有意义。",
            look="只取最后一个位置。",
        ),
        Slip(
            "先平均了 logits",
            logits_averaged,
            wrong="每个位置的 logits 问的是自己后面的那个 token，平均起来没有意义。",
            look="只取最后一个位置。",
        ),
        Slip(
            "取了最后一列",
            last_token_of_the_vocabulary,
            wrong="最后一个轴是词表：logits[..., -1] 是词表里最后一个 token 在各位置上的 logit。",
            look="位置是倒数第二个轴：logits[..., -1, :]。",
        ),
        Slip(
            "位置的轴还在",
            position_axis_kept,
            wrong="数是对的，但多出一个长度为 1 的轴：切片 -1: 留下了它。",
            look="用 -1，不用 -1:。",
        ),
        Slip(
            "没有用温度",
            temperature_ignored,
            wrong="温度为 1 时对；其他温度没有起作用。（取了指数或 softmax 之后才除以温度、再归一化，就又约掉了。）",
            look="softmax 之前，logits 除以 temperature。",
        ),
        Slip(
            "乘了温度",
            multiplied_by_temperature,
            wrong="方向反了：低温应更尖，高温应更平。",
            look="logits 除以 temperature。",
        ),
        Slip(
            "除以了温度的平方根",
            root_of_temperature,
            wrong="根号是缩放点积里的；温度直接除。",
            look="logits / temperature。",
        ),
        Slip(
            "概率除以了温度",
            probabilities_divided,
            wrong="除的是概率，和不再是 1；温度要在 softmax 之前起作用。",
            look="softmax(logits / temperature)。",
        ),
        Slip(
            "取了幂，没有再归一化",
            powers_not_normalised,
            wrong="p 的 1/T 次方是对的方向，但和不再是 1。",
            look="除以总和；或者在 softmax 之前除以温度。",
        ),
        Slip(
            "softmax 了两次",
            softmax_twice,
            wrong="概率又当作 logits 用了一次：几乎成了均匀的。",
            look="只有一次 softmax，温度在它里面。",
        ),
        Slip(
            "沿位置的轴归一化了",
            over_the_positions,
            wrong="同一个字在各位置上的数加起来是 1；应是各个字的概率加起来是 1。",
            look="axis=-1。",
        ),
        Slip(
            "没有做 softmax",
            logits_only,
            wrong="这还是 logits：可以是负的，和也不是 1。",
            look="最后一步是 softmax。",
        ),
        Slip(
            "只取了指数",
            only_exponentials,
            wrong="都是正的了，但和不是 1。",
            look="除以总和。",
        ),
        Slip(
            "返回了概率的对数",
            logarithms,
            wrong="这是 ln p，要的是 p 自己。",
            look="最后不取对数。",
        ),
        Slip(
            "没有取指数",
            without_exponential,
            wrong="logits 直接除以总和：logits 可以是负的，总和可以接近 0。",
            look="先取指数，再除以总和。",
        ),
        Slip(
            "除以了最大的",
            divided_by_the_largest,
            wrong="最大的成了 1；应是总和为 1。",
            look="除以 exps.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "只留下了最可能的",
            only_the_best,
            wrong="这是贪心的选择，不是分布。",
            look="返回所有字的概率。",
        ),
        Slip(
            "溢出了",
            overflowing,
            wrong="logits 不大时对；大的取指数成了 inf，inf / inf 是 NaN。",
            look="取指数之前减去最大值。",
        ),
        Slip(
            "整批减了同一个最大值",
            largest_of_the_whole_batch,
            wrong="减的是整批里最大的：比它小很多的那段文字，指数全成了 0，0 / 0 是 NaN。",
            look="max(axis=-1, keepdims=True)。",
        ),
        Slip(
            "减了整段文字的最大值",
            largest_of_the_whole_text,
            wrong="减的是各位置里最大的：最后一个位置比它小很多时，指数全成了 0，0 / 0 是 NaN。",
            look="max(axis=-1, keepdims=True)。",
        ),
        Slip(
            "减了所有数的最大值",
            largest_of_all_numbers,
            wrong="减的是整个数组里最大的：最后一个位置比它小很多时，指数全成了 0，0 / 0 是 NaN。",
            look="max(axis=-1, keepdims=True)。",
        ),
        Slip(
            "取了轴 0 的最后一个",
            first_axis,
            wrong="没有批量轴时对；有批量轴时，logits[-1] 是最后一段文字。",
            look="从后面数：logits[..., -1, :]。",
        ),
        Slip(
            "除以了整批的总和",
            sum_over_everything,
            wrong="没有批量轴时对；有批量轴时，每段文字的概率要各自加到 1。",
            look="sum(axis=-1, keepdims=True)。",
        ),
    ),
    styles=(one_by_one, through_logarithms, through_powers),
    hints=(
        "读过全文的只有最后一个位置：它的那一行 logits 说的就是下一个字。",
        "取 logits[..., -1, :]，除以温度，再做 softmax。",
        "last = logits[..., -1, :] / temperature；exps = np.exp(last - last.max(axis=-1, keepdims=True))；"
        "返回 exps / exps.sum(axis=-1, keepdims=True)。",
    ),
    properties=(Property("概率的和是 1", lambda p: bool(np.allclose(p.sum(axis=-1), 1.0, atol=1e-4))),),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(logits, dtype=float) -> logits",
            "np.asarray(logits, dtype=float) -> np.asarray(logits)",
        ),
    },
)
