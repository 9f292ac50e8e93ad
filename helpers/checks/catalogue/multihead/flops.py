"""Exercise `multihead.flops`: the multiplications of the six matrix products."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import multihead as reference

CORE, LONG = "句子短，投影占大头", "句子长，分数与求和占大头"


def cases(rng):
    return [
        Case(CORE, (3, 2)),
        Case(CORE, (int(rng.integers(5, 20)), int(rng.integers(30, 90)))),
        Case(CORE, (7, 512)),
        Case(LONG, (int(rng.integers(200, 500)), int(rng.integers(5, 20)))),
        Case(LONG, (1024, 64)),
    ]


def w_o_forgotten(seq_len, d_model):
    return 3 * seq_len * d_model**2 + 2 * seq_len**2 * d_model


def scores_and_sums_alone(seq_len, d_model):
    return 2 * seq_len**2 * d_model


def projections_alone(seq_len, d_model):
    return 4 * seq_len * d_model**2


def weighted_sum_forgotten(seq_len, d_model):
    return 4 * seq_len * d_model**2 + seq_len**2 * d_model


def additions_too(seq_len, d_model):
    return 2 * (4 * seq_len * d_model**2 + 2 * seq_len**2 * d_model)


def one_token(seq_len, d_model):
    return 4 * d_model**2 + 2 * seq_len**2 * d_model


def squares_exchanged(seq_len, d_model):
    return 4 * seq_len**2 * d_model + 2 * seq_len * d_model**2


def scores_as_large_as_the_model(seq_len, d_model):
    return 4 * seq_len * d_model**2 + 2 * seq_len**2 * d_model**2


def one_score_per_token(seq_len, d_model):
    return 4 * seq_len * d_model**2 + 2 * seq_len * d_model


def w_o_and_weighted_sum_forgotten(seq_len, d_model):
    return 3 * seq_len * d_model**2 + seq_len**2 * d_model


def one_projection(seq_len, d_model):
    return seq_len * d_model**2 + 2 * seq_len**2 * d_model


def one_multiplication_per_score(seq_len, d_model):
    return 4 * seq_len * d_model**2 + 2 * seq_len**2


def scaling_too(seq_len, d_model):
    return 4 * seq_len * d_model**2 + 2 * seq_len**2 * d_model + seq_len**2


def product_by_product(seq_len, d_model):
    products = [(seq_len, d_model, d_model)] * 4 + [(seq_len, d_model, seq_len), (seq_len, seq_len, d_model)]
    return sum(rows * inner * columns for rows, inner, columns in products)


def head_by_head(seq_len, d_model):
    per_column = 2 * seq_len * seq_len  # heads of size 1: there are d_model of them
    return sum(per_column for _ in range(d_model)) + 4 * seq_len * d_model * d_model


def in_one_formula(seq_len, d_model):
    return 2 * seq_len * d_model * (2 * d_model + seq_len)


def in_float32(seq_len, d_model):
    n, d = np.float32(seq_len), np.float32(d_model)
    return np.float32(4) * n * d * d + np.float32(2) * n * n * d


EXERCISE = Exercise(
    id="multihead.flops",
    title="要做多少次乘法",
    points=2,
    reference=reference.flops,
    returns=("multiplications",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(LONG, 0.5)),
    slips=(
        Slip(
            "忘了 w_o",
            w_o_forgotten,
            wrong="只算了三个投影；合并之后还要乘 w_o。",
            look="投影有四个：q、k、v 和最后的 w_o。",
        ),
        Slip(
            "忘了投影",
            scores_and_sums_alone,
            wrong="只算了分数和加权求和；句子短时，大头是四个投影。",
            look="x @ w_q 要做 seq_len × d_model × d_model 次乘法，这样的有四个。",
        ),
        Slip(
            "只算了投影",
            projections_alone,
            wrong="没有算 q kᵀ 和 权重 × v；句子长时，大头正是它们。",
            look="每个头的 q kᵀ 要 seq_len² × d_k 次，n_heads 个头合起来是多少？",
        ),
        Slip(
            "忘了加权求和",
            weighted_sum_forgotten,
            wrong="算了 q kᵀ，没有算 权重 × v，它同样贵。",
            look="权重 (n, n) 乘 v (n, d_k)，也是每头 n² × d_k 次。",
        ),
        Slip(
            "把加法也算上了",
            additions_too,
            wrong="正好是两倍：这里约定只数乘法。",
            look="(n, d) @ (d, m) 有 n × d × m 次乘法。别处常把加法也算上，所以会看到两倍的数。",
        ),
        Slip(
            "投影只算了一个 token",
            one_token,
            wrong="每个 token 都要投影，一共 seq_len 次。",
            look="x @ w_q 是 (seq_len, d_model) @ (d_model, d_model)。",
        ),
        Slip(
            "平方放错了地方",
            squares_exchanged,
            wrong="投影是 seq_len × d_model²，分数才是 seq_len² × d_model；现在反了。",
            look="写出每个乘积的形状：(行, 中间) @ (中间, 列)，三个数相乘。",
        ),
        Slip(
            "分数多乘了一个 d_model",
            scores_as_large_as_the_model,
            wrong="一个分数是两个向量的点积，只要 d_k 次乘法，不是 d_model²。",
            look="q kᵀ 是 (n, d_k) @ (d_k, n)。",
        ),
        Slip(
            "每个 token 只算了一个分数",
            one_score_per_token,
            wrong="每个查询要和每个键比：分数有 seq_len² 个。",
            look="q kᵀ 是 (n, d_k) @ (d_k, n)。",
        ),
        Slip(
            "忘了 w_o，也忘了加权求和",
            w_o_and_weighted_sum_forgotten,
            wrong="只算了三个投影和 q kᵀ：六个乘积里少了两个。",
            look="投影有四个（还有 w_o）；q kᵀ 之外，还有 权重 × v。",
        ),
        Slip(
            "只算了一个投影",
            one_projection,
            wrong="只算了一次投影；q、k、v 和 w_o 各有一次。",
            look="四个投影：4 × seq_len × d_model²。",
        ),
        Slip(
            "一个分数只算了一次乘法",
            one_multiplication_per_score,
            wrong="一个分数是两个向量的点积，要 d_k 次乘法；n_heads 个头合起来是 d_model 次。",
            look="q kᵀ 是 (n, d_k) @ (d_k, n)：行 × 中间 × 列。",
        ),
        Slip(
            "把缩放也算上了",
            scaling_too,
            wrong="除以 √d_k 也算进去了；这里约定只数六个矩阵乘积里的乘法。",
            look="去掉 seq_len² 的那一项。",
        ),
    ),
    styles=(product_by_product, head_by_head, in_one_formula, in_float32),
    hints=(
        "六个矩阵乘积：四个投影，加上 q kᵀ 和 权重 × v。(n, d) @ (d, m) 有 n × d × m 次乘法。",
        "一个头的 q kᵀ 要 n² × d_k 次；n_heads 个头合起来是 n² × (n_heads × d_k)，而 n_heads × d_k = d_model。",
        "投影：4 × n × d²；分数与加权求和：2 × n² × d。相加。",
    ),
)
