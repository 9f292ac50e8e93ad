"""Figure 4.1: who looks at whom in a sentence, how the weights are spread, what pattern they make."""

import command_line
import numpy as np

from helpers.figures import chapter as figures
from helpers.reference import attention

DESCRIPTION = "自注意力（图 4.1）：一句话里谁看谁，权重怎样分布，是什么样的模式。"
WORDS = ["小鸟", "飞", "回", "树上", "因为", "它", "累", "了"]
MEANING = {  # 是动物、是地方、在找动物、在找地方：手工规定
    "小鸟": [3.0, 0.0, 0.0, 0.0],
    "飞": [0.0, 0.0, 2.0, 0.0],
    "回": [0.0, 0.0, 0.0, 2.0],
    "树上": [0.0, 3.0, 0.0, 0.0],
    "它": [0.0, 0.0, 2.0, 0.0],
    "累": [0.0, 0.0, 1.0, 0.0],
}
NOISE = 0.3  # 给每个数加上的随机噪声的标准差：真实的向量没有这么干净


def sentence_attention(rng):
    """Return the weights `(seq_len, seq_len)` of the sentence: hand-made vectors with a little noise."""
    x = np.array([MEANING.get(word, [0.0] * 4) for word in WORDS]) + NOISE * rng.standard_normal((len(WORDS), 4))
    looks_for, is_a = np.eye(4)[:, 2:], np.eye(4)[:, :2]  # (d_model, d_k): what a word looks for, what it is
    return attention.self_attention(x, w_q=looks_for, w_k=is_a, w_v=is_a)[1]


def print_rows(weights):
    """Print whom each word looks at most, and how many words it looks at in effect."""
    print("每个词看谁（权重每行的和是 1）：")
    for word, row, spread in zip(WORDS, weights, np.exp(attention.entropy(weights)), strict=True):
        print(f"  {word}：最看“{WORDS[row.argmax()]}”，权重 {row.max():.2f}；相当于在看 {spread:.1f} 个词")


def print_distribution(weights):
    """Print how the weights are spread."""
    n = len(weights)
    print(f"权重的分布：{weights.size} 个权重，平均 {weights.mean():.3f}（总是 1/{n}），", end="")
    print(f"中位数 {np.median(weights):.3f}，最大 {weights.max():.2f}；{(weights < 1 / n).mean():.0%} 的权重低于平均")


def print_pattern(weights):
    """Print what share goes to the word itself, to earlier and to later ones, and how many rows are concentrated."""
    n = len(weights)
    itself, earlier, later = (part.sum() / n for part in (np.diag(weights), np.tril(weights, -1), np.triu(weights, 1)))
    print(f"模式：平均 {itself:.0%} 看自己，{earlier:.0%} 看前面，{later:.0%} 看后面；", end="")
    print(f"{(weights.max(axis=-1) > 0.5).sum()} / {n} 个词把一半以上的权重给了同一个词")


def main():
    """Print the analysis and draw figure 4.1."""
    chosen = command_line.options(DESCRIPTION)
    weights = sentence_attention(np.random.default_rng(chosen.seed))
    print_rows(weights)
    print_distribution(weights)
    print_pattern(weights)
    command_line.write(figures.draw_self_attention(weights, WORDS), "ch04_self_attention.png", chosen)


if __name__ == "__main__":
    main()
