"""Small graphs that the lesson walks through: friends, roads, a little knowledge, an agent's tool calls, a sentence.

All are made by hand; nothing in them is learnt from data.
"""

import numpy as np

from helpers.reference.attention import causal_mask, masked_softmax
from helpers.reference.graphs import adjacency

FRIENDS = ("安安", "北北", "晨晨", "东东", "恩恩", "方方", "果果")
FRIEND_EDGES = ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (5, 6))  # two of them know nobody else

PLACES = ("家", "公园", "桥", "书店", "车站", "学校")
ROADS = ((0, 1), (0, 5), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5))
ROAD_MINUTES = (4, 30, 7, 3, 2, 5, 6)  # the direct road is the slowest way to school

KNOWLEDGE_TRIPLES = (
    ("Transformer", "使用", "自注意力"),
    ("Transformer", "发表于", "2017"),
    ("BERT", "基于", "Transformer"),
    ("BERT", "发表于", "2018"),
    ("GPT", "基于", "Transformer"),
    ("GPT", "发表于", "2018"),
    ("GPT", "使用", "因果掩码"),
    ("自注意力", "计算", "权重"),
    ("因果掩码", "遮住", "未来"),
)

TOOL_CALLS = ("读懂问题", "搜索网页", "查天气", "查车票", "整理资料", "算费用", "写行程")
TOOL_SECONDS = (2.0, 6.0, 3.0, 4.0, 5.0, 1.0, 4.0)
TOOL_EDGES = ((0, 1), (0, 2), (0, 3), (1, 4), (3, 5), (2, 6), (4, 6), (5, 6))

SENTENCE = ("小明", "把", "书", "还给", "小红", "，", "她", "很", "高兴")
# Scores of a query for a key, before the softmax; 0 for all other pairs.
SENTENCE_SCORES = {
    (1, 3): 2.0,
    (2, 1): 2.0,
    (3, 0): 1.5,
    (3, 2): 2.5,
    (4, 3): 2.5,
    (5, 4): 1.0,
    (6, 0): 1.5,
    (6, 4): 3.5,
    (7, 8): 2.5,
    (8, 6): 3.0,
    (8, 7): 2.0,
}


def sentence_attention(causal=False):
    """Return the weights of a hand-made head on `SENTENCE`: each word looks for what it belongs to.

    Parameters
    ----------
    causal : bool
        Whether the future is masked.

    Returns
    -------
    weights : (9, 9) array
        Row = query, column = key; rows sum to 1.

    Examples
    --------
    >>> weights = sentence_attention()
    >>> SENTENCE[6], SENTENCE[int(weights[6].argmax())]
    ('她', '小红')
    """
    scores = np.zeros((len(SENTENCE),) * 2)
    for pair, score in SENTENCE_SCORES.items():
        scores[pair] = score
    return masked_softmax(scores, causal_mask(len(SENTENCE)) if causal else None)


def entities(triples):
    """Name everything that the triples speak of, in the order of its first appearance.

    Parameters
    ----------
    triples : iterable of (head, relation, tail)

    Returns
    -------
    names : tuple of str

    Examples
    --------
    >>> entities([("BERT", "基于", "Transformer"), ("GPT", "基于", "Transformer")])
    ('BERT', 'Transformer', 'GPT')
    """
    return tuple(dict.fromkeys(name for head, _, tail in triples for name in (head, tail)))


def relations(triples):
    """Name the relations of the triples, in the order of their first appearance.

    Parameters
    ----------
    triples : iterable of (head, relation, tail)

    Returns
    -------
    names : tuple of str

    Examples
    --------
    >>> relations([("BERT", "基于", "Transformer"), ("GPT", "基于", "Transformer")])
    ('基于',)
    """
    return tuple(dict.fromkeys(relation for _, relation, _ in triples))


def knowledge_adjacency(triples, relation=None):
    """Write a knowledge graph as a matrix: an edge from head to tail, of one relation or of any.

    Parameters
    ----------
    triples : iterable of (head, relation, tail)
    relation : str, optional

    Returns
    -------
    adjacency : (n, n) array
        In the order of `entities`.

    Examples
    --------
    >>> knowledge_adjacency([("BERT", "基于", "Transformer")])
    array([[0., 1.],
           [0., 0.]])
    """
    triples = tuple(triples)
    number = {name: i for i, name in enumerate(entities(triples))}
    edges = [(number[head], number[tail]) for head, of, tail in triples if relation in (None, of)]
    return adjacency(edges, len(number), directed=True)


def follow(triples, start, *path):
    """Answer a question of several steps: begin at a name and follow one relation after another.

    Parameters
    ----------
    triples : iterable of (head, relation, tail)
    start : str
    *path : str
        Relations.

    Returns
    -------
    names : tuple of str
        Everything that can be reached so; empty if nothing.

    Examples
    --------
    >>> follow(KNOWLEDGE_TRIPLES, "BERT", "基于", "使用")
    ('自注意力',)
    """
    triples = tuple(triples)
    reached = (start,)
    for relation in path:
        reached = tuple(
            dict.fromkeys(tail for name in reached for head, of, tail in triples if (head, of) == (name, relation))
        )
    return reached
