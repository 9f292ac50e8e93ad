"""Words as vectors that are openly made by hand, looked up in a table, and compared as in the analogy task.

Nothing here is learnt: each coordinate was given a meaning and each word its numbers, so that all can be checked.
Source of the task: Mikolov et al. 2013 (arXiv:1301.3781), section 4; of the caution about leaving words out:
Linzen 2016 (arXiv:1606.07736).
"""

import numpy as np

from helpers.reference.vectors import cosine

# What each coordinate stands for.
FEATURES = ("人", "王室", "男 ↔ 女", "年长 ↔ 年幼", "地方", "首都", "中国 ↔ 法国", "食物")
_VECTORS = {
    "国王": (1.0, 1.0, 0.9, 0.6, 0.0, 0.0, 0.0, 0.0),
    "王后": (1.0, 0.9, -0.9, 0.5, 0.0, 0.0, 0.0, 0.0),
    "王子": (1.0, 0.9, 0.9, -0.7, 0.0, 0.0, 0.0, 0.0),
    "公主": (1.0, 0.9, -1.0, -0.6, 0.0, 0.0, 0.0, 0.0),
    "男人": (1.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0),
    "女人": (1.0, 0.0, -1.0, 0.5, 0.0, 0.0, 0.0, 0.0),
    "男孩": (1.0, 0.0, 0.9, -0.8, 0.0, 0.0, 0.0, 0.0),
    "女孩": (1.0, 0.1, -0.9, -0.8, 0.0, 0.0, 0.0, 0.0),
    "中国": (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0),
    "法国": (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0),
    "北京": (0.0, 0.0, 0.0, 0.0, 1.0, 0.4, 1.0, 0.0),
    "巴黎": (0.0, 0.2, 0.0, 0.0, 0.9, 0.9, -0.8, 0.2),
    "米饭": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4, 1.0),
    "面包": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.4, 1.0),
}
WORDS = tuple(_VECTORS)
TABLE = [list(vector) for vector in _VECTORS.values()]  # (n_words, n_features)

# (a, b, c, expected): a is to b as c is to expected.
ANALOGIES = (
    ("男人", "国王", "女人", "王后"),
    ("国王", "王子", "王后", "公主"),
    ("男人", "男孩", "女人", "女孩"),
    ("中国", "北京", "法国", "巴黎"),
    ("中国", "米饭", "法国", "面包"),
)
# With the three given words left in, this one gives back one of them.
FAILS = ("中国", "北京", "法国", "巴黎")


def embed(words):
    """Look words up in the table.

    Parameters
    ----------
    words : list of str

    Returns
    -------
    x : (n_words, d) array

    Raises
    ------
    ValueError
        If a word is not in the table.

    Examples
    --------
    >>> embed(["男人"])[0, :3]
    array([1., 0., 1.])
    """
    _require_known(words)
    return lookup([WORDS.index(word) for word in words], TABLE)


def one_hot(ids, vocab_size):
    """Write each number as a row with a single 1.

    Parameters
    ----------
    ids : (...) int array
    vocab_size : int

    Returns
    -------
    rows : (..., vocab_size) array

    Examples
    --------
    >>> one_hot([2, 0], 3)
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    return np.eye(vocab_size)[np.asarray(ids)]


def lookup(ids, table):
    """Take rows of an embedding table, as a linear map of one-hot rows: the product is the row itself.

    Parameters
    ----------
    ids : (...) int array
    table : (vocab_size, d_model) array

    Returns
    -------
    x : (..., d_model) array

    Examples
    --------
    >>> lookup([1, 1, 0], [[10.0, 11.0], [20.0, 21.0]])
    array([[20., 21.],
           [20., 21.],
           [10., 11.]])
    """
    table = np.asarray(table, dtype=float)
    return one_hot(ids, len(table)) @ table  # (..., vocab_size) @ (vocab_size, d_model) -> (..., d_model)


def analogy(a, b, c, exclude=True):
    """Answer "a is to b as c is to what?": order the words by their cosine with `b - a + c`.

    Parameters
    ----------
    a, b, c : str
    exclude : bool
        Whether the three given words are left out, as the literature does: one of them is often the nearest.

    Returns
    -------
    answers : list of (str, float)
        Words and cosines, the best first.

    Examples
    --------
    >>> [word for word, _ in analogy("男人", "国王", "女人")[:2]]
    ['王后', '公主']
    """
    vector_a, vector_b, vector_c = embed([a, b, c])
    cosines = cosine(vector_b - vector_a + vector_c, embed(WORDS))  # (n_words,)
    given = {a, b, c} if exclude else set()
    answers = [(word, float(value)) for word, value in zip(WORDS, cosines, strict=True) if word not in given]
    return sorted(answers, key=lambda answer: -answer[1])


def _require_known(words):
    unknown = [word for word in words if word not in WORDS]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not in the table, which has {', '.join(WORDS)}")
