"""Exercise `architecture.visibility`: who may look at whom in the three families, in one mask."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import families as reference

BOTH, DECODER, ENCODER = "encoder-decoder", "decoder-only", "encoder-only"


def cases(rng):
    some, other = (int(number) for number in rng.integers(4, 9, size=2))
    return [
        Case(BOTH, (BOTH, 2, 3)),
        Case(BOTH, (BOTH, 5, 2)),
        Case(BOTH, (BOTH, some, other)),
        Case(BOTH, (BOTH, 1, 1)),
        Case(DECODER, (DECODER, 2, 3)),
        Case(DECODER, (DECODER, other, some)),
        Case(ENCODER, (ENCODER, 2, 3)),
        Case(ENCODER, (ENCODER, some, 1)),
    ]


def _causal(n):
    return np.tri(n, dtype=bool)


def _encoder_decoder(n_source, n_target):
    mask = _causal(n_source + n_target)
    mask[:n_source, :n_source] = True
    return mask


def decoder_mask_on_the_encoder(family, n_source, n_target):
    n = n_source + n_target
    return np.ones((n, n), dtype=bool) if family == "encoder-only" else _causal(n)


def causal_everywhere(family, n_source, n_target):
    return _causal(n_source + n_target)


def everyone_sees_everyone(family, n_source, n_target):
    return np.ones((n_source + n_target,) * 2, dtype=bool)


def target_peeks(family, n_source, n_target):
    n = n_source + n_target
    if family == "encoder-only":
        return np.ones((n, n), dtype=bool)
    if family == "decoder-only":
        return _causal(n)
    mask = np.ones((n, n), dtype=bool)
    mask[:n_source, n_source:] = False
    return mask


def without_cross_attention(family, n_source, n_target):
    if family != "encoder-decoder":
        return causal_everywhere(family, n_source, n_target) | (family == "encoder-only")
    mask = _encoder_decoder(n_source, n_target)
    mask[n_source:, :n_source] = False
    return mask


def causal_cross_attention(family, n_source, n_target):
    if family != "encoder-decoder":
        return causal_everywhere(family, n_source, n_target) | (family == "encoder-only")
    mask = _encoder_decoder(n_source, n_target)
    mask[n_source:, :n_source] = np.tri(n_target, n_source, dtype=bool)
    return mask


def source_sees_the_target(family, n_source, n_target):
    if family != "encoder-decoder":
        return causal_everywhere(family, n_source, n_target) | (family == "encoder-only")
    mask = _encoder_decoder(n_source, n_target)
    mask[:n_source] = True
    return mask


def rows_and_columns_exchanged(family, n_source, n_target):
    if family == "encoder-only":
        return np.ones((n_source + n_target,) * 2, dtype=bool)
    if family == "decoder-only":
        return _causal(n_source + n_target).T
    return _encoder_decoder(n_source, n_target).T


def target_first(family, n_source, n_target):
    if family != "encoder-decoder":
        return causal_everywhere(family, n_source, n_target) | (family == "encoder-only")
    order = np.r_[n_source : n_source + n_target, 0:n_source]
    return _encoder_decoder(n_source, n_target)[np.ix_(order, order)]


def prompt_sees_itself_in_a_decoder(family, n_source, n_target):
    if family == "encoder-only":
        return np.ones((n_source + n_target,) * 2, dtype=bool)
    return _encoder_decoder(n_source, n_target)


def families_exchanged(family, n_source, n_target):
    if family == "decoder-only":
        return np.ones((n_source + n_target,) * 2, dtype=bool)
    if family == "encoder-only":
        return _causal(n_source + n_target)
    return _encoder_decoder(n_source, n_target)


def encoder_does_not_join(family, n_source, n_target):
    if family == "decoder-only":
        return _causal(n_source + n_target)
    mask = _encoder_decoder(n_source, n_target)
    if family == "encoder-only":
        mask[:] = False
        mask[:n_source, :n_source] = True
        mask[n_source:, n_source:] = True
    return mask


def without_itself(family, n_source, n_target):
    n = n_source + n_target
    if family == "encoder-only":
        return np.ones((n, n), dtype=bool)
    mask = np.tri(n, k=-1, dtype=bool)
    if family == "encoder-decoder":
        mask[:n_source, :n_source] = True
    return mask


def true_means_hidden(family, n_source, n_target):
    if family == "encoder-decoder":
        return ~_encoder_decoder(n_source, n_target)
    return ~(_causal(n_source + n_target) | (family == "encoder-only"))


def to_be_added(family, n_source, n_target):
    n = n_source + n_target
    if family == "encoder-only":
        return np.zeros((n, n))
    return np.where(_causal(n) if family == "decoder-only" else _encoder_decoder(n_source, n_target), 0.0, -np.inf)


def only_the_target(family, n_source, n_target):
    if family == "encoder-decoder":
        return _causal(n_target)
    return _causal(n_source + n_target) | (family == "encoder-only")


def with_loops(family, n_source, n_target):
    n = n_source + n_target
    mask = [[False] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            both_in_source = i < n_source and j < n_source
            everything = family == "encoder-only" or (family == "encoder-decoder" and both_in_source)
            mask[i][j] = everything or j <= i
    return mask


def with_blocks(family, n_source, n_target):
    full = family != "decoder-only"
    source = np.ones((n_source, n_source)) if full else np.tri(n_source)
    ahead = np.full((n_source, n_target), float(family == "encoder-only"))
    target = np.ones((n_target, n_target)) if family == "encoder-only" else np.tri(n_target)
    return np.block([[source, ahead], [np.ones((n_target, n_source)), target]]).astype(bool)


def with_furthest_visible(family, n_source, n_target):
    furthest = np.arange(n_source + n_target)
    if family == "encoder-only":
        furthest[:] = n_source + n_target - 1
    elif family == "encoder-decoder":
        furthest = np.maximum(furthest, n_source - 1)
    return np.arange(len(furthest)) <= furthest[:, None]


def as_numbers(family, n_source, n_target):
    n = n_source + n_target
    reach = {"encoder-only": n, "decoder-only": 0, "encoder-decoder": n_source}[family]
    mask = np.tri(n, dtype=np.float32)
    mask[:reach, :reach] = 1
    return mask


EXERCISE = Exercise(
    id="architecture.visibility",
    title="谁能看谁",
    points=1,
    reference=reference.visibility,
    returns=("mask",),
    cases=cases,
    behaviours=(Behaviour(BOTH, 0.6), Behaviour(DECODER, 0.2), Behaviour(ENCODER, 0.2)),
    slips=(
        Slip(
            "返回了要加到分数上的数",
            to_be_added,
            wrong="要的是真假：True = 可以看，不是 0 和 −∞。",
            look="返回布尔数组。",
        ),
        Slip(
            "编码器也用了因果掩码",
            decoder_mask_on_the_encoder,
            wrong="源句全部已知，编码器里的 token 可以看到整个源句；现在源句只往前看。",
            look="encoder-decoder：左上角 n_source × n_source 全是 True。",
        ),
        Slip(
            "三种都用了因果掩码",
            causal_everywhere,
            wrong="只有 decoder-only 是全部因果的。",
            look="按 family 分三种情况。",
        ),
        Slip(
            "谁都能看谁",
            everyone_sees_everyone,
            wrong="只有 encoder-only 是这样；要生成的一方不许看未来。",
            look="按 family 分三种情况。",
        ),
        Slip(
            "目标句看到了自己的未来",
            target_peeks,
            wrong="encoder-decoder 的目标句是逐个写出来的：右下角应是因果的。",
            look="右下角 n_target × n_target 是下三角。",
        ),
        Slip(
            "没有交叉注意力",
            without_cross_attention,
            wrong="目标句看不到源句，两边就没有联系了。",
            look="encoder-decoder：左下角 n_target × n_source 全是 True。",
        ),
        Slip(
            "交叉注意力也用了因果掩码",
            causal_cross_attention,
            wrong="目标句的第一个 token 就可以看到整个源句。",
            look="左下角 n_target × n_source 全是 True。",
        ),
        Slip(
            "源句看到了目标句",
            source_sees_the_target,
            wrong="编码器读源句时，目标句还没有写出来。",
            look="encoder-decoder：右上角 n_source × n_target 全是 False。",
        ),
        Slip(
            "行和列对调了",
            rows_and_columns_exchanged,
            wrong="第 i 行是“i 能看谁”；现在第 i 列才是。",
            look="因果：j <= i 时 mask[i, j] 为 True。",
        ),
        Slip(
            "目标句放在了前面",
            target_first,
            wrong="约定源句在前，目标句在后。",
            look="前 n_source 行和列属于源句。",
        ),
        Slip(
            "decoder-only 的源句双向了",
            prompt_sees_itself_in_a_decoder,
            wrong="decoder-only 把两句当作一段文字，从头到尾都是因果的；源句部分双向的是另一种做法（prefix LM）。",
            look="decoder-only：整个下三角。",
        ),
        Slip(
            "encoder-only 和 decoder-only 对调了",
            families_exchanged,
            wrong="encoder-only 双向，decoder-only 因果；现在反了。",
            look="编码器读，解码器写；写的一方不许看未来。",
        ),
        Slip(
            "encoder-only 把两句隔开了",
            encoder_does_not_join,
            wrong="encoder-only 把两句拼成一段，一起双向地读。",
            look="encoder-only：全是 True。",
        ),
        Slip(
            "不许看自己",
            without_itself,
            wrong="对角线应是 True：j <= i。",
            look="np.tri(n) 包含对角线。",
        ),
        Slip(
            "真假反了",
            true_means_hidden,
            wrong="约定 True = 可以看。",
            look="把结果取反。",
        ),
        Slip(
            "只给了目标句的掩码",
            only_the_target,
            wrong="要的是源句和目标句合在一起的 (n, n)，n = n_source + n_target。",
            look="四块：源看源、源看目标、目标看源、目标看目标。",
        ),
    ),
    styles=(with_loops, with_blocks, with_furthest_visible, as_numbers),
    hints=(
        "把掩码分成四块：源看源、源看目标、目标看源、目标看目标。每种架构各填一遍。",
        "encoder-only 全 True；decoder-only 是 (n, n) 的下三角；encoder-decoder 在下三角上再打开一块，是哪一块？",
        "mask = causal_mask(n)；encoder-decoder 时再写 mask[:n_source, :n_source] = True。",
    ),
    equivalent_mutants={
        "only decides what happens with another family, which the exercise does not ask for": (
            "if family != 'decoder-only': -> (dropped)",
            "ValueError(f\"family must be one of {', '.join(FAMILIES)}, got {family!r}\") -> "
            "f\"family must be one of {', '.join(FAMILIES)}, got {family!r}\"",
            "', '.join(FAMILIES) -> FAMILIES",
        ),
        "ones say the same as True": ("np.ones((n, n), dtype=bool) -> np.ones((n, n))",),
    },
)
