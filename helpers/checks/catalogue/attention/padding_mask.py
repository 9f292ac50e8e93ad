"""Exercise `attention.padding_mask`: nobody looks at the padding."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import attention as reference

CORE, EDGE, BATCH = "遮住填充的键", "全是填充，或没有填充", "一批长度不同的句子"


def cases(rng):
    return [
        Case(CORE, (2, 3)),
        Case(CORE, (3, 5)),
        Case(EDGE, (0, 2)),
        Case(EDGE, (3, 3)),
        Case(BATCH, (np.array([2]), 3)),
        Case(BATCH, (rng.permutation(5)[:3], 5)),
        Case(BATCH, (np.array([[1, 4, 2], [7, 0, 3]]), 7)),
    ]


def queries_instead_of_keys(lengths, seq_len):
    real = np.arange(seq_len) < np.asarray(lengths)[..., None]
    return np.repeat(real[..., :, None], seq_len, axis=-1)


def queries_as_well(lengths, seq_len):
    real = np.arange(seq_len) < np.asarray(lengths)[..., None]
    return real[..., :, None] & real[..., None, :]


def inverted(lengths, seq_len):
    padding = np.arange(seq_len) >= np.asarray(lengths)[..., None]
    return np.repeat(padding[..., None, :], seq_len, axis=-2)


def one_too_many(lengths, seq_len):
    real = np.arange(seq_len) <= np.asarray(lengths)[..., None]
    return np.repeat(real[..., None, :], seq_len, axis=-2)


def one_too_few(lengths, seq_len):
    real = np.arange(seq_len) < np.asarray(lengths)[..., None] - 1
    return np.repeat(real[..., None, :], seq_len, axis=-2)


def padding_in_front(lengths, seq_len):
    real = np.arange(seq_len) >= seq_len - np.asarray(lengths)[..., None]
    return np.repeat(real[..., None, :], seq_len, axis=-2)


def one_row_only(lengths, seq_len):
    return np.arange(seq_len) < np.asarray(lengths)[..., None]


def for_a_single_length(lengths, seq_len):
    return np.tile(np.arange(seq_len) < lengths, (seq_len, 1))


def causal_as_well(lengths, seq_len):
    real = np.arange(seq_len) < np.asarray(lengths)[..., None]
    return real[..., None, :] & np.tri(seq_len, dtype=bool)


def additive(lengths, seq_len):
    real = np.arange(seq_len) < np.asarray(lengths)[..., None]
    return np.where(np.repeat(real[..., None, :], seq_len, axis=-2), 0.0, -np.inf)


def additive_large(lengths, seq_len):
    real = np.arange(seq_len) < np.asarray(lengths)[..., None]
    return np.where(np.repeat(real[..., None, :], seq_len, axis=-2), 0.0, -1e9)


def not_repeated(lengths, seq_len):
    return np.arange(seq_len) < np.asarray(lengths)[..., None, None]


def with_a_slice(lengths, seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    mask[:, :lengths] = True
    return mask


def with_a_square_slice(lengths, seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    mask[:lengths, :lengths] = True
    return mask


def batch_always_there(lengths, seq_len):
    mask = np.zeros((len(lengths), seq_len, seq_len), dtype=bool)
    for each, length in zip(mask, lengths, strict=True):
        each[:, :length] = True
    return mask


def with_loops(lengths, seq_len):
    if np.ndim(lengths) > 0:
        return [with_loops(length, seq_len) for length in lengths]
    return [[j < lengths for j in range(seq_len)] for _ in range(seq_len)]


def with_broadcast(lengths, seq_len):
    lengths = np.asarray(lengths)
    real = np.arange(seq_len) < np.expand_dims(lengths, (-1, -2))
    return np.broadcast_to(real, (*lengths.shape, seq_len, seq_len))


def by_filling(lengths, seq_len):
    lengths = np.asarray(lengths)
    mask = np.zeros((*lengths.shape, seq_len, seq_len), dtype=bool)
    for index in np.ndindex(lengths.shape):
        mask[index][:, : lengths[index]] = True
    return mask


def with_indices(lengths, seq_len):
    key = np.indices((seq_len, seq_len))[1]
    return key - np.asarray(lengths)[..., None, None] < 0


EXERCISE = Exercise(
    id="attention.padding_mask",
    title="填充掩码",
    points=1,
    reference=reference.padding_mask,
    returns=("mask",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(EDGE, 0.2), Behaviour(BATCH, 0.2)),
    slips=(
        Slip(
            "遮住的是查询，不是键",
            queries_instead_of_keys,
            wrong="整行被遮住了：填充处的查询看不到任何东西，而真正的查询仍能看到填充。",
            look="要让所有的行都看不到填充的列：变化的应是最后一个轴（键）。",
        ),
        Slip(
            "查询也被遮住了",
            queries_as_well,
            wrong="填充处的查询也被遮住了；题目只要求不去看填充的键。填充处的输出反正不用，但它的行应照样有分布。",
            look="每一行都一样：只看键 j 是否小于长度。",
        ),
        Slip(
            "真假反了",
            inverted,
            wrong="这里的约定是 True = 可以看；现在能看的只有填充。",
            look="真的 token 是 j < lengths。",
        ),
        Slip(
            "多放了一个填充进来",
            one_too_many,
            wrong="长度为 2 时，真的 token 在位置 0 和 1；位置 2 已经是填充。",
            look="从 0 数起，是 j < lengths，不是 j <= lengths。",
        ),
        Slip(
            "少了一个真的 token",
            one_too_few,
            wrong="最后一个真的 token 也被遮住了。",
            look="真的 token 是 j = 0 … lengths − 1，也就是 j < lengths。",
        ),
        Slip(
            "把填充当作在前面",
            padding_in_front,
            wrong="真的 token 在前，填充在后；现在遮住的是开头。",
            look="位置 j < lengths 的是真的 token。",
        ),
        Slip(
            "还叠加了因果掩码",
            causal_as_well,
            wrong="未来的 token 也被遮住了；这里只遮填充。两种掩码要用时再以“与”合在一起。",
            look="所有的行应当相同。",
        ),
        Slip(
            "少了查询这个轴",
            one_row_only,
            wrong="对每个键的判断是对的，但形状应是 (..., n_queries, n_keys)，每个查询一行。",
            look="把这一行复制给每个查询：np.repeat 或 np.broadcast_to。",
        ),
        Slip(
            "只能处理一个句子",
            for_a_single_length,
            wrong="一个长度时正确；给一批长度时，要得到一批掩码。",
            look="先 np.asarray(lengths)（它也可能只是一个整数），再在后面加一个轴：[..., None]，然后与位置比较。",
        ),
        Slip(
            "给出了加性掩码",
            additive,
            wrong="返回的是要加到分数上的 0 和 −∞；这里的约定是布尔掩码，True = 可以看。",
            look="直接返回比较的结果 j < lengths。",
        ),
        Slip(
            "给出了加性掩码（−1e9）",
            additive_large,
            wrong="返回的是要加到分数上的 0 和 −1e9；这里的约定是布尔掩码，True = 可以看。",
            look="直接返回比较的结果 j < lengths。",
        ),
        Slip(
            "查询的轴只有一行",
            not_repeated,
            wrong="每个查询都用同一行，判断是对的；但形状应是 (..., seq_len, seq_len)，现在查询的轴长 1。",
            look="把这一行复制给每个查询：np.repeat(…, seq_len, axis=-2)。",
        ),
        Slip(
            "只能处理一个句子（切片）",
            with_a_slice,
            wrong="lengths 是一个整数时正确；切片的端点不能是一个数组。",
            look="与位置比较，就能一次做完一批：np.arange(seq_len) < np.asarray(lengths)[..., None]。",
        ),
        Slip(
            "查询也被遮住了，而且只能处理一个句子",
            with_a_square_slice,
            wrong="填充处的查询也被遮住了；而且切片的端点不能是一个数组。",
            look="每一行都一样，只看键 j 是否小于长度；与位置比较，就能一次做完一批。",
        ),
        Slip(
            "只能处理一批句子",
            batch_always_there,
            wrong="lengths 也可以只是一个整数，或有几个批量轴；len 和 for 只认一个轴。",
            look="先 np.asarray(lengths)，再与位置比较，不用循环。",
        ),
    ),
    styles=(with_loops, with_broadcast, by_filling, with_indices),
    hints=(
        "先只看一行：哪些键是真的 token？位置从 0 数起。",
        "np.arange(seq_len) < lengths 给出一行；每个查询都用同一行，得到 (seq_len, seq_len)。",
        "有批量轴时，写 np.arange(seq_len) < np.asarray(lengths)[..., None]，再在倒数第二个轴上重复 seq_len 次。",
    ),
)
