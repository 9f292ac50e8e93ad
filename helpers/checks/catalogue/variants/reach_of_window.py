"""Exercise `variants.reach_of_window`: how far back an output depends, after several layers of a window."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import sparse as reference

CORE, START, EDGES = "一层往回走几步", "走到开头为止", "0 层，窗口为 1，只有一个位置"


def cases(rng):
    window, n_layers = int(rng.integers(4, 7)), int(rng.integers(3, 6))
    far = n_layers * (window - 1)
    return [
        Case(CORE, (np.array([5, 9]), 3, 2)),
        Case(CORE, (np.array([12, 10, 15]), 4, 3)),
        Case(CORE, (far + rng.integers(1, 40, size=5), window, n_layers)),
        Case(CORE, (np.array([50000, 70000]), 4096, 7)),
        Case(START, (np.arange(5), 3, 2)),
        Case(START, (np.array([0, far - 1, far, far + 1]), window, n_layers)),
        Case(EDGES, (np.array([0, 4, 7]), 3, 0)),
        Case(EDGES, (np.array([[0, 4, 7], [2, 5, 3]]), 1, 5)),
        Case(EDGES, (9, 3, 2)),
    ]


def window_steps_a_layer(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - n_layers * window, 0)


def itself_once(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - (n_layers * window - 1), 0)


def power_of_the_window(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - (window**n_layers - 1), 0)


def power_of_the_steps(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - (window - 1) ** n_layers, 0)


def one_layer(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - (window - 1), 0)


def one_layer_too_few(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - (n_layers - 1) * (window - 1), 0)


def one_layer_too_many(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - (n_layers + 1) * (window - 1), 0)


def added(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - (n_layers + window - 1), 0)


def one_past_the_last(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - n_layers * (window - 1) - 1, 0)


def below_the_start(positions, window, n_layers):
    return np.asarray(positions) - n_layers * (window - 1)


def counted_from_one(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - n_layers * (window - 1), 1)


def from_the_end(positions, window, n_layers):
    return np.abs(np.asarray(positions) - n_layers * (window - 1))


def how_many(positions, window, n_layers):
    return np.minimum(n_layers * (window - 1) + 1, np.asarray(positions) + 1)


def how_many_steps(positions, window, n_layers):
    return np.minimum(n_layers * (window - 1), np.asarray(positions))


def ahead(positions, window, n_layers):
    return np.asarray(positions) + n_layers * (window - 1)


def smaller_instead_of_larger(positions, window, n_layers):
    return np.minimum(np.asarray(positions) - n_layers * (window - 1), 0)


def half_a_window(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - n_layers * (window // 2), 0)


def max_of_an_array(positions, window, n_layers):
    return max(positions - n_layers * (window - 1), 0)


def largest_of_all(positions, window, n_layers):
    return np.max(np.maximum(np.asarray(positions) - n_layers * (window - 1), 0))


def one_late(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - n_layers * (window - 1) + 1, 0)


def power_with_itself(positions, window, n_layers):
    return np.maximum(np.asarray(positions) - window**n_layers, 0)


def left_alone_at_the_start(positions, window, n_layers):
    first = np.asarray(positions) - n_layers * (window - 1)
    return np.where(first >= 0, first, positions)


def layer_by_layer(positions, window, n_layers):
    first = np.array(positions, dtype=np.float32)
    for _ in range(n_layers):
        first -= window - 1
        first[first < 0] = 0
    return first


def with_loops(positions, window, n_layers):
    if isinstance(positions, int | np.integer):
        return max(0, positions - n_layers * (window - 1))
    return [with_loops(position, window, n_layers) for position in positions]


def with_clip(positions, window, n_layers):
    return np.clip(positions - n_layers * window + n_layers, 0, None)


def with_where(positions, window, n_layers):
    distance = sum(window - 1 for _ in range(n_layers))
    return np.where(np.array(positions) > distance, np.array(positions) - distance, 0)


EXERCISE = Exercise(
    id="variants.reach_of_window",
    title="几层窗口看到多远",
    points=1,
    reference=reference.reach_of_window,
    returns=("first",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(START, 0.2), Behaviour(EDGES, 0.2)),
    slips=(
        Slip(
            "每层走了 window 步",
            window_steps_a_layer,
            wrong="窗口里有自己：window 个位置只够往回走 window − 1 步。",
            look="每层 window − 1 步。",
        ),
        Slip(
            "自己只减了一次",
            itself_once,
            wrong="每一层的窗口都包含自己，所以每层都少一步，不是总共少一步。",
            look="n_layers × (window − 1)。",
        ),
        Slip(
            "把窗口乘了方",
            power_of_the_window,
            wrong="每多一层，多走的步数一样，所以是相乘，不是乘方。",
            look="n_layers × (window − 1)。",
        ),
        Slip(
            "把步数乘了方",
            power_of_the_steps,
            wrong="每多一层，多走的步数一样，所以是相乘，不是乘方。",
            look="n_layers × (window − 1)。",
        ),
        Slip(
            "只走了一层",
            one_layer,
            wrong="层数没有用上。",
            look="每多一层，再往回 window − 1 步。",
        ),
        Slip(
            "少走了一层",
            one_layer_too_few,
            wrong="第一层已经走了 window − 1 步；0 层才停在自己。",
            look="乘 n_layers，不是 n_layers − 1。",
        ),
        Slip(
            "多走了一层",
            one_layer_too_many,
            wrong="0 层停在自己，1 层走 window − 1 步。",
            look="乘 n_layers。",
        ),
        Slip(
            "把层数和窗口加在了一起",
            added,
            wrong="每一层都走 window − 1 步，所以是相乘。",
            look="n_layers × (window − 1)。",
        ),
        Slip(
            "多退了一个",
            one_past_the_last,
            wrong="返回的是看得到的第一个位置，不是看不到的最后一个。",
            look="去掉最后的 − 1。",
        ),
        Slip(
            "走过了开头",
            below_the_start,
            wrong="位置不会是负的：走到 0 就停。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "开头当作了 1",
            counted_from_one,
            wrong="位置从 0 数起。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "负数取了绝对值",
            from_the_end,
            wrong="走过开头时应停在 0，不是折回来。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "返回了看得到的个数",
            how_many,
            wrong="要的是第一个看得到的位置，不是看得到几个。",
            look="positions − n_layers × (window − 1)，到 0 为止。",
        ),
        Slip(
            "返回了走的步数",
            how_many_steps,
            wrong="步数是对的；要的是走到哪个位置。",
            look="从 positions 里减去步数。",
        ),
        Slip(
            "走向了未来",
            ahead,
            wrong="窗口往回看，所以是减，不是加。",
            look="positions − n_layers × (window − 1)。",
        ),
        Slip(
            "取了小的一个",
            smaller_instead_of_larger,
            wrong="现在的结果不会大于 0；要的是不小于 0。",
            look="np.maximum，不是 np.minimum。",
        ),
        Slip(
            "每层走了半个窗口",
            half_a_window,
            wrong="窗口全在自己前面，不是以自己为中心。",
            look="每层 window − 1 步。",
        ),
        Slip(
            "用 max 比较了数组",
            max_of_an_array,
            wrong="Python 的 max 不能逐个比较数组里的数。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "只返回了最大的一个",
            largest_of_all,
            wrong="np.max 把数组变成了一个数；每个位置都要有自己的结果。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "少退了一个",
            one_late,
            wrong="最早的一个漏了：往回走 n_layers × (window − 1) 步，停下的位置也看得到。",
            look="去掉最后的 + 1。",
        ),
        Slip(
            "把窗口乘了方，又多退了一个",
            power_with_itself,
            wrong="每多一层，多走的步数一样，所以是相乘，不是乘方。",
            look="n_layers × (window − 1)。",
        ),
        Slip(
            "走不满时留在了原处",
            left_alone_at_the_start,
            wrong="离开头近的位置，走得到的都走：一直走到 0。",
            look="np.maximum(…, 0)。",
        ),
    ),
    styles=(layer_by_layer, with_loops, with_clip, with_where),
    hints=(
        "一层时，位置 i 看到的最早的是哪个？那个位置在下面一层又看到哪个？",
        "窗口包含自己，所以一层往回走 window − 1 步，n_layers 层走 n_layers 倍；走到 0 就停。",
        "return np.maximum(np.asarray(positions) - n_layers * (window - 1), 0)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: ("np.asarray(positions) -> positions",),
        "the larger of two does not depend on their order": (
            "np.maximum(np.asarray(positions) - n_layers * (window - 1), 0) -> "
            "np.maximum(0, np.asarray(positions) - n_layers * (window - 1))",
        ),
    },
)
