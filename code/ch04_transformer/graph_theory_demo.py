"""Two figures: a graph with its distances and components, and attention as a graph of its strongest edges."""

import command_line
import numpy as np

from helpers.figures import graph_messages as attention_figures
from helpers.figures import graphs as figures
from helpers.reference import attention, graphs, layouts, message_passing, traversal
from helpers.reference.example_graphs import FRIEND_EDGES, FRIENDS, SENTENCE, sentence_attention

DESCRIPTION = "图论：距离与连通分量；把注意力权重看作一张图。"
THRESHOLD = 0.3  # 不小于它的权重才画成边
STRONGEST = 6
NOISE = 0.3  # 加到手工分数上的随机噪声的标准差


def print_distances(adjacency):
    """Print how far everybody is from the first, in steps."""
    _, distances = traversal.bfs(adjacency, 0)
    said = [
        f"{name} {steps}" if steps >= 0 else f"{name} 到不了" for name, steps in zip(FRIENDS, distances, strict=True)
    ]
    print(f"从{FRIENDS[0]}出发的距离（经过几条边）：{'，'.join(said)}")


def print_components(labels):
    """Print who is connected with whom."""
    groups = ["、".join(np.array(FRIENDS)[labels == label]) for label in range(labels.max() + 1)]
    print(f"连通分量：{len(groups)} 个：{'；'.join(groups)}")


def print_strongest_edges(edges, strengths):
    """Print the strongest edges of the attention graph."""
    print(f"注意力图（{len(SENTENCE)} 个词，权重不小于 {THRESHOLD} 的边 {len(edges)} 条），最强的 {STRONGEST} 条：")
    for (query, key), strength in list(zip(edges, strengths, strict=True))[:STRONGEST]:
        print(f"  {SENTENCE[query]} → {SENTENCE[key]}：{strength:.2f}")


def noisy_attention(rng):
    """Return the sentence's hand-made weights `(seq_len, seq_len)` with noise on the scores."""
    scores = np.log(sentence_attention())  # softmax takes no notice of what is added to a whole row
    return attention.softmax(scores + NOISE * rng.standard_normal(scores.shape))


def main():
    """Print distances, components and the strongest edges, and draw both figures."""
    chosen = command_line.options(DESCRIPTION)
    adjacency = graphs.adjacency(FRIEND_EDGES, len(FRIENDS))
    labels = graphs.components(adjacency)
    print_distances(adjacency)
    print_components(labels)
    circle = layouts.circle_layout(len(FRIENDS))
    picture = figures.draw_graph_and_matrix(adjacency, FRIEND_EDGES, circle, FRIENDS, groups=labels)
    command_line.write(picture, "ch04_graph_theory.png", chosen)

    weights = noisy_attention(np.random.default_rng(chosen.seed))
    edges, strengths = message_passing.attention_as_graph(weights, THRESHOLD)
    print_strongest_edges(edges, strengths)
    circle = layouts.circle_layout(len(SENTENCE))
    picture = attention_figures.draw_attention_graph(weights, edges, strengths, circle, SENTENCE, THRESHOLD)
    command_line.write(picture, "ch04_attention_graph.png", chosen)


if __name__ == "__main__":
    main()
