"""Figure 4.4: the same scores with everything in sight and with the past alone, and what changes."""

import command_line
import numpy as np

from helpers.figures import chapter as figures
from helpers.reference import attention

DESCRIPTION = "因果掩码（图 4.4）：同样的分数，双向看和只看前面，信息的流向有什么不同。"
WORDS = ["今天", "天气", "真", "好", "我们", "出门"]
D_MODEL = 8


def print_visible(mask, two_way, causal):
    """Print what each word sees under the mask, and where it looks with and without it."""
    print("每个词看得见谁：")
    for word, visible, free, masked in zip(WORDS, mask, two_way, causal, strict=True):
        seen = "、".join(name for name, allowed in zip(WORDS, visible, strict=True) if allowed)
        print(f"  {word}：因果掩码下看得见 {seen}（{visible.sum()} / {len(WORDS)}）；", end="")
        print(f"双向时有 {free[~visible].sum():.2f} 的权重在后面，掩码之后 {masked[~visible].sum():.2f}")


def print_influence(x, matrices, mask):
    """Print which outputs move when the last word changes, with and without the mask."""
    print(f"改动最后一个词“{WORDS[-1]}”，跟着变的输出：")
    for name, chosen in (("双向", None), ("因果掩码", mask)):
        moved = attention.influence(x, *matrices, chosen, position=len(WORDS) - 1) > 1e-9
        print(f"  {name}：{'、'.join(word for word, did in zip(WORDS, moved, strict=True) if did)}（{moved.sum()} 个）")


def main():
    """Compare both ways of looking, print who sees whom and draw figure 4.4."""
    chosen = command_line.options(DESCRIPTION)
    rng = np.random.default_rng(chosen.seed)
    x = 1.5 * rng.standard_normal((len(WORDS), D_MODEL))
    matrices = rng.standard_normal((3, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    mask = attention.causal_mask(len(WORDS))
    q, k, _ = attention.project(x, *matrices)
    scores = attention.scores(q, k)
    two_way, causal = attention.masked_softmax(scores), attention.masked_softmax(scores, mask)
    print_visible(mask, two_way, causal)
    print_influence(x, matrices, mask)
    command_line.write(figures.draw_causal_mask(scores, two_way, mask, causal, WORDS), "ch04_causal_mask.png", chosen)


if __name__ == "__main__":
    main()
