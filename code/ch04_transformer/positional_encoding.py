"""Figure 4.2: after how many positions the sinusoidal encoding repeats, and how alike neighbours are."""

import command_line
import numpy as np

from helpers.figures import positions as figures
from helpers.reference import block, positions

DESCRIPTION = "正弦位置编码（图 4.2）：每一对列多久重复一次，相邻的位置有多像。"
SEQ_LEN, D_MODEL = 64, 64


def print_periods(wavelengths):
    """Print after how many positions some of the pairs of columns repeat."""
    print(f"周期性（{D_MODEL} 列，{len(wavelengths)} 对）：")
    for pair in (0, 4, 8, 16, len(wavelengths) - 1):
        turns = SEQ_LEN / wavelengths[pair]
        print(f"  第 {pair:2d} 对：{wavelengths[pair]:8.1f} 个位置重复一次，{SEQ_LEN} 个位置里转 {turns:.2f} 圈")


def print_neighbours(encoding, rng):
    """Print how alike positions are that stand 1, 2, … apart, beside random vectors."""
    print("相似度（余弦，1 = 同一个方向）：")
    for distance in (1, 2, 4, 8, 16, 32):
        cosines = block.cosine(encoding[:-distance], encoding[distance:])
        print(
            f"  相隔 {distance:2d}：{cosines.mean():.3f}，从哪里数起都一样：{'是' if np.ptp(cosines) < 1e-9 else '否'}"
        )
    chance = block.cosine(*rng.standard_normal((2, 1000, D_MODEL)))
    print(f"  对照，1000 对随机向量：大小平均 {np.abs(chance).mean():.2f}，最大 {np.abs(chance).max():.2f}")


def main():
    """Print periods and similarities and draw figure 4.2."""
    chosen = command_line.options(DESCRIPTION)
    encoding, wavelengths = positions.sinusoidal(SEQ_LEN, D_MODEL), positions.wavelengths(D_MODEL)
    print_periods(wavelengths)
    print_neighbours(encoding, np.random.default_rng(chosen.seed))
    similarity = positions.similarity(np.arange(SEQ_LEN), D_MODEL)
    picture = figures.draw_positional_encoding(encoding, wavelengths, similarity)
    command_line.write(picture, "ch04_positional_encoding.png", chosen)


if __name__ == "__main__":
    main()
