"""Exercise `architecture.kv_cache_bytes`: how much the keys and values of all tokens take."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import sizes as reference

CORE, SHARED, PRECISION = "每个头各有键和值", "键和值的头少一些", "别的精度"


def cases(rng):
    batch, length, layers, heads, d_k = (int(n) for n in rng.integers([2, 20, 3, 4, 8], [6, 90, 9, 7, 30]))
    return [
        Case(CORE, (1, 2, 3, 5, 7, 2)),
        Case(CORE, (1, 1024, 48, 25, 64)),
        Case(CORE, (batch, length, layers, heads, d_k, 2)),
        Case(SHARED, (batch, length, layers, 1, d_k)),
        Case(SHARED, (3, 7, 5, 2, 64, 2)),
        Case(PRECISION, (3, 5, 2, 7, 11, 4)),
        Case(PRECISION, (batch, length, layers, heads, d_k, 1)),
    ]


def keys_alone(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return batch * seq_len * n_layers * n_kv_heads * d_k * bytes_per_number


def queries_too(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 3 * batch * seq_len * n_layers * n_kv_heads * d_k * bytes_per_number


def one_layer(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 2 * batch * seq_len * n_kv_heads * d_k * bytes_per_number


def one_text(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 2 * seq_len * n_layers * n_kv_heads * d_k * bytes_per_number


def one_head(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 2 * batch * seq_len * n_layers * d_k * bytes_per_number


def one_token(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 2 * batch * n_layers * n_kv_heads * d_k * bytes_per_number


def numbers_not_bytes(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 2 * batch * seq_len * n_layers * n_kv_heads * d_k


def always_half_precision(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 4 * batch * seq_len * n_layers * n_kv_heads * d_k


def always_single_precision(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 8 * batch * seq_len * n_layers * n_kv_heads * d_k


def weights_cached(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return batch * seq_len**2 * n_layers * n_kv_heads * bytes_per_number


def length_squared(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 2 * batch * seq_len**2 * n_layers * n_kv_heads * d_k * bytes_per_number


def heads_counted_twice(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 2 * batch * seq_len * n_layers * n_kv_heads**2 * d_k * bytes_per_number


def bits(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    return 16 * batch * seq_len * n_layers * n_kv_heads * d_k * bytes_per_number


def from_the_shape(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    shape = (n_layers, 2, batch, n_kv_heads, seq_len, d_k)
    return int(np.prod(shape, dtype=np.int64)) * bytes_per_number


def token_by_token(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    total = 0
    for _ in range(batch * seq_len):
        total += n_layers * n_kv_heads * (d_k + d_k) * bytes_per_number
    return total


def from_empty_arrays(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    numbers = np.empty((2, n_kv_heads, d_k)).size
    return np.float32(numbers * bytes_per_number) * np.float32(batch * seq_len * n_layers)


EXERCISE = Exercise(
    id="architecture.kv_cache_bytes",
    title="KV 缓存有多大",
    points=1,
    reference=reference.kv_cache_bytes,
    returns=("n_bytes",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(SHARED, 0.2), Behaviour(PRECISION, 0.2)),
    slips=(
        Slip(
            "只算了键",
            keys_alone,
            wrong="只有一半：键和值都要存。",
            look="每个 token、每层、每个头存两个向量。",
        ),
        Slip(
            "查询也存了",
            queries_too,
            wrong="旧的查询以后用不到，不存。",
            look="只存键和值：2，不是 3。",
        ),
        Slip(
            "只算了一层",
            one_layer,
            wrong="每一层有自己的键和值。",
            look="乘上 n_layers。",
        ),
        Slip(
            "只算了一段文字",
            one_text,
            wrong="一批里的每段文字各有自己的缓存。",
            look="乘上 batch。",
        ),
        Slip(
            "只算了一个头",
            one_head,
            wrong="每个有自己的键和值的头都要存。",
            look="乘上 n_kv_heads。",
        ),
        Slip(
            "只算了一个 token",
            one_token,
            wrong="所有已有的 token 都在缓存里。",
            look="乘上 seq_len。",
        ),
        Slip(
            "算的是个数，不是字节",
            numbers_not_bytes,
            wrong="个数是对的；每个数还要占 bytes_per_number 个字节。",
            look="乘上 bytes_per_number。",
        ),
        Slip(
            "总按半精度算",
            always_half_precision,
            wrong="bytes_per_number 没有用上，总是 2。",
            look="乘上参数 bytes_per_number。",
        ),
        Slip(
            "总按单精度算",
            always_single_precision,
            wrong="bytes_per_number 没有用上，总是 4。",
            look="乘上参数 bytes_per_number。",
        ),
        Slip(
            "存的是权重",
            weights_cached,
            wrong="缓存里是键和值，不是注意力权重；权重用过就扔。",
            look="每个 token 存两个长 d_k 的向量。",
        ),
        Slip(
            "长度平方了",
            length_squared,
            wrong="缓存随长度成正比增长，不是平方：每个 token 只存一次。",
            look="乘一次 seq_len。",
        ),
        Slip(
            "头的个数乘了两次",
            heads_counted_twice,
            wrong="d_k 已经是一个头的大小，头的个数只乘一次。",
            look="n_kv_heads × d_k。",
        ),
        Slip(
            "算成了比特",
            bits,
            wrong="正好是 8 倍：要的是字节。",
            look="不要再乘 8。",
        ),
    ),
    styles=(from_the_shape, token_by_token, from_empty_arrays),
    hints=(
        "一个 token 在一层的一个头里存什么？再乘上层数、头数、token 数、批量。",
        "一个键、一个值，各 d_k 个数；每个数 bytes_per_number 个字节。",
        "2 × batch × seq_len × n_layers × n_kv_heads × d_k × bytes_per_number。",
    ),
)
