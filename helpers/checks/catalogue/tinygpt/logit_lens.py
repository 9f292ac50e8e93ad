"""Exercise `tinygpt.logit_lens`: let the vectors of any layer speak as if they were the last."""

import numpy as np

from helpers.checks.catalogue.tinygpt.given import layer_norm, softmax
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import inspection as reference

CORE, BATCH, LARGE = "每个位置最可能的字和它的概率", "层、批量，前面可以有任意的轴", "很大的 logits 不溢出"


def _arguments(rng, batch, d_model, vocab_size, scale=1.0):
    spread = np.broadcast_to(np.linspace(-3.0, 3.0, d_model), (*batch, d_model))
    states = (
        rng.permuted(spread, axis=-1) + rng.normal(size=(*batch, d_model)) / 2 + 1
    )  # so wide that eps does not show
    return states, scale * rng.normal(size=(d_model, vocab_size))


def cases(rng):
    return [
        Case(CORE, _arguments(rng, (2,), 3, 4)),
        Case(CORE, _arguments(rng, (6,), 5, 7)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (5,), 4, 6))),
        Case(CORE, _arguments(rng, (7,), 8, 3)),
        Case(BATCH, _arguments(rng, (3, 5), 4, 7)),
        Case(BATCH, _arguments(rng, (3, 2, 4), 5, 6)),
        Case(BATCH, _arguments(rng, (), 4, 5)),
        Case(LARGE, _arguments(rng, (5,), 6, 4, scale=900.0)),
        Case(LARGE, _arguments(rng, (2, 3), 5, 7, scale=900.0)),
    ]


def _best(probabilities):
    return probabilities.argmax(axis=-1), probabilities.max(axis=-1)


def without_norm(states, unembedding):
    return _best(softmax(states @ unembedding))


def mean_left_in(states, unembedding):
    size = np.sqrt((states**2).mean(axis=-1, keepdims=True) + 1e-5)
    return _best(softmax(states / size @ unembedding))


def only_centred(states, unembedding):
    return _best(softmax((states - states.mean(axis=-1, keepdims=True)) @ unembedding))


def unit_length(states, unembedding):
    return _best(softmax(states / np.linalg.norm(states, axis=-1, keepdims=True) @ unembedding))


def variance_instead_of_std(states, unembedding):
    centred = states - states.mean(axis=-1, keepdims=True)
    return _best(softmax(centred / ((centred**2).mean(axis=-1, keepdims=True) + 1e-5) @ unembedding))


def sample_variance(states, unembedding):
    centred = states - states.mean(axis=-1, keepdims=True)
    return _best(softmax(centred / np.sqrt(states.var(axis=-1, ddof=1, keepdims=True) + 1e-5) @ unembedding))


def norm_over_the_whole(states, unembedding):
    return _best(softmax((states - states.mean()) / np.sqrt(states.var() + 1e-5) @ unembedding))


def norm_over_the_tokens(states, unembedding):
    return _best(softmax(layer_norm(states, axis=0) @ unembedding))


def norm_of_the_logits(states, unembedding):
    return _best(softmax(layer_norm(states @ unembedding)))


def norm_twice_with_the_logits(states, unembedding):
    return _best(softmax(layer_norm(layer_norm(states) @ unembedding)))


def without_softmax(states, unembedding):
    return _best(layer_norm(states) @ unembedding)


def logarithm(states, unembedding):
    best, probability = _best(softmax(layer_norm(states) @ unembedding))
    return best, np.log(probability)


def least_likely(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmin(axis=-1), probabilities.min(axis=-1)


def least_likely_by_place_alone(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmin(axis=-1), probabilities.max(axis=-1)


def exchanged(states, unembedding):
    best, probability = _best(softmax(layer_norm(states) @ unembedding))
    return probability, best


def all_probabilities(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmax(axis=-1), probabilities


def over_the_positions(states, unembedding):
    return _best(softmax(layer_norm(states) @ unembedding, axis=0))


def best_of_the_positions(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmax(axis=0), probabilities.max(axis=0)


def second_best(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    order = np.argsort(probabilities, axis=-1)[..., -2:-1]
    return order[..., 0], np.take_along_axis(probabilities, order, axis=-1)[..., 0]


def only_the_last(states, unembedding):
    return _best(softmax(layer_norm(states[-1]) @ unembedding))


def mean_over_positions(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmax(axis=-1), probabilities.mean(axis=-1)


def counted_through_everything(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmax(), probabilities.max()


def softmax_over_everything(states, unembedding):
    logits = layer_norm(states) @ unembedding
    exps = np.exp(logits - logits.max())
    return logits.argmax(axis=-1), exps.max(axis=-1) / exps.sum()


def softmax_twice(states, unembedding):
    return _best(softmax(softmax(layer_norm(states) @ unembedding)))


def unembedding_turned(states, unembedding):
    return _best(softmax(layer_norm(states) @ unembedding.T))


def always_axis_1(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmax(axis=1), probabilities.max(axis=1)


def probability_of_token_0(states, unembedding):
    probabilities = softmax(layer_norm(states) @ unembedding)
    return probabilities.argmax(axis=-1), probabilities[..., 0]


def scaled(states, unembedding):
    return _best(softmax(layer_norm(states) @ unembedding / np.sqrt(states.shape[-1])))


def overflowing(states, unembedding):
    with np.errstate(all="ignore"):
        exps = np.exp(layer_norm(states) @ unembedding)
        return _best(exps / exps.sum(axis=-1, keepdims=True))


def overflow_covered_up(states, unembedding):
    with np.errstate(all="ignore"):
        exps = np.exp(layer_norm(states) @ unembedding)
        return _best(np.nan_to_num(exps / exps.sum(axis=-1, keepdims=True)))


def largest_of_everything(states, unembedding):
    logits = layer_norm(states) @ unembedding
    exps = np.exp(logits - logits.max())
    with np.errstate(all="ignore"):
        return _best(exps / exps.sum(axis=-1, keepdims=True))


def only_from_two_axes(states, unembedding):
    logits = layer_norm(states) @ unembedding
    exps = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return logits.argmax(axis=-1), 1 / exps.sum(axis=tuple(range(1, logits.ndim)))


def one_by_one(states, unembedding):
    if np.ndim(states) > 1:
        pairs = [one_by_one(state, unembedding) for state in states]
        return [best for best, _ in pairs], [probability for _, probability in pairs]
    mean = sum(states) / len(states)
    variance = sum((number - mean) ** 2 for number in states) / len(states)
    logits = [sum((states - mean) / (variance + 1e-5) ** 0.5 * column) for column in np.transpose(unembedding)]
    best = max(range(len(logits)), key=lambda token_id: logits[token_id])
    return best, 1 / sum(np.exp(logit - logits[best]) for logit in logits)


def through_logarithms(states, unembedding):
    states = np.asarray(states, dtype=float)
    states = (states - states.mean(-1)[..., None]) / states.std(-1)[..., None]
    logits = np.tensordot(states, unembedding, axes=1)
    best = np.argmax(logits, axis=-1)
    chosen = np.take_along_axis(logits, np.expand_dims(best, -1), axis=-1)[..., 0]
    return best, np.exp(chosen - np.logaddexp.reduce(logits, axis=-1))


def by_sorting(states, unembedding):
    centred = np.subtract(states, np.mean(states, axis=-1, keepdims=True))
    size = np.sqrt(np.einsum("...d,...d->...", centred, centred) / centred.shape[-1] + 1e-5)
    logits = np.einsum("...d,dv->...v", centred / np.expand_dims(size, -1), unembedding)
    probabilities = np.exp(logits - np.amax(logits, axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    order = np.argsort(logits, axis=-1)
    return order[..., -1].astype(float), np.sort(probabilities, axis=-1)[..., -1]


EXERCISE = Exercise(
    id="tinygpt.logit_lens",
    title="logit 透镜",
    points=3,
    reference=reference.logit_lens,
    returns=("best", "probability"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BATCH, 0.2), Behaviour(LARGE, 0.2)),
    slips=(
        Slip(
            "忘了层归一化",
            without_norm,
            wrong="模型最后先归一化，再乘 unembedding；中间层的向量也要先归一化。",
            look="layer_norm(states) @ unembedding。",
        ),
        Slip(
            "没有减去均值",
            mean_left_in,
            wrong="只除以了大小；层归一化先减去每个向量自己的均值。",
            look="用给出的 layer_norm。",
        ),
        Slip(
            "只减去了均值",
            only_centred,
            wrong="减了均值，没有除以标准差。",
            look="用给出的 layer_norm。",
        ),
        Slip(
            "归一化成了长度 1",
            unit_length,
            wrong="这是除以长度；层归一化是减均值、除以标准差。",
            look="用给出的 layer_norm。",
        ),
        Slip(
            "除以了方差",
            variance_instead_of_std,
            wrong="应除以方差的平方根。",
            look="用给出的 layer_norm。",
        ),
        Slip(
            "方差除以了 d_model − 1",
            sample_variance,
            wrong="层归一化的方差除以 d_model。",
            look="用给出的 layer_norm。",
        ),
        Slip(
            "所有位置一起归一化了",
            norm_over_the_whole,
            wrong="每个位置的向量要各自归一化。",
            look="axis=-1。",
        ),
        Slip(
            "沿位置的轴归一化了",
            norm_over_the_tokens,
            wrong="每个位置的向量要沿自己的分量归一化。",
            look="axis=-1。",
        ),
        Slip(
            "归一化了 logits",
            norm_of_the_logits,
            wrong="归一化的是向量，在乘 unembedding 之前。",
            look="layer_norm(states) @ unembedding。",
        ),
        Slip(
            "logits 又归一化了一次",
            norm_twice_with_the_logits,
            wrong="向量归一化对了；乘完 unembedding 之后不再归一化。",
            look="softmax(layer_norm(states) @ unembedding)。",
        ),
        Slip(
            "没有做 softmax",
            without_softmax,
            wrong="最可能的字对了，但返回的是它的 logit，不是概率。",
            look="先做 softmax，再取最大的。",
        ),
        Slip(
            "返回了概率的对数",
            logarithm,
            wrong="这是 ln p，要的是 p 自己。",
            look="最后不取对数。",
        ),
        Slip(
            "取了最不可能的",
            least_likely,
            wrong="方向反了：要最可能的。",
            look="argmax 与 max。",
        ),
        Slip(
            "字取了最不可能的",
            least_likely_by_place_alone,
            wrong="概率是最大的，字却是最不可能的那个。",
            look="argmax。",
        ),
        Slip(
            "两个结果对调了",
            exchanged,
            wrong="先返回字的编号，再返回概率。",
            look="return best, probability。",
        ),
        Slip(
            "返回了所有概率",
            all_probabilities,
            wrong="字对了；概率只要它的那一个。",
            look="probabilities.max(axis=-1)。",
        ),
        Slip(
            "沿轴 0 做了 softmax",
            over_the_positions,
            wrong="每个位置上，各个字的概率加起来是 1。",
            look="axis=-1。",
        ),
        Slip(
            "在各位置里取了最大",
            best_of_the_positions,
            wrong="沿轴 0 取了最大：应在每个位置的各个字里取。",
            look="argmax(axis=-1)。",
        ),
        Slip(
            "取了第二可能的",
            second_best,
            wrong="要的是最可能的一个。",
            look="从小到大排序后，最后一个是 [..., -1]。",
        ),
        Slip(
            "只看了最后一个",
            only_the_last,
            wrong="每一层、每个位置都要有一个字。",
            look="不取 states[-1]，所有的轴都留着。",
        ),
        Slip(
            "概率取了平均",
            mean_over_positions,
            wrong="各个字的概率平均起来总是 1 / vocab_size；要的是最大的。",
            look="probabilities.max(axis=-1)。",
        ),
        Slip(
            "在所有位置里只取了一个",
            counted_through_everything,
            wrong="argmax 没有给 axis，就在整个数组里找了一个。",
            look="axis=-1。",
        ),
        Slip(
            "除以了整个数组的总和",
            softmax_over_everything,
            wrong="每个位置上，各个字的概率要各自加到 1。",
            look="sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "softmax 了两次",
            softmax_twice,
            wrong="概率又当作 logits 用了一次：几乎成了均匀的。",
            look="只有一次 softmax。",
        ),
        Slip(
            "unembedding 转置了",
            unembedding_turned,
            wrong="unembedding 是 (d_model, vocab_size)：归一化之后的向量直接乘它。",
            look="layer_norm(states) @ unembedding，不转置。",
        ),
        Slip(
            "总是第 0 个字的概率",
            probability_of_token_0,
            wrong="字对了；概率取的是编号 0 的，不是它的。",
            look="probabilities.max(axis=-1)。",
        ),
        Slip(
            "除以了 √d_model",
            scaled,
            wrong="缩放是注意力分数里的；这里直接做 softmax。",
            look="softmax(layer_norm(states) @ unembedding)。",
        ),
        Slip(
            "轴写成了 1",
            always_axis_1,
            wrong="states 有两个轴时对；词表总在最后一个轴，不总是轴 1。",
            look="argmax(axis=-1) 与 max(axis=-1)。",
        ),
        Slip(
            "溢出了",
            overflowing,
            wrong="logits 不大时对；大的取指数成了 inf，inf / inf 是 NaN。",
            look="取指数之前减去最大值。",
        ),
        Slip(
            "用 nan_to_num 盖住了溢出",
            overflow_covered_up,
            wrong="logits 不大时对；大的取指数成了 inf，NaN 换成 0 之后，概率丢了。",
            look="取指数之前减去最大值；给出的 softmax 已经做到了。",
        ),
        Slip(
            "减了整个数组的最大值",
            largest_of_everything,
            wrong="减的是所有位置里最大的：比它小很多的位置，指数全成了 0，0 / 0 是 NaN。",
            look="max(axis=-1, keepdims=True)。",
        ),
        Slip(
            "除第一个轴外都加在了一起",
            only_from_two_axes,
            wrong="一层时对；有更多的轴时，总和只沿最后一个轴。",
            look="sum(axis=-1)。",
        ),
    ),
    styles=(one_by_one, through_logarithms, by_sorting),
    hints=(
        "模型最后怎样由向量得到概率？归一化，乘 unembedding，softmax。对每一层的向量都这样做。",
        "logits = layer_norm(states) @ unembedding；softmax 沿最后一个轴，取指数之前减去最大值。",
        "probabilities = softmax(layer_norm(states) @ unembedding)；"
        "返回 probabilities.argmax(axis=-1), probabilities.max(axis=-1)。",
    ),
    properties=(Property("概率都在 0 到 1 之间", lambda best, p: bool(((p >= 0) & (p <= 1)).all())),),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(unembedding, dtype=float) -> unembedding",
            "np.asarray(unembedding, dtype=float) -> np.asarray(unembedding)",
        ),
    },
)
