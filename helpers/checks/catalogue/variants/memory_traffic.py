"""Exercise `variants.memory_traffic`: how many numbers cross between slow and fast memory."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import memory_traffic as reference

CORE, RAGGED = "块的大小除得尽", "最后一块不满"


def cases(rng):
    block_size, n_tiles, d_k = (int(n) for n in rng.integers([5, 3, 11], [10, 8, 40]))
    return [
        Case(CORE, (4, 1, 2)),
        Case(CORE, (12, 5, 3)),
        Case(CORE, (1024, 64, 128)),
        Case(CORE, (n_tiles * block_size, d_k, block_size)),
        Case(CORE, (7, 3, 7)),
        Case(CORE, (5, 2, 1)),
        Case(RAGGED, (7, 3, 2)),
        Case(RAGGED, (5, 2, 9)),
        Case(RAGGED, (n_tiles * block_size + 2, d_k, block_size)),
    ]


def _plain(n, d):
    return 4 * n * n + 4 * n * d


def _tiled(n, d, n_tiles):
    return 3 * n * d + 2 * n + n_tiles * (3 * n * d + 4 * n)


def _up(seq_len, block_size):
    return math.ceil(seq_len / block_size)


def tiles_rounded_down(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, seq_len // block_size)


def a_share_of_a_tile(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, seq_len / block_size)


def block_size_as_number_of_tiles(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, block_size)


def one_pass(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, 1)


def keys_loaded_for_each_tile(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), nd + 2 * seq_len + t * (5 * nd + 4 * seq_len)


def output_not_loaded_again(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 3 * nd + 2 * seq_len + t * (2 * nd + 4 * seq_len)


def queries_loaded_once(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 4 * nd + 2 * seq_len + t * (2 * nd + 4 * seq_len)


def output_stored_once(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 4 * nd + t * nd


def statistics_forgotten(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 3 * nd + t * 3 * nd


def one_statistic(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 3 * nd + seq_len + t * (3 * nd + 2 * seq_len)


def statistics_one_way(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 3 * nd + 2 * seq_len + t * (3 * nd + 2 * seq_len)


def statistics_as_wide_as_the_output(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 5 * nd + t * 7 * nd


def start_not_stored(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 2 * nd + t * (3 * nd + 4 * seq_len)


def keys_not_loaded(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), nd + 2 * seq_len + t * (3 * nd + 4 * seq_len)


def values_not_loaded(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 2 * nd + 2 * seq_len + t * (3 * nd + 4 * seq_len)


def scores_of_tiles_stored(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, _up(seq_len, block_size)) + 2 * seq_len**2


def only_loads(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return 2 * seq_len**2 + 3 * nd, 2 * nd + t * (2 * nd + 2 * seq_len)


def matrices_stored_not_loaded(seq_len, d_k, block_size):
    n, nd = seq_len, seq_len * d_k
    return 2 * n * n + 4 * nd, _tiled(n, d_k, _up(n, block_size))


def weights_kept_in_fast_memory(seq_len, d_k, block_size):
    n, nd = seq_len, seq_len * d_k
    return 3 * n * n + 4 * nd, _tiled(n, d_k, _up(n, block_size))


def matrices_as_vectors(seq_len, d_k, block_size):
    n, nd = seq_len, seq_len * d_k
    return 4 * n + 4 * nd, _tiled(n, d_k, _up(n, block_size))


def only_the_matrices(seq_len, d_k, block_size):
    return 4 * seq_len**2, _tiled(seq_len, d_k, _up(seq_len, block_size))


def output_of_the_plain_one_forgotten(seq_len, d_k, block_size):
    n, nd = seq_len, seq_len * d_k
    return 4 * n * n + 3 * nd, _tiled(n, d_k, _up(n, block_size))


def multiplications(seq_len, d_k, block_size):
    return 2 * seq_len**2 * d_k, 2 * seq_len**2 * d_k


def bytes_of_half_precision(seq_len, d_k, block_size):
    return 2 * _plain(seq_len, d_k), 2 * _tiled(seq_len, d_k, _up(seq_len, block_size))


def exchanged(seq_len, d_k, block_size):
    return _tiled(seq_len, d_k, _up(seq_len, block_size)), _plain(seq_len, d_k)


def keys_for_each_tile_of_queries(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), 2 * nd + 2 * nd * t


def one_tile_more(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, seq_len // block_size + 1)


def ragged_tile_as_a_whole_one(seq_len, d_k, block_size):
    nd, t = seq_len * d_k, _up(seq_len, block_size)
    return _plain(seq_len, d_k), nd + 2 * seq_len + t * (2 * block_size * d_k + 3 * nd + 4 * seq_len)


def tiles_of_queries_times_tiles_of_keys(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, _up(seq_len, block_size) ** 2)


def empty_statistics_not_stored(seq_len, d_k, block_size):
    return _plain(seq_len, d_k), _tiled(seq_len, d_k, _up(seq_len, block_size)) - 2 * seq_len


def line_by_line(seq_len, d_k, block_size):
    plain = [("q", "k", "S"), ("S", "P"), ("P", "v", "o")]
    size = dict.fromkeys("qkvo", seq_len * d_k) | {"S": seq_len**2, "P": seq_len**2}
    moved = size["o"] + seq_len + seq_len
    for start in range(0, seq_len, block_size):
        n_keys = min(block_size, seq_len - start)
        moved += n_keys * d_k + n_keys * d_k
        for _ in range(seq_len):
            moved += 2 * d_k + 2
            moved += d_k + 2
    return sum(size[name] for line in plain for name in line), moved


def with_bincount(seq_len, d_k, block_size):
    tiles = np.unique(np.arange(seq_len) // block_size).size
    per_query_and_tile = np.array([d_k, d_k, d_k, 1, 1, 1, 1]).sum()
    return np.array([4 * seq_len * (seq_len + d_k), seq_len * (3 * d_k + 2 + tiles * per_query_and_tile)])


def factored(seq_len, d_k, block_size):
    n_tiles = (seq_len + block_size - 1) // block_size
    return 4.0 * seq_len * (seq_len + d_k), np.float32(seq_len) * (3 * d_k * (n_tiles + 1) + 2 * (2 * n_tiles + 1))


EXERCISE = Exercise(
    id="variants.memory_traffic",
    title="搬了多少个数",
    points=2,
    reference=reference.memory_traffic,
    returns=("plain", "tiled"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(RAGGED, 0.3)),
    slips=(
        Slip(
            "块数向下取整了",
            tiles_rounded_down,
            wrong="除不尽时，末尾不满的一块没有算：它也要把所有的查询再搬一遍。",
            look="向上取整：-(-seq_len // block_size)。",
        ),
        Slip(
            "块数不是整数",
            a_share_of_a_tile,
            wrong="不满的一块也是一块：查询仍要整个再搬一遍。",
            look="向上取整：-(-seq_len // block_size)。",
        ),
        Slip(
            "把块的大小当作块数",
            block_size_as_number_of_tiles,
            wrong="block_size 是一块里有几个键；块越大，块数越少。",
            look="n_tiles = -(-seq_len // block_size)。",
        ),
        Slip(
            "只走了一遍",
            one_pass,
            wrong="每一块键都要和所有的查询比较：查询、输出和两个统计量，每一块都要搬一遍。",
            look="这些乘上 n_tiles。",
        ),
        Slip(
            "键和值每一块都搬了全部",
            keys_loaded_for_each_tile,
            wrong="每一块只搬自己的键和值，合起来每个键和值只搬一次。",
            look="键和值一共 2 × n × d，不乘块数。",
        ),
        Slip(
            "旧的输出没有搬进来",
            output_not_loaded_again,
            wrong="要更新输出，先得把旧的搬进来，再存回去：每一块各 n × d。",
            look="每一块：查询 nd，旧的输出 nd，新的输出 nd。",
        ),
        Slip(
            "查询只搬了一次",
            queries_loaded_once,
            wrong="快存只放得下一块：每一块键来时，查询都要再搬一遍。",
            look="查询的 n × d 也乘上 n_tiles。",
        ),
        Slip(
            "输出和统计量都留在了快存里",
            output_stored_once,
            wrong="快存放不下全部的输出：每一块键来时，都要搬进来、更新、存回去。",
            look="每一块：查询 nd，旧的输出 nd，新的输出 nd，统计量进出 4n。",
        ),
        Slip(
            "忘了两个统计量",
            statistics_forgotten,
            wrong="每个查询还有最大值和总和，要存、要搬进来。",
            look="开始时存 2n；每一块搬进来 2n，存回去 2n。",
        ),
        Slip(
            "只算了一个统计量",
            one_statistic,
            wrong="每个查询有两个：最大值和总和。",
            look="开始时存 2n；每一块搬进来 2n，存回去 2n。",
        ),
        Slip(
            "统计量只算了一趟",
            statistics_one_way,
            wrong="统计量每一块都要搬进来，更新之后还要存回去。",
            look="每一块 2n + 2n。",
        ),
        Slip(
            "统计量当作了向量",
            statistics_as_wide_as_the_output,
            wrong="最大值和总和对每个查询各是一个数，不是 d_k 个。",
            look="两个统计量一共 2n 个数。",
        ),
        Slip(
            "开始时存的没有算",
            start_not_stored,
            wrong="开始时要存下空的输出和统计量：n × d + 2n。",
            look="加上 nd + 2n。",
        ),
        Slip(
            "键和值没有算",
            keys_not_loaded,
            wrong="每个键和值都要搬进来一次：2 × n × d。",
            look="加上 2nd。",
        ),
        Slip(
            "值没有算",
            values_not_loaded,
            wrong="键和值都要搬进来：一共 2 × n × d。",
            look="再加一个 nd。",
        ),
        Slip(
            "分块的也存了分数",
            scores_of_tiles_stored,
            wrong="分块的好处正在这里：分数只在快存里，用过就扔。",
            look="分块的一边没有 n²。",
        ),
        Slip(
            "只算了搬进来的",
            only_loads,
            wrong="存回去也是搬。",
            look="两个方向都算。",
        ),
        Slip(
            "分数和权重只算了一趟",
            matrices_stored_not_loaded,
            wrong="分数存了还要搬进来做 softmax，权重存了还要搬进来乘 v：各两趟。",
            look="4 × n²。",
        ),
        Slip(
            "权重只算了一趟",
            weights_kept_in_fast_memory,
            wrong="分数和权重都要存，也都要再搬进来：各两趟。",
            look="4 × n²。",
        ),
        Slip(
            "把矩阵当作了向量",
            matrices_as_vectors,
            wrong="分数和权重各有 n × n 个数。",
            look="4 × n²。",
        ),
        Slip(
            "忘了 q、k、v 和输出",
            only_the_matrices,
            wrong="普通的一边还要搬进 q、k、v，存下输出。",
            look="再加 4nd。",
        ),
        Slip(
            "普通的一边少了一个 n × d",
            output_of_the_plain_one_forgotten,
            wrong="q、k、v 搬进来，输出存回去：一共四个。",
            look="4nd。",
        ),
        Slip(
            "数了乘法",
            multiplications,
            wrong="乘法的次数两边一样；不同的是搬了多少个数。",
            look="一行一行地数：搬进来的，存回去的。",
        ),
        Slip(
            "算成了字节",
            bytes_of_half_precision,
            wrong="正好是 2 倍：要的是数的个数。",
            look="不乘每个数的字节数。",
        ),
        Slip(
            "两个结果对调了",
            exchanged,
            wrong="两个都对，顺序反了。",
            look="先普通的，再分块的。",
        ),
        Slip(
            "外面的循环走的是查询",
            keys_for_each_tile_of_queries,
            wrong="这是后来的做法（FlashAttention-2）：输出留在快存里，键和值每次重搬。题目里外面的循环走的是键。",
            look="按题目里的次序数：每一块键，搬一遍全部的查询、输出和统计量。",
        ),
        Slip(
            "块数总多加了一",
            one_tile_more,
            wrong="除得尽时没有不满的一块：seq_len // block_size + 1 多算了一块。",
            look="向上取整：-(-seq_len // block_size)。",
        ),
        Slip(
            "不满的一块按满的搬了",
            ragged_tile_as_a_whole_one,
            wrong="最后一块只搬剩下的键和值：合起来每个键和值恰好搬一次。",
            look="键和值一共 2 × n × d，不必按块算。",
        ),
        Slip(
            "查询也按块乘了一遍",
            tiles_of_queries_times_tiles_of_keys,
            wrong="查询虽然也分块，但每一块键来时，全部的查询合起来只搬一遍。",
            look="每一块键：查询 nd，乘 n_tiles，不乘 n_tiles²。",
        ),
        Slip(
            "开始时的统计量没有算",
            empty_statistics_not_stored,
            wrong="开始时除了空的输出，还要存下两个统计量：2n。",
            look="加上 2n。",
        ),
    ),
    styles=(line_by_line, with_bincount, factored),
    hints=(
        "不用背公式，一行一行地数题目里的表：每一行搬了什么，有多少个数，做了几次。",
        "普通的：三行，q、k 进，分数出；分数进，权重出；权重、v 进，输出出。"
        "分块的：开始时存的、键和值、再加上每一块的七样。",
        "plain = 4n² + 4nd；n_tiles = -(-n // block_size)；tiled = (nd + 2n) + 2nd + n_tiles × (3nd + 4n)。",
    ),
)
