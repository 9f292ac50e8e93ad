"""Exercise `multihead.parameter_count`: the numbers in four projections."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import multihead as reference

CORE, WITHOUT_BIAS = "有偏置", "没有偏置"


def cases(rng):
    return [
        Case(CORE, (2, True)),
        Case(CORE, (3,)),
        Case(CORE, (int(rng.integers(5, 60)), True)),
        Case(CORE, (512, True)),
        Case(WITHOUT_BIAS, (2, False)),
        Case(WITHOUT_BIAS, (int(rng.integers(5, 60)), False)),
        Case(WITHOUT_BIAS, (512, False)),
    ]


def w_o_forgotten(d_model, bias=True):
    return 3 * (d_model**2 + d_model * bias)


def bias_forgotten(d_model, bias=True):
    return 4 * d_model**2


def bias_always(d_model, bias=True):
    return 4 * (d_model**2 + d_model)


def w_o_without_bias(d_model, bias=True):
    return 4 * d_model**2 + 3 * d_model * bias


def one_bias_for_all(d_model, bias=True):
    return 4 * d_model**2 + d_model * bias


def one_number_as_bias(d_model, bias=True):
    return 4 * (d_model**2 + bias)


def bias_the_other_way(d_model, bias=True):
    return 4 * (d_model**2 + d_model * (not bias))


def one_projection(d_model, bias=True):
    return d_model**2 + d_model * bias


def without_square(d_model, bias=True):
    return 4 * (d_model + d_model * bias)


def w_o_and_bias_forgotten(d_model, bias=True):
    return 3 * d_model**2


def w_o_forgotten_but_not_its_bias(d_model, bias=True):
    return 3 * d_model**2 + 4 * d_model * bias


def with_shapes(d_model, bias=True):
    shapes = [(d_model, d_model)] * 4 + ([(d_model,)] * 4 if bias else [])
    return sum(int(np.prod(shape)) for shape in shapes)


def by_counting(d_model, bias=True):
    rows = d_model + 1 if bias else d_model
    return sum(rows * d_model for _ in ("w_q", "w_k", "w_v", "w_o"))


def in_float32(d_model, bias=True):
    d = np.float32(d_model)
    return 4 * d * (d + np.float32(bias))


EXERCISE = Exercise(
    id="multihead.parameter_count",
    title="有多少参数",
    points=1,
    reference=reference.parameter_count,
    returns=("count",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(WITHOUT_BIAS, 0.4)),
    slips=(
        Slip(
            "忘了 w_o",
            w_o_forgotten,
            wrong="只数了三个投影；合并之后还有一个 w_o。",
            look="四个矩阵：w_q、w_k、w_v、w_o。",
        ),
        Slip(
            "忘了偏置",
            bias_forgotten,
            wrong="有没有偏置，结果都一样。",
            look="bias 为 True 时，每个投影多一个长 d_model 的向量。",
        ),
        Slip(
            "总算上了偏置",
            bias_always,
            wrong="bias 为 False 时也算上了偏置。",
            look="看一看参数 bias。",
        ),
        Slip(
            "w_o 没有算偏置",
            w_o_without_bias,
            wrong="只有三个投影算了偏置；w_o 也有一个。",
            look="四个投影，四个偏置向量。",
        ),
        Slip(
            "只算了一个偏置向量",
            one_bias_for_all,
            wrong="四个投影各有自己的偏置，不是共用一个。",
            look="偏置一共 4 × d_model 个数。",
        ),
        Slip(
            "偏置只算了一个数",
            one_number_as_bias,
            wrong="偏置是一个向量，每个输出分量一个数。",
            look="每个投影的偏置有 d_model 个数。",
        ),
        Slip(
            "偏置的真假反了",
            bias_the_other_way,
            wrong="bias 为 True 时没有算，为 False 时反而算了。",
            look="检查条件的方向。",
        ),
        Slip(
            "只数了一个投影",
            one_projection,
            wrong="这是一个投影的参数。",
            look="一共有四个：w_q、w_k、w_v、w_o。",
        ),
        Slip(
            "忘了平方",
            without_square,
            wrong="一个 d_model × d_model 的矩阵有 d_model² 个数。",
            look="行数乘列数。",
        ),
        Slip(
            "忘了 w_o，也忘了偏置",
            w_o_and_bias_forgotten,
            wrong="只数了三个矩阵：还有 w_o，而且 bias 为 True 时各有一个偏置。",
            look="四个矩阵，每个 d_model²；bias 为 True 时，每个再加 d_model。",
        ),
        Slip(
            "偏置数了四个，矩阵只数了三个",
            w_o_forgotten_but_not_its_bias,
            wrong="四个偏置都数了，w_o 的矩阵却没有数。",
            look="四个矩阵：w_q、w_k、w_v、w_o。",
        ),
    ),
    styles=(with_shapes, by_counting, in_float32),
    hints=(
        "数一数有几个矩阵，每个多大。头的个数在哪里出现了吗？",
        "n_heads 个 (d_model, d_k) 的矩阵并排，正好是一个 (d_model, d_model) 的矩阵。",
        "四个投影，每个 d_model² 个数；bias 为 True 时各再加 d_model 个。",
    ),
)
