"""Exercise `multihead.two_fetches`: two heads that look at the two neighbours; any projections that do are right."""

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import heads as reference

CORE, LONG = "短句子", "长句子也够尖"

SHAPE = "{name} 的形状应是 (2, seq_len, d_k) = (2, {seq_len}, d_k)，现在是 {shape}。"
SAME_D_K = "w_q 和 w_k 的最后一个轴都是 d_k，应当一样长；现在是 {w_q} 和 {w_k}。"
FINITE = "{name} 里有 NaN 或无穷大。"


def cases(rng):
    return [
        Case(CORE, (3,)),
        Case(CORE, (2,)),
        Case(CORE, (int(rng.integers(4, 8)),)),
        Case(LONG, (int(rng.integers(30, 50)),)),
        Case(LONG, (64,)),
    ]


def looks_at(parts, arguments):
    """Return which key each query of each head gives at least 0.99 of its weight, -1 if none, `(2, seq_len)`."""
    (seq_len,) = arguments
    for name, part in zip(("w_q", "w_k"), parts, strict=True):
        if part.ndim != 3 or part.shape[:2] != (2, seq_len) or part.shape[2] == 0:
            raise UnusableValueError("effect", SHAPE.format(name=name, seq_len=seq_len, shape=part.shape))
        if not np.isfinite(part).all():
            raise UnusableValueError("effect", FINITE.format(name=name))
    w_q, w_k = parts
    if w_q.shape != w_k.shape:
        raise UnusableValueError("effect", SAME_D_K.format(w_q=w_q.shape[2], w_k=w_k.shape[2]))
    return (reference.fetched_positions(w_q, w_k).astype(float),)


def _looking_for(targets, scale):
    """Return projections under which head `h` of query `i` looks for position `targets[h][i]`."""
    seq_len = len(targets[0])
    one_hot = np.eye(seq_len)
    return scale * np.sqrt(seq_len) * one_hot[np.array(targets)], np.stack([one_hot, one_hot])


def _neighbours(seq_len):
    position = np.arange(seq_len)
    return np.maximum(position - 1, 0), np.minimum(position + 1, seq_len - 1)


def heads_exchanged(seq_len):
    previous, following = _neighbours(seq_len)
    return _looking_for([following, previous], 20.0)


def ends_joined(seq_len):
    position = np.arange(seq_len)
    return _looking_for([(position - 1) % seq_len, (position + 1) % seq_len], 20.0)


def not_sharp(seq_len):
    previous, following = _neighbours(seq_len)
    return _looking_for([previous, following], 1.0 / np.sqrt(seq_len))


def not_sharp_when_long(seq_len):
    previous, following = _neighbours(seq_len)
    return _looking_for([previous, following], 20.0 / np.sqrt(seq_len))


def itself(seq_len):
    position = np.arange(seq_len)
    return _looking_for([position, position], 20.0)


def previous_twice(seq_len):
    previous, _ = _neighbours(seq_len)
    return _looking_for([previous, previous], 20.0)


def next_twice(seq_len):
    _, following = _neighbours(seq_len)
    return _looking_for([following, following], 20.0)


def wrong_sign(seq_len):
    previous, following = _neighbours(seq_len)
    return _looking_for([previous, following], -20.0)


def ends_look_for_nothing(seq_len):
    scale = 20.0 * np.sqrt(seq_len)
    shifts = scale * np.stack([np.eye(seq_len, k=-1), np.eye(seq_len, k=1)])
    return shifts, np.stack([np.eye(seq_len)] * 2)


def two_steps_away(seq_len):
    position = np.arange(seq_len)
    return _looking_for([np.maximum(position - 2, 0), np.minimum(position + 2, seq_len - 1)], 20.0)


def projections_exchanged(seq_len):
    previous, following = _neighbours(seq_len)
    return _looking_for([previous, following], 20.0)[::-1]


def heads_exchanged_and_ends_joined(seq_len):
    position = np.arange(seq_len)
    return _looking_for([(position + 1) % seq_len, (position - 1) % seq_len], 20.0)


def same_projection_for_both(seq_len):
    scale = 20.0 * np.sqrt(seq_len)
    shifts = scale * np.stack([np.eye(seq_len, k=-1), np.eye(seq_len, k=1)])
    return shifts, shifts


def with_loops(seq_len):
    w_q = [[[0.0] * seq_len for _ in range(seq_len)] for _ in range(2)]
    w_k = [[[0.0] * seq_len for _ in range(seq_len)] for _ in range(2)]
    for i in range(seq_len):
        w_q[0][i][max(i - 1, 0)] = w_q[1][i][min(i + 1, seq_len - 1)] = 30.0
        w_k[0][i][i] = w_k[1][i][i] = seq_len**0.5
    return w_q, w_k


def with_two_columns(seq_len):
    position = np.arange(seq_len, dtype=float)
    wanted = np.stack([np.maximum(position - 1, 0), np.minimum(position + 1, seq_len - 1)])
    w_q = 40.0 * np.stack([2 * wanted, np.ones_like(wanted)], axis=-1)
    w_k = np.stack([position, -(position**2)], axis=-1)
    return w_q, np.stack([w_k, w_k])


def on_a_circle(seq_len):
    angle = np.pi * np.arange(seq_len) / seq_len
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    before = np.concatenate([circle[:1], circle[:-1]])
    after = np.concatenate([circle[1:], circle[-1:]])
    return 10.0 * seq_len**2 * np.stack([before, after]), np.stack([circle, circle])


def moving_the_keys(seq_len):
    w_q = 25 * np.sqrt(seq_len) * np.eye(seq_len)
    back, forth = np.eye(seq_len, k=1), np.eye(seq_len, k=-1)
    back[0, 0] = forth[-1, -1] = 1
    return np.stack([w_q, w_q]), np.stack([back, forth])


def in_float32(seq_len):
    directions, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(seq_len, seq_len)))
    directions = directions.astype(np.float32)
    order = np.arange(seq_len)
    w_q = np.stack([directions[np.clip(order - 1, 0, None)], directions[np.clip(order + 1, None, seq_len - 1)]])
    return np.float32(200) * w_q, np.stack([directions, directions])


EXERCISE = Exercise(
    id="multihead.two_fetches",
    title="两个头，各取一个邻居",
    points=2,
    reference=reference.two_fetches,
    returns=("w_q", "w_k"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(LONG, 0.3)),
    effect=looks_at,
    compared=("looks_at",),
    slips=(
        Slip(
            "两个头对调了",
            heads_exchanged,
            wrong="头 0 看的是后一个，头 1 看的是前一个：方向反了。",
            look="查询 i 要和键 i − 1 对上：头 0 的 w_q 第 i 行应像 w_k 的第 i − 1 行。",
        ),
        Slip(
            "首尾接在了一起",
            ends_joined,
            wrong="中间都对；但位置 0 的“前一个”成了最后一个位置。",
            look="两端没有邻居，约定看自己：位置 0 的头 0 看 0，最后一个位置的头 1 看自己。",
        ),
        Slip(
            "不够尖",
            not_sharp,
            wrong="没有一个键得到 0.99 以上的权重：分数相差太小，softmax 还很平。",
            look="把 w_q 放大：要找的键的分数要高出别的十几，e 的十几次方才压得住它们。",
        ),
        Slip(
            "长句子里不够尖",
            not_sharp_when_long,
            wrong="短句子时够尖，长句子时不够：分数还要除以 √d_k，而这里 d_k 随句子变长。",
            look="把 w_q 再乘上 np.sqrt(d_k)，抵消缩放。",
        ),
        Slip(
            "每个头都在看自己",
            itself,
            wrong="查询 i 和键 i 最像，于是谁都看自己。",
            look="把 w_q 的行错开一位：第 i 行放位置 i − 1（头 0）或 i + 1（头 1）的独热向量。",
        ),
        Slip(
            "两个头都看前一个",
            previous_twice,
            wrong="头 0 对了；头 1 也在看前一个，和头 0 重复。",
            look="头 1 的 w_q 第 i 行应找位置 i + 1。",
        ),
        Slip(
            "两个头都看后一个",
            next_twice,
            wrong="头 1 对了；头 0 也在看后一个。",
            look="头 0 的 w_q 第 i 行应找位置 i − 1。",
        ),
        Slip(
            "符号反了",
            wrong_sign,
            wrong="要找的键得了最低的分数：每个查询恰好避开了邻居。",
            look="要找的键，点积应是很大的正数。",
        ),
        Slip(
            "两端没有安排",
            ends_look_for_nothing,
            wrong="中间都对；两端的查询是零向量，权重平均分给了所有的键。",
            look="约定：没有邻居时看自己。",
        ),
        Slip(
            "隔了一个",
            two_steps_away,
            wrong="看到了隔一个的位置。",
            look="前一个是 i − 1，后一个是 i + 1。",
        ),
        Slip(
            "w_q 和 w_k 对调了，或 w_q 转置了",
            projections_exchanged,
            wrong="提问的和被问的对调了：分数矩阵转置，看的方向也就反了，首尾两个又各看错一处。",
            look="先返回 w_q，再返回 w_k；w_q[h, i] 应像 w_k[h, 要找的位置]。",
        ),
        Slip(
            "首尾接在了一起，两个头也对调了",
            heads_exchanged_and_ends_joined,
            wrong="头 0 看的是后一个；而且首尾绕了回去（例如 np.roll 绕圈，方向也容易弄反）。",
            look="查询 i 要和键 i − 1 对上，首尾各停在自己那里。",
        ),
        Slip(
            "w_q 和 w_k 用了同一个矩阵",
            same_projection_for_both,
            wrong="同一个矩阵，每个位置最像的就是自己：分数最大的在对角线上。",
            look="w_k 给每个位置一个记号，w_q 写的是要找的记号。",
        ),
    ),
    styles=(with_loops, with_two_columns, on_a_circle, moving_the_keys, in_float32),
    hints=(
        "x 的第 i 行是独热向量，所以 x @ w_q 的第 i 行就是 w_q 的第 i 行：你可以直接规定每个位置的查询和键。",
        "让键是独热向量（w_k 用单位矩阵），查询是邻居的独热向量：点积只在邻居处不为 0。再放大到足够尖。",
        "e = np.eye(seq_len)；previous = np.maximum(np.arange(seq_len) - 1, 0)；头 0 的 w_q 是 "
        "20 * np.sqrt(seq_len) * e[previous]，w_k 是 e。头 1 换成 np.minimum(… + 1, seq_len - 1)。",
    ),
    equivalent_mutants={
        "the order in which two numbers are compared does not matter": (
            "np.maximum(position - 1, 0) -> np.maximum(0, position - 1)",
            "np.minimum(position + 1, seq_len - 1) -> np.minimum(seq_len - 1, position + 1)",
        ),
        "a list of arrays does what the stacked array does": (
            "np.stack([one_hot, one_hot]) -> [one_hot, one_hot]",
            "np.stack([previous, following]) -> [previous, following]",
        ),
        "still sharper is right too": ("np.sqrt(seq_len) -> seq_len",),
    },
)
