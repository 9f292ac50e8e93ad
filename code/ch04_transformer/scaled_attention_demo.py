"""Figure 4.3: spread of the scores before and after dividing by √d_k, and how sharp it leaves softmax."""

import command_line
import numpy as np

from helpers.figures import scaling as figures
from helpers.reference import scaling

DESCRIPTION = "为什么除以 √d_k（图 4.3）：缩放前后分数的标准差，softmax 有多尖。"
D_KS = [2**exponent for exponent in range(11)]
N_KEYS = 10


def print_spreads(measurements):
    """Print the standard deviation of the scores before and after scaling."""
    print("分数的标准差：")
    print("   d_k     √d_k    不缩放   除以 √d_k")
    for m in measurements:
        print(f"{m.d_k:6d} {np.sqrt(m.d_k):8.2f} {m.raw.std():9.2f} {m.scaled.std():10.2f}")


def print_sharpness(measurements):
    """Print how sharp softmax is: its largest weight and its entropy, on average."""
    print(f"softmax 有多尖（{N_KEYS} 个键；一样看时最大权重 {1 / N_KEYS:.2f}，熵 {np.log(N_KEYS):.2f}）：")
    print("   d_k  最大权重：不缩放  缩放    熵：不缩放  缩放")
    for m in measurements:
        top, entropy = (m.raw_top_weight, m.scaled_top_weight), (m.raw_entropy, m.scaled_entropy)
        print(f"{m.d_k:6d} {top[0]:14.2f} {top[1]:8.2f} {entropy[0]:11.2f} {entropy[1]:7.2f}")


def main():
    """Measure, print both tables and draw figure 4.3."""
    chosen = command_line.options(DESCRIPTION)
    rng = np.random.default_rng(chosen.seed)
    measurements = [scaling.measure_scaling(d_k, rng, n_keys=N_KEYS) for d_k in D_KS]
    print_spreads(measurements)
    print_sharpness(measurements)
    command_line.write(figures.draw_scaling(measurements), "ch04_scaled_attention.png", chosen)


if __name__ == "__main__":
    main()
