"""Exercise `variants.kv_cache_bytes`: what a model's configuration says about its cache."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import grouped as reference

CORE, WINDOW, PRECISION = "共用键值头", "滑动窗口只留最新的", "别的精度"


def cases(rng):
    length, layers, kv_heads, group_size, d_k = (int(n) for n in rng.integers([20, 3, 2, 3, 5], [90, 9, 5, 6, 30]))
    n_heads = kv_heads * group_size
    return [
        Case(CORE, (3, 2, 20, 4, 2)),
        Case(CORE, (1, 80, 8192, 64, 8)),
        Case(CORE, (length, layers, n_heads * d_k, n_heads, kv_heads, None, 2)),
        Case(CORE, (7, 5, 66, 6, 1, None)),
        Case(CORE, (5, 3, 28, 4, 4, None, 2)),
        Case(WINDOW, (length, layers, n_heads * d_k, n_heads, kv_heads, 7)),
        Case(WINDOW, (5, 3, 28, 4, 2, 9, 2)),
        Case(WINDOW, (6, 3, 28, 4, 2, 6, 2)),
        Case(PRECISION, (length, layers, n_heads * d_k, n_heads, kv_heads, None, 1)),
        Case(PRECISION, (5, 7, 66, 6, 3, None, 4)),
    ]


def _kept(seq_len, window):
    return seq_len if window is None else min(seq_len, window)


def every_query_head(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * _kept(seq_len, window) * n_layers * d_model * bytes_per_number


def d_model_for_each_head(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * _kept(seq_len, window) * n_layers * n_kv_heads * d_model * bytes_per_number


def group_size_for_groups(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    groups, d_k = n_heads // n_kv_heads, d_model // n_heads
    return 2 * _kept(seq_len, window) * n_layers * groups * d_k * bytes_per_number


def one_head(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * _kept(seq_len, window) * n_layers * (d_model // n_heads) * bytes_per_number


def keys_alone(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return _kept(seq_len, window) * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def queries_too(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    numbers = d_model + 2 * n_kv_heads * (d_model // n_heads)
    return _kept(seq_len, window) * n_layers * numbers * bytes_per_number


def one_layer(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * _kept(seq_len, window) * n_kv_heads * (d_model // n_heads) * bytes_per_number


def one_token(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def numbers_not_bytes(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * _kept(seq_len, window) * n_layers * n_kv_heads * (d_model // n_heads)


def always_half_precision(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 4 * _kept(seq_len, window) * n_layers * n_kv_heads * (d_model // n_heads)


def always_single_precision(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 8 * _kept(seq_len, window) * n_layers * n_kv_heads * (d_model // n_heads)


def bits(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 16 * _kept(seq_len, window) * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def length_squared(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * _kept(seq_len, window) ** 2 * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def window_ignored(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * seq_len * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def always_a_full_window(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    kept = seq_len if window is None else window
    return 2 * kept * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def the_larger_of_the_two(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    kept = max(seq_len, window or 0)
    return 2 * kept * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def one_less_than_the_window(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    kept = seq_len if window is None else min(seq_len, window - 1)
    return 2 * kept * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def window_one_too_long(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    kept = seq_len if window is None else min(seq_len, window + 1)
    return 2 * kept * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def window_once_for_each_token(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    kept = seq_len * (window or 1)
    return 2 * kept * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def window_always_a_number(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    return 2 * min(seq_len, window) * n_layers * n_kv_heads * (d_model // n_heads) * bytes_per_number


def from_the_shapes(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    kept = min(seq_len, window or seq_len)
    shape = (n_kv_heads, kept, d_model // n_heads)
    keys = values = int(np.prod(shape, dtype=np.int64))
    return n_layers * (keys + values) * bytes_per_number


def token_by_token(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    cache = []
    for token in range(seq_len):
        cache.append(token)
        if window is not None and len(cache) > window:
            cache.pop(0)
    return sum(n_layers * n_kv_heads * 2 * (d_model / n_heads) * bytes_per_number for _ in cache)


def as_a_share_of_multi_head(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    if window is not None and window < seq_len:
        seq_len = window
    return np.float32(2 * seq_len * n_layers * d_model * bytes_per_number) * n_kv_heads / n_heads


EXERCISE = Exercise(
    id="variants.kv_cache_bytes",
    title="从配置算出 KV 缓存",
    points=1,
    reference=reference.kv_cache_bytes,
    returns=("n_bytes",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(WINDOW, 0.3), Behaviour(PRECISION, 0.2)),
    slips=(
        Slip(
            "每个查询头都存了一份",
            every_query_head,
            wrong="结果和不共用时一样大。存的只有 n_kv_heads 个头；而一个头的大小由查询头决定：d_model // n_heads。",
            look="每层每个 token：2 × n_kv_heads × (d_model // n_heads) 个数。",
        ),
        Slip(
            "把 d_model 当作一个头的大小",
            d_model_for_each_head,
            wrong="一个头只有 d_model 的一部分。",
            look="d_k = d_model // n_heads。",
        ),
        Slip(
            "把组的大小当作组数",
            group_size_for_groups,
            wrong="n_heads // n_kv_heads 是一组里有几个查询头；要存的是键值头，有 n_kv_heads 个。",
            look="乘上 n_kv_heads。",
        ),
        Slip(
            "只算了一个键值头",
            one_head,
            wrong="每个键值头都要存。",
            look="乘上 n_kv_heads。",
        ),
        Slip(
            "只算了键",
            keys_alone,
            wrong="只有一半：键和值都要存。",
            look="每个 token、每层、每个键值头存两个向量。",
        ),
        Slip(
            "查询也存了",
            queries_too,
            wrong="旧的查询以后用不到，不存。",
            look="只存键和值。",
        ),
        Slip(
            "只算了一层",
            one_layer,
            wrong="每一层有自己的键和值。",
            look="乘上 n_layers。",
        ),
        Slip(
            "只算了一个 token",
            one_token,
            wrong="所有留着的 token 都在缓存里。",
            look="乘上 seq_len（有窗口时最多 window 个）。",
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
            "算成了比特",
            bits,
            wrong="正好是 8 倍：要的是字节。",
            look="不要再乘 8。",
        ),
        Slip(
            "长度平方了",
            length_squared,
            wrong="缓存随长度成正比增长，不是平方：每个 token 只存一次。",
            look="乘一次 seq_len。",
        ),
        Slip(
            "没有用到窗口",
            window_ignored,
            wrong="有滑动窗口时，窗口以外的 token 再也看不到，不用留着。",
            look="window 不是 None 时，只留 min(seq_len, window) 个。",
        ),
        Slip(
            "总按装满的窗口算",
            always_a_full_window,
            wrong="文字比窗口短时，缓存里只有已有的 token。",
            look="min(seq_len, window)。",
        ),
        Slip(
            "取了大的一个",
            the_larger_of_the_two,
            wrong="窗口是上限：留下的不会比它多，也不会比文字长。",
            look="min(seq_len, window)，不是 max。",
        ),
        Slip(
            "窗口多算了一个",
            window_one_too_long,
            wrong="窗口含自己：最多留 window 个词。",
            look="min(seq_len, window)。",
        ),
        Slip(
            "窗口少算了一个",
            one_less_than_the_window,
            wrong="窗口包含新的 token 自己，它的键和值也要存。",
            look="min(seq_len, window)，不减 1。",
        ),
        Slip(
            "长度和窗口乘在了一起",
            window_once_for_each_token,
            wrong="每个 token 的键和值只存一次，不是每个看它的 token 各存一份。",
            look="留下的个数是 min(seq_len, window)。",
        ),
        Slip(
            "没有窗口时出错",
            window_always_a_number,
            wrong="window 可以是 None，表示没有窗口，这时不能拿它来比较。",
            look="seq_len if window is None else min(seq_len, window)。",
        ),
    ),
    styles=(from_the_shapes, token_by_token, as_a_share_of_multi_head),
    hints=(
        "一个 token 在一层里存什么？只看键值头；一个头多大，由 d_model 和查询头的个数决定。",
        "d_k = d_model // n_heads；每层每个 token 存 2 × n_kv_heads × d_k 个数。留下几个 token，看 window。",
        "kept = seq_len if window is None else min(seq_len, window)；"
        "2 × kept × n_layers × n_kv_heads × (d_model // n_heads) × bytes_per_number。",
    ),
    equivalent_mutants={
        "the smaller of two does not depend on their order": ("min(seq_len, window) -> min(window, seq_len)",),
    },
)
