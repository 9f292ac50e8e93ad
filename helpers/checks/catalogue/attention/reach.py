"""Exercise `attention.reach`: what an output can depend on after several masked layers."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import attention as reference

CORE, EDGE, BATCH = "几层之后能看到哪里", "0 层与 1 层", "前面可以有批量轴"


def _window(seq_len, window):
    steps_back = np.arange(seq_len)[:, None] - np.arange(seq_len)[None, :]
    return (steps_back >= 0) & (steps_back < window)


def _sparse(rng, *shape):
    """Return random masks without the diagonal's being always allowed, and never symmetric."""
    mask = rng.random(shape) < 0.3
    mask[..., 0, 1], mask[..., 1, 0] = True, False
    mask[..., 1, 2], mask[..., 2, 1], mask[..., 0, 2] = True, False, False
    mask[..., 0, 0] = mask[..., 1, 1] = False
    return mask


def cases(rng):
    return [
        Case(CORE, (_window(4, 2), 2)),
        Case(CORE, (_window(7, 2), 3)),
        Case(CORE, (_window(7, 3), 2)),
        Case(CORE, (_window(9, 2), 4)),
        Case(CORE, (np.tri(5, k=-1, dtype=bool), 2)),
        Case(CORE, (_sparse(rng, 5, 5), 2)),
        Case(EDGE, (_sparse(rng, 3, 3), 1)),
        Case(EDGE, (_window(3, 2), 0)),
        Case(BATCH, (_sparse(rng, 2, 5, 5), 3)),
        Case(BATCH, (_sparse(rng, 2, 3, 5, 5), 0)),
        Case(BATCH, (_sparse(rng, 2, 3, 5, 5), 2)),
    ]


def _power(mask, n_layers):
    reachable = np.broadcast_to(np.eye(mask.shape[-1], dtype=bool), mask.shape)
    for _ in range(n_layers):
        reachable = mask @ reachable
    return np.array(reachable)


def one_layer_only(mask, n_layers):
    return mask.copy()


def one_layer_too_many(mask, n_layers):
    return _power(mask, n_layers + 1)


def one_layer_too_few(mask, n_layers):
    return _power(mask, max(n_layers - 1, 0))


def inputs_and_outputs_exchanged(mask, n_layers):
    return np.swapaxes(_power(mask, n_layers), -1, -2)


def number_of_paths(mask, n_layers):
    paths = np.broadcast_to(np.eye(mask.shape[-1], dtype=int), mask.shape)
    for _ in range(n_layers):
        paths = mask.astype(int) @ paths
    return np.array(paths)


def starting_from_the_mask(mask, n_layers):
    reachable = mask
    for _ in range(n_layers - 1):
        reachable = mask @ reachable
    return reachable


def squaring_every_layer(mask, n_layers):
    for _ in range(n_layers - 1):
        mask = mask @ mask
    return mask


def up_to_n_layers(mask, n_layers):
    reachable = mask if n_layers else np.broadcast_to(np.eye(mask.shape[-1], dtype=bool), mask.shape)
    for _ in range(n_layers - 1):
        reachable = reachable | (mask @ reachable)
    return reachable


def elementwise_power(mask, n_layers):
    return mask**n_layers if n_layers == 0 else mask & mask


def with_residual(mask, n_layers):
    return _power(mask | np.eye(mask.shape[-1], dtype=bool), n_layers)


def without_batch_axis(mask, n_layers):
    return np.linalg.matrix_power(mask.astype(int), n_layers) > 0 if mask.ndim == 2 else mask[0]


def with_loops(mask, n_layers):
    if np.ndim(mask) > 2:
        return [with_loops(one, n_layers) for one in mask]
    reachable = []
    for i in range(len(mask)):
        frontier = {i}
        for _ in range(n_layers):
            frontier = {j for middle in frontier for j in range(len(mask)) if mask[middle][j]}
        reachable.append([j in frontier for j in range(len(mask))])
    return reachable


def with_matrix_power(mask, n_layers):
    return np.linalg.matrix_power(np.asarray(mask, dtype=float), n_layers) > 0.5


def with_any(mask, n_layers):
    reachable = np.zeros(np.shape(mask), dtype=bool) | np.eye(np.shape(mask)[-1], dtype=bool)
    for _ in range(n_layers):
        reachable = (reachable[..., :, :, None] & mask[..., None, :, :]).any(axis=-2)
    return reachable


def in_float32(mask, n_layers):
    weights = np.asarray(mask, np.float32)
    reachable = np.zeros_like(weights) + np.eye(weights.shape[-1], dtype=np.float32)
    for _ in range(n_layers):
        reachable = np.minimum(np.einsum("...ij,...jk->...ik", weights, reachable), 1)
    return reachable


EXERCISE = Exercise(
    id="attention.reach",
    title="几层之后能看到哪里",
    points=1,
    reference=reference.reach,
    returns=("reachable",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(EDGE, 0.2), Behaviour(BATCH, 0.2)),
    slips=(
        Slip(
            "只算了一层",
            one_layer_only,
            wrong="返回的就是掩码本身；每多一层，就能再多走一步。",
            look="第二层的输出看第一层的输出，第一层的输出又看输入：把一步接一步连起来。",
        ),
        Slip(
            "多算了一层",
            one_layer_too_many,
            wrong="走了 n_layers + 1 步。",
            look="从 0 层开始：那时每个位置只有自己（单位矩阵）。然后每层走一步。",
        ),
        Slip(
            "少算了一层",
            one_layer_too_few,
            wrong="只走了 n_layers − 1 步。",
            look="1 层时，结果应正好是掩码。",
        ),
        Slip(
            "输入和输出对调了",
            inputs_and_outputs_exchanged,
            wrong="行应是输出 i，列应是输入 j；现在反了。",
            look="和掩码用同一个方向：行是看的一方（输出），列是被看的一方（输入）。",
        ),
        Slip(
            "0 层时没有从自己开始",
            starting_from_the_mask,
            wrong="一层以上都对；0 层时返回了掩码，应只有自己。",
            look="从单位矩阵开始，循环 n_layers 次。",
        ),
        Slip(
            "每层都自乘",
            squaring_every_layer,
            wrong="mask @ mask 每次使步数加倍，走了 2 的 n_layers − 1 次方步。",
            look="每层只乘一次原来的 mask。",
        ),
        Slip(
            "把更少层就能到的也算了进去",
            up_to_n_layers,
            wrong="没有残差连接，要恰好走 n_layers 步。",
            look="去掉“或”，只留 mask @ reachable。",
        ),
        Slip(
            "返回了路径的条数",
            number_of_paths,
            wrong="数字大于 1 的地方，是有几条路可走；题目只问能不能到。",
            look="最后与 0 比较，或一直用布尔矩阵相乘。",
        ),
        Slip(
            "逐个元素相乘",
            elementwise_power,
            wrong="逐个元素的“与”没有把两步接起来：结果还是一层。",
            look="两步相接是矩阵乘法：中间经过哪个位置，要对所有可能求“或”。",
        ),
        Slip(
            "总把自己算了进去",
            with_residual,
            wrong="给对角线补上了 True；这里只有注意力，没有残差连接，掩码不许看自己时就看不到自己。",
            look="不要改掩码，原样相乘。",
        ),
        Slip(
            "批量轴没有保留",
            without_batch_axis,
            wrong="一个掩码时正确；给一批掩码时，要得到一批结果。",
            look="用 @：它只乘最后两个轴，前面的轴都会保留。",
        ),
    ),
    styles=(with_loops, with_matrix_power, with_any, in_float32),
    hints=(
        "想两层：输出 i 经过中间某个位置 m 看到输入 j，要 mask[i, m] 和 mask[m, j] 都为 True。",
        "“对某个 m 两者都真”正是布尔矩阵的乘法 mask @ mask。",
        "从单位矩阵开始，循环 n_layers 次：reachable = mask @ reachable（布尔矩阵）。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "mask = np.asarray(mask, dtype=bool) -> (dropped)",
            "np.asarray(mask, dtype=bool) -> mask",
            "np.asarray(mask, dtype=bool) -> np.asarray(mask)",
        ),
        "a matrix commutes with its own powers": ("mask @ reachable -> reachable @ mask",),
        "a mask is square, so that its last two axes are equally long": ("-1 -> -2", "1 -> 2"),
        "only copies the result": ("np.array(reachable) -> reachable",),
    },
)
