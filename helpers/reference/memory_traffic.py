"""Count every number that attention moves between slow and fast memory, with whole matrices and with tiles.

Source: Dao et al. 2022, *FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness*, algorithms 0
and 1, theorem 2 (arXiv:2205.14135).
"""

import numpy as np

from helpers.reference.attention import scores, softmax


def memory_traffic(seq_len, d_k, block_size):
    """Count the numbers moved by plain attention (algorithm 0) and by tiled attention (algorithm 1).

    Plain: load q and k, store the scores, load them, store the weights, load them and v, store the output. Tiled: store
    an empty output and two empty statistics per query; load k and v once; for each tile of keys load all queries,
    outputs and statistics, and store outputs and statistics again.

    Parameters
    ----------
    seq_len : int
        Queries, and as many keys.
    d_k : int
        Size of a query, a key, and a value.
    block_size : int
        Keys in a tile; the last tile may have fewer.

    Returns
    -------
    plain, tiled : int

    Examples
    --------
    >>> memory_traffic(seq_len=4, d_k=1, block_size=2)
    (80, 76)
    """
    matrix, statistics = seq_len * d_k, 2 * seq_len  # one of q, k, v, output; largest and total of every query
    plain = 4 * matrix + 4 * seq_len**2
    n_tiles = -(-seq_len // block_size)  # rounded up: a ragged tile is a tile
    tiled = 3 * matrix + statistics + n_tiles * (3 * matrix + 2 * statistics)
    return plain, tiled


class SlowMemory:
    """Large and far away: what is computed on must be loaded first, and every number that crosses is counted.

    Parameters
    ----------
    **arrays : arrays
        What lies there from the start, such as `q=...`, `k=...`, `v=...`; bringing it there is not counted.

    Examples
    --------
    >>> memory = SlowMemory(x=np.arange(6.0))
    >>> memory.store("y", 2 * memory.load("x", slice(0, 2)))
    >>> memory.loaded, memory.stored, memory.moved
    (2, 2, 4)
    """

    def __init__(self, **arrays):
        self._arrays = {name: np.array(array, dtype=float) for name, array in arrays.items()}
        self.loaded = self.stored = 0
        self.log = []

    @property
    def moved(self):
        """How many numbers have crossed, both ways."""
        return self.loaded + self.stored

    def n_rows(self, name):
        """Return the length of an array; that costs nothing."""
        return len(self._arrays[name])

    def n_columns(self, name):
        """Return how many numbers a row has; that costs nothing."""
        return self._arrays[name].shape[-1]

    def load(self, name, rows=slice(None)):
        """Return a copy of some rows of an array, counted."""
        values = self._arrays[name][rows].copy()
        self.loaded += values.size
        self.log.append(("load", name, values.size))
        return values

    def store(self, name, values, rows=None):
        """Put an array there, or new values into some rows of one that is there, counted."""
        values = np.asarray(values, dtype=float)
        if rows is None:
            self._arrays[name] = values.copy()
        else:
            self._arrays[name][rows] = values
        self.stored += values.size
        self.log.append(("store", name, values.size))

    def look(self, name):
        """Return a copy of an array without counting: for us, not for the algorithm."""
        return self._arrays[name].copy()


def plain_in_memory(memory):
    """Run attention with whole matrices on a slow memory that holds q, k and v: algorithm 0.

    Parameters
    ----------
    memory : SlowMemory
        Gets "scores", "weights" and "output", and counts.

    Returns
    -------
    output : (n_queries, d_v) array

    Examples
    --------
    >>> memory = SlowMemory(q=np.zeros((4, 1)), k=np.zeros((4, 1)), v=[[1.0], [2.0], [3.0], [6.0]])
    >>> plain_in_memory(memory)[0], memory.moved
    (array([3.]), 80)
    """
    memory.store("scores", scores(memory.load("q"), memory.load("k")))
    memory.store("weights", softmax(memory.load("scores")))
    memory.store("output", memory.load("weights") @ memory.load("v"))  # (n, m) @ (m, d_v) -> (n, d_v)
    return memory.look("output")


def tiled_in_memory(memory, block_q, block_k):
    """Run attention tile by tile on a slow memory that holds q, k and v: algorithm 1.

    Parameters
    ----------
    memory : SlowMemory
        Gets "output", "largest" and "total", and counts.
    block_q, block_k : int
        Queries and keys in a tile.

    Returns
    -------
    output : (n_queries, d_v) array

    Examples
    --------
    >>> memory = SlowMemory(q=np.zeros((4, 1)), k=np.zeros((4, 1)), v=[[1.0], [2.0], [3.0], [6.0]])
    >>> tiled_in_memory(memory, block_q=1, block_k=2)[0], memory.moved
    (array([3.]), 76)
    """
    n_queries = memory.n_rows("q")
    memory.store("output", np.zeros((n_queries, memory.n_columns("v"))))
    memory.store("largest", np.full(n_queries, -np.inf))
    memory.store("total", np.zeros(n_queries))
    for keys in _tiles(memory.n_rows("k"), block_k):
        k, v = memory.load("k", keys), memory.load("v", keys)
        for queries in _tiles(n_queries, block_q):
            _absorb(memory, queries, k, v)
    return memory.look("output")


def _absorb(memory, queries, k, v):
    """Bring one tile of queries up to date with one tile of keys and values: lines 8 to 13 of algorithm 1."""
    tile_scores = scores(memory.load("q", queries), k)  # (b_q, d_k) @ (d_k, b_k) -> (b_q, b_k)
    old_output = memory.load("output", queries)
    old_largest, old_total = memory.load("largest", queries), memory.load("total", queries)
    largest = np.maximum(old_largest, tile_scores.max(axis=-1))
    kept = np.exp(old_largest - largest) * old_total  # (b_q,): the old sum, measured by the new largest
    exps = np.exp(tile_scores - largest[:, None])
    total = kept + exps.sum(axis=-1)
    memory.store("output", (kept[:, None] * old_output + exps @ v) / total[:, None], queries)
    memory.store("largest", largest, queries)
    memory.store("total", total, queries)


def _tiles(n_rows, block_size):
    return [slice(start, start + block_size) for start in range(0, n_rows, block_size)]


def fast_memory_needed(d_k, block_q, block_k):
    """Count the numbers that tiled attention holds at once: tiles of q, k, v and output, their scores, the statistics.

    Parameters
    ----------
    d_k, block_q, block_k : int

    Returns
    -------
    numbers : int

    Examples
    --------
    >>> fast_memory_needed(d_k=2, block_q=1, block_k=3)
    21
    """
    tiles = 2 * block_k * d_k + 2 * block_q * d_k
    return tiles + block_q * block_k + 2 * block_q


def paper_blocks(fast_memory, d_k):
    """Return the tile sizes that algorithm 1 takes for a fast memory of so many numbers.

    Parameters
    ----------
    fast_memory : int
    d_k : int

    Returns
    -------
    block_q, block_k : int

    Examples
    --------
    >>> paper_blocks(fast_memory=50000, d_k=64)
    (64, 196)
    """
    block_k = -(-fast_memory // (4 * d_k))
    return min(block_k, d_k), block_k


def traffic_curve(seq_len, d_k, block_sizes):
    """Count the numbers moved for several block sizes.

    Parameters
    ----------
    seq_len, d_k : int
    block_sizes : sequence of int

    Returns
    -------
    plain : int
        Knows no blocks.
    tiled : (n_sizes,) int array

    Examples
    --------
    >>> traffic_curve(4, 1, [1, 2, 4])
    (80, array([132,  76,  48]))
    """
    counts = [memory_traffic(seq_len, d_k, block_size) for block_size in block_sizes]
    return counts[0][0], np.array([tiled for _, tiled in counts])
