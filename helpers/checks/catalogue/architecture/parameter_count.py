"""Exercise `architecture.parameter_count`: all the numbers of a GPT-2."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import sizes as reference

CORE, UNTIED = "共用词嵌入（GPT-2）", "输出矩阵另算"


def cases(rng):
    vocab, places, width, layers = (int(n) for n in rng.integers([50, 7, 3, 2], [90, 20, 9, 6]))
    return [
        Case(CORE, (3, 2, 1, 0, True)),
        Case(CORE, (5, 3, 2, 1)),
        Case(CORE, (vocab, places, width, layers, True)),
        Case(CORE, (50257, 1024, 768, 12)),
        Case(CORE, (11, 7, 8, 150, True)),
        Case(UNTIED, (3, 2, 1, 0, False)),
        Case(UNTIED, (vocab, places, width, layers, False)),
    ]


def _block(d):
    return 4 * (d * d + d) + 8 * d * d + 5 * d + 4 * d


def always_untied(vocab_size, n_positions, d_model, n_layers, tied=True):
    return (2 * vocab_size + n_positions) * d_model + n_layers * _block(d_model) + 2 * d_model


def always_tied(vocab_size, n_positions, d_model, n_layers, tied=True):
    return (vocab_size + n_positions) * d_model + n_layers * _block(d_model) + 2 * d_model


def tied_the_other_way(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (2 if tied else 1) + n_positions
    return tables * d_model + n_layers * _block(d_model) + 2 * d_model


def bias_on_the_unembedding(vocab_size, n_positions, d_model, n_layers, tied=True):
    extra = 0 if tied else vocab_size * d_model + vocab_size
    return (vocab_size + n_positions) * d_model + n_layers * _block(d_model) + 2 * d_model + extra


def embedding_forgotten(vocab_size, n_positions, d_model, n_layers, tied=True):
    extra = 0 if tied else vocab_size * d_model
    return n_positions * d_model + n_layers * _block(d_model) + 2 * d_model + extra


def positions_forgotten(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2)
    return tables * d_model + n_layers * _block(d_model) + 2 * d_model


def last_norm_forgotten(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * _block(d_model)


def one_norm_per_block(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - 2 * d_model) + 2 * d_model


def norms_forgotten(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - 4 * d_model)


def norms_without_shift(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - 2 * d_model) + d_model


def biases_forgotten(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (12 * d_model**2 + 4 * d_model) + 2 * d_model


def attention_without_biases(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - 4 * d_model) + 2 * d_model


def ffn_without_biases(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - 5 * d_model) + 2 * d_model


def w_o_forgotten(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - d_model**2 - d_model) + 2 * d_model


def one_ffn_matrix(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - 4 * d_model**2 - d_model) + 2 * d_model


def ffn_as_wide_as_the_model(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + n_layers * (_block(d_model) - 6 * d_model**2 - 3 * d_model) + 2 * d_model


def one_block(vocab_size, n_positions, d_model, n_layers, tied=True):
    tables = vocab_size * (1 if tied else 2) + n_positions
    return tables * d_model + _block(d_model) + 2 * d_model


def with_shapes(vocab_size, n_positions, d_model, n_layers, tied=True):
    d, f = d_model, 4 * d_model
    block = [(d, d), (d,)] * 4 + [(d, f), (f,), (f, d), (d,)] + [(d,)] * 4
    shapes = [(vocab_size, d), (n_positions, d), *(block * n_layers), (d,), (d,)]
    shapes += [] if tied else [(d, vocab_size)]
    return sum(int(np.prod(shape)) for shape in shapes)


def in_one_formula(vocab_size, n_positions, d_model, n_layers, tied=True):
    n_tables = 1 if tied else 2
    return d_model * (n_tables * vocab_size + n_positions + n_layers * (12 * d_model + 13) + 2)


def layer_by_layer(vocab_size, n_positions, d_model, n_layers, tied=True):
    count = np.float64(vocab_size * d_model) + n_positions * d_model
    for _ in range(n_layers):
        count += 3 * d_model * (d_model + 1) + d_model * (d_model + 1)
        count += (d_model + 1) * 4 * d_model + (4 * d_model + 1) * d_model
        count += 2 * d_model + 2 * d_model
    count += 2 * d_model
    return count if tied else count + vocab_size * d_model


EXERCISE = Exercise(
    id="architecture.parameter_count",
    title="GPT-2 有多少参数",
    points=1,
    reference=reference.parameter_count,
    returns=("count",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(UNTIED, 0.3)),
    tolerance=1e-9,
    slips=(
        Slip(
            "输出矩阵总是另算",
            always_untied,
            wrong="词嵌入算了两次：tied 为 True 时，输出矩阵就是词嵌入，不另占参数。",
            look="tied 为 False 时才加 d_model × vocab_size。",
        ),
        Slip(
            "输出矩阵总是不算",
            always_tied,
            wrong="tied 为 False 时，输出矩阵另有 d_model × vocab_size 个数。",
            look="看一看参数 tied。",
        ),
        Slip(
            "tied 的真假反了",
            tied_the_other_way,
            wrong="tied（共用）为 True 时算了两次，为 False 时反而只算一次。",
            look="检查条件的方向。",
        ),
        Slip(
            "输出矩阵带了偏置",
            bias_on_the_unembedding,
            wrong="输出矩阵没有偏置。",
            look="只加 d_model × vocab_size。",
        ),
        Slip(
            "忘了词嵌入",
            embedding_forgotten,
            wrong="每个词有一个长 d_model 的向量。",
            look="vocab_size × d_model。",
        ),
        Slip(
            "忘了位置",
            positions_forgotten,
            wrong="GPT-2 的位置向量也是学出来的。",
            look="n_positions × d_model。",
        ),
        Slip(
            "忘了最后一次归一化",
            last_norm_forgotten,
            wrong="只差 2 × d_model：所有 block 之后还有一次归一化。",
            look="最后再加 2 × d_model。",
        ),
        Slip(
            "每个 block 只算了一次归一化",
            one_norm_per_block,
            wrong="注意力之前一次，FFN 之前一次。",
            look="每个 block 有 2 × 2 × d_model 个归一化的参数。",
        ),
        Slip(
            "忘了所有的归一化",
            norms_forgotten,
            wrong="每次归一化有 gain 和 shift，各 d_model 个数。",
            look="每个 block 两次，最后还有一次。",
        ),
        Slip(
            "归一化少了 shift",
            norms_without_shift,
            wrong="每次归一化有 gain 和 shift 两个向量。",
            look="一次归一化 2 × d_model。",
        ),
        Slip(
            "忘了所有的偏置",
            biases_forgotten,
            wrong="GPT-2 的六个矩阵都带偏置。",
            look="注意力 4 × d_model，FFN 是 4 × d_model + d_model。",
        ),
        Slip(
            "注意力没有算偏置",
            attention_without_biases,
            wrong="少了 4 × d_model 个：注意力的四个投影各有一个偏置（FFN 里那个长 4 × d_model 的偏置也正好这么多）。",
            look="每层的偏置：注意力 4 × d_model，FFN 4 × d_model + d_model。",
        ),
        Slip(
            "FFN 没有算偏置",
            ffn_without_biases,
            wrong="FFN 的两个矩阵也带偏置：一个长 d_ff，一个长 d_model。",
            look="d_model × d_ff + d_ff + d_ff × d_model + d_model。",
        ),
        Slip(
            "忘了 w_o",
            w_o_forgotten,
            wrong="注意力有四个投影：w_q、w_k、w_v、w_o。",
            look="4 × (d_model² + d_model)。",
        ),
        Slip(
            "FFN 只算了一个矩阵",
            one_ffn_matrix,
            wrong="放宽一个，收回一个。",
            look="d_model × d_ff + d_ff + d_ff × d_model + d_model。",
        ),
        Slip(
            "FFN 和模型一样宽",
            ffn_as_wide_as_the_model,
            wrong="FFN 中间有 d_ff = 4 × d_model 个数。",
            look="d_ff = 4 * d_model。",
        ),
        Slip(
            "只算了一个 block",
            one_block,
            wrong="block 有 n_layers 个。",
            look="一个 block 的参数乘 n_layers。",
        ),
    ),
    styles=(with_shapes, in_one_formula, layer_by_layer),
    hints=(
        "分成四部分：词和位置两张表，n_layers 个 block，最后一次归一化，（不共用时）输出矩阵。",
        "一个 block：注意力 4 × (d² + d)，FFN 是 d × 4d + 4d + 4d × d + d，两次归一化 2 × 2d。",
        "(vocab_size + n_positions) × d + n_layers × (12d² + 13d) + 2d；tied 为 False 时再加 d × vocab_size。",
    ),
)
