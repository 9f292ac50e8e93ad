"""Exercise `vectors.gram_schmidt`: an orthonormal basis, built vector by vector; either sign of a row is right."""

import math

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import bases as reference

CORE, SIZES, DEPENDENT = "独立的向量", "很长、很短、几乎平行的向量", "相关的向量不要"
ROWS = "basis 的形状应是 (个数, d) = (个数, {d})，每行一个向量；现在是 {shape}。"
FINITE = "basis 里有 NaN 或无穷大：是不是除以了一个为零的长度？"


def cases(rng):
    repeated = np.concatenate([rng.normal(size=(2, 4)), np.zeros((1, 4)), rng.normal(size=(1, 4))])
    repeated[2] = repeated[0] - 2 * repeated[1]
    with_zero = rng.normal(size=(3, 3))
    with_zero[0] = 0
    return [
        Case(CORE, (np.array([[3.0, 4.0], [0.0, 5.0]]),)),
        Case(CORE, (np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),)),
        Case(CORE, (_far_from_dependent(rng, 3, 5),)),
        Case(CORE, (_far_from_dependent(rng, 4, 7).astype(np.float32),)),
        Case(CORE, (_far_from_dependent(rng, 1, 3),)),
        Case(SIZES, (1e4 * _far_from_dependent(rng, 3, 5),)),
        Case(SIZES, (np.array([[1e-4], [1.0], [1e3]]) * _far_from_dependent(rng, 3, 4),)),
        Case(SIZES, (np.array([[4.0, 3.0, 0.0], [4.0, 3.0, 0.1], [4.0, 3.2, 0.0]]),)),
        Case(DEPENDENT, (np.array([[3.0, 4.0], [6.0, 8.0], [0.0, 5.0]]),)),
        Case(DEPENDENT, (repeated,)),
        Case(DEPENDENT, (1e4 * repeated,)),
        Case(DEPENDENT, (with_zero,)),
        Case(DEPENDENT, (rng.normal(size=(5, 2)),)),
    ]


def _far_from_dependent(rng, n, d):
    """Draw independent vectors: random ones with a different large entry each, and all on one side of the space."""
    return 0.5 * rng.normal(size=(n, d)) + 2 * np.eye(n, d) + 0.7


def up_to_sign(parts, arguments):
    """Turn every row so that it points as the reference's does, `(rank, d)`; a basis of another size stays."""
    (basis,), ours = parts, reference.gram_schmidt(*arguments)
    if basis.size == 0:
        return (basis.reshape(0, ours.shape[1]),)
    if basis.ndim != 2 or basis.shape[1] != ours.shape[1]:
        raise UnusableValueError("effect", ROWS.format(d=ours.shape[1], shape=basis.shape))
    if not np.isfinite(basis).all():
        raise UnusableValueError("effect", FINITE)
    if len(basis) != len(ours):
        return (basis,)
    return (np.where((basis * ours).sum(axis=-1, keepdims=True) < 0, -basis, basis),)


def _right_angles(basis):
    products = basis @ basis.T  # (n, d) @ (d, n) -> (n, n)
    sizes = np.sqrt(np.diag(products))
    cosines = np.abs(products) / np.maximum(np.outer(sizes, sizes), 1e-300)
    return bool((cosines * (1 - np.eye(len(basis))) < 1e-4).all())


def _process(vectors, split, finish, tolerance=1e-10):
    """Go through the vectors; `split` takes the old part off, `finish` makes a basis vector of what is left."""
    basis = []
    for vector in vectors:
        residual = split(vector, basis)
        if np.linalg.norm(residual) > tolerance * np.linalg.norm(vector):
            basis.append(finish(residual))
    return np.array(basis).reshape(len(basis), vectors.shape[1])


def _off(vector, basis):
    return vector - sum(((vector @ direction) * direction for direction in basis), np.zeros(len(vector)))


def _unit(vector):
    return vector / np.linalg.norm(vector)


def not_normalised(vectors, tolerance=1e-10):
    def split(vector, basis):
        return vector - sum(((vector @ b) / (b @ b) * b for b in basis), np.zeros(len(vector)))

    return _process(vectors, split, np.array)


def unnormalised_steps(vectors, tolerance=1e-10):
    return _process(vectors, _off, np.array)


def normalised_only_at_the_end(vectors, tolerance=1e-10):
    basis = _process(vectors, _off, np.array)
    return basis / np.linalg.norm(basis, axis=-1, keepdims=True)


def only_normalised(vectors, tolerance=1e-10):
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def only_the_last_taken_off(vectors, tolerance=1e-10):
    return _process(vectors, lambda vector, basis: _off(vector, basis[-1:]), _unit)


def only_the_first_taken_off(vectors, tolerance=1e-10):
    return _process(vectors, lambda vector, basis: _off(vector, basis[:1]), _unit)


def given_vectors_taken_off(vectors, tolerance=1e-10):
    units = [_unit(vector) if vector.any() else vector for vector in vectors]
    residuals = [_off(vector, units[:i]) for i, vector in enumerate(vectors)]
    kept = [np.linalg.norm(r) > 1e-10 * np.linalg.norm(v) for r, v in zip(residuals, vectors, strict=True)]
    return np.array([_unit(r) for r, keep in zip(residuals, kept, strict=True) if keep]).reshape(-1, vectors.shape[1])


def added_instead(vectors, tolerance=1e-10):
    def split(vector, basis):
        return vector + sum(((vector @ b) * b for b in basis), np.zeros(len(vector)))

    return _process(vectors, split, _unit)


def divided_by_the_squared_length(vectors, tolerance=1e-10):
    return _process(vectors, _off, lambda residual: residual / (residual @ residual))


def divided_by_the_given_length(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        residual = vector - sum(((vector @ b) / (b @ b) * b for b in basis), np.zeros(len(vector)))
        if np.linalg.norm(residual) > 1e-10 * np.linalg.norm(vector):
            basis.append(residual / np.linalg.norm(vector))
    return np.array(basis).reshape(-1, vectors.shape[1])


def as_columns(vectors, tolerance=1e-10):
    return _process(vectors, _off, _unit).T


def columns_processed(vectors, tolerance=1e-10):
    return _process(vectors.T, _off, _unit).T


def zero_rows_kept(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        residual = _off(vector, basis)
        is_new = np.linalg.norm(residual) > 1e-10 * np.linalg.norm(vector)
        basis.append(_unit(residual) if is_new else np.zeros(len(vector)))
    return np.array(basis)


def dependent_not_recognised(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        basis.append(_unit(_off(vector, basis)))
    return np.array(basis)


def only_exact_zero_recognised(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        residual = _off(vector, basis)
        if residual.any():
            basis.append(_unit(residual))
    return np.array(basis)


def stopped_at_the_first_dependent(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        residual = _off(vector, basis)
        if np.linalg.norm(residual) <= 1e-10 * np.linalg.norm(vector):
            break
        basis.append(_unit(residual))
    return np.array(basis).reshape(-1, vectors.shape[1])


def short_ones_left_out(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        residual = _off(vector, basis)
        if np.linalg.norm(residual) > 1e-2:
            basis.append(_unit(residual))
    return np.array(basis).reshape(-1, vectors.shape[1])


def any_orthonormal_basis(vectors, tolerance=1e-10):
    _, s, directions = np.linalg.svd(vectors, full_matrices=False)
    return directions[s > 1e-10 * s.max()]


def from_the_last_to_the_first(vectors, tolerance=1e-10):
    return _process(vectors[::-1], _off, _unit)


def unit_axes(vectors, tolerance=1e-10):
    return np.eye(vectors.shape[1])[: np.linalg.matrix_rank(vectors)]


def almost_parallel_left_out(vectors, tolerance=1e-10):
    return _process(vectors, _off, _unit, tolerance=0.1)


def divided_by_the_length_once(vectors, tolerance=1e-10):
    def split(vector, basis):
        return vector - sum(((vector @ b) / np.linalg.norm(b) * b for b in basis), np.zeros(len(vector)))

    basis = _process(vectors, split, np.array)
    return basis / np.linalg.norm(basis, axis=-1, keepdims=True)


def normalised_before(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        unit = vector / np.linalg.norm(vector) if vector.any() else vector
        for direction in basis:
            unit = unit - (unit @ direction) * direction
        if np.linalg.norm(unit) > tolerance:
            basis.append(unit)
    return np.array(basis)


def with_qr(vectors, tolerance=1e-10):
    q, _ = np.linalg.qr(vectors.T)
    return q.T


def rows_into_qr(vectors, tolerance=1e-10):
    q, _ = np.linalg.qr(vectors)
    return q


def diagonal_of_qr(vectors, tolerance=1e-10):
    q, r = np.linalg.qr(vectors.T)
    return q.T[np.abs(np.diag(r)) > 1e-10]


def with_lists(vectors, tolerance=1e-10):
    basis = []
    for vector in vectors:
        left = [float(entry) for entry in vector]
        size = math.sqrt(sum(entry * entry for entry in left))
        for direction in basis:
            share = sum(a * b for a, b in zip(left, direction, strict=True))
            left = [a - share * b for a, b in zip(left, direction, strict=True)]
        length = math.sqrt(sum(entry * entry for entry in left))
        if length > tolerance * size:
            basis.append([entry / length for entry in left])
    return basis


def from_qr(vectors, tolerance=1e-10):
    kept = []
    for row in vectors:
        if np.linalg.matrix_rank([*kept, row]) > len(kept):
            kept.append(row)
    q, _ = np.linalg.qr(np.transpose(kept))
    return q.T


def with_a_projection_matrix(vectors, tolerance=1e-10):
    d = np.shape(vectors)[1]
    free, rows = np.eye(d), []
    for vector in np.asarray(vectors, dtype=float):
        residual = free @ (free @ vector)
        if np.linalg.norm(residual) > 1e-9 * np.linalg.norm(vector):
            rows.append(residual / np.linalg.norm(residual))
            free = free - np.outer(rows[-1], rows[-1])
    return np.array(rows)


def columns_first(vectors, tolerance=1e-10):
    left = np.array(vectors, dtype=float)
    sizes, kept = np.linalg.norm(left, axis=1), []
    for i in range(len(left)):
        length = np.linalg.norm(left[i])
        if length <= tolerance * sizes[i]:
            continue
        left[i] = left[i] / length
        left[i + 1 :] -= np.outer(left[i + 1 :] @ left[i], left[i])
        kept.append(i)
    return -left[kept]


def in_float32(vectors, tolerance=1e-10):
    basis = np.zeros((0, vectors.shape[1]), dtype=np.float32)
    for vector in vectors.astype(np.float32):
        residual = vector - basis.T @ (basis @ vector)
        residual = residual - basis.T @ (basis @ residual)
        if np.linalg.norm(residual) > 1e-5 * np.linalg.norm(vector):
            basis = np.append(basis, [residual / np.linalg.norm(residual)], axis=0)
    return basis


EXERCISE = Exercise(
    id="vectors.gram_schmidt",
    title="Gram–Schmidt：造一组正交的单位向量",
    points=3,
    reference=reference.gram_schmidt,
    returns=("basis",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(SIZES, 0.1), Behaviour(DEPENDENT, 0.3)),
    effect=up_to_sign,
    compared=("basis",),
    properties=(
        Property("每一行的长度都是 1", lambda basis: bool(np.allclose((basis**2).sum(axis=-1), 1, atol=1e-4))),
        Property("各行两两成直角", _right_angles),
    ),
    slips=(
        Slip(
            "没有变成单位长度",
            not_normalised,
            wrong="各行已经两两成直角，但长度不是 1。",
            look="剩下的部分除以它的长度，再放进 basis。",
        ),
        Slip(
            "减的时候没有除以长度的平方",
            unnormalised_steps,
            wrong="v − ⟨v, b⟩ b 只在 b 的长度是 1 时减掉投影；这里的 b 还没有变成单位长度。",
            look="每得到一个新方向，先除以它的长度，再去减下一个。",
        ),
        Slip(
            "到最后才变成单位长度",
            normalised_only_at_the_end,
            wrong="最后的长度是 1，可是途中减 ⟨v, b⟩ b 时 b 的长度还不是 1，减多了或减少了，于是不成直角。",
            look="每一步都先除以长度，再去减下一个。",
        ),
        Slip(
            "只变成了单位长度",
            only_normalised,
            wrong="长度都是 1，但没有减去已有方向上的部分，各行不成直角。",
            look="先减去它在 basis 每一行上的投影，再除以长度。",
        ),
        Slip(
            "只减了最后一个方向",
            only_the_last_taken_off,
            wrong="前两行是对的；从第三个向量起，要减去它在前面每一个方向上的投影。",
            look="对 basis 里的每一行做一遍。",
        ),
        Slip(
            "只减了第一个方向",
            only_the_first_taken_off,
            wrong="前两行是对的；从第三个向量起，要减去它在前面每一个方向上的投影。",
            look="对 basis 里的每一行做一遍。",
        ),
        Slip(
            "投到了原来的向量上",
            given_vectors_taken_off,
            wrong="减的是在原来的向量上的投影；它们彼此不成直角，同一个方向会被减两次。",
            look="减去在 basis（已经正交的）各行上的投影。",
        ),
        Slip(
            "减写成了加",
            added_instead,
            wrong="已有方向上的部分加了一倍，没有去掉。",
            look="v − ⟨v, b⟩ b。",
        ),
        Slip(
            "除以了长度的平方",
            divided_by_the_squared_length,
            wrong="除以 ⟨r, r⟩ 之后，长度成了 1 / 长度。",
            look="除以 √⟨r, r⟩。",
        ),
        Slip(
            "除以了原来向量的长度",
            divided_by_the_given_length,
            wrong="减去投影之后，剩下的变短了；除以原来的长度，得不到 1。",
            look="除以剩下的部分自己的长度。",
        ),
        Slip(
            "放成了列",
            as_columns,
            wrong="basis 转置了：约定一行一个向量。",
            look="去掉 .T。",
        ),
        Slip(
            "处理的是列",
            columns_processed,
            wrong="输入的一行是一个向量；这里却把列当成了向量。",
            look="for vector in vectors 取的就是行。",
        ),
        Slip(
            "相关的向量留下了零行",
            zero_rows_kept,
            wrong="一个向量若能由前面的加起来得到，就没有新方向；零行不是单位向量，不能放进 basis。",
            look="剩下的长度（几乎）是 0 时，跳过这个向量。",
        ),
        Slip(
            "没有认出相关的向量",
            dependent_not_recognised,
            wrong="剩下的是 0 或舍入误差；除以它的长度，得到 NaN 或一个毫无意义的方向。",
            look="剩下的长度不超过 tolerance × 原来的长度时，跳过。",
        ),
        Slip(
            "只认出了恰好为零的",
            only_exact_zero_recognised,
            wrong="舍入误差使剩下的不会恰好是 0；把 1e-16 放大成单位长度，得到的是噪声。",
            look="和 tolerance × 原来的长度比，不和 0 比。",
        ),
        Slip(
            "遇到相关的就停下了",
            stopped_at_the_first_dependent,
            wrong="一个向量没有新方向，后面的还可能有。",
            look="跳过它，继续看下一个：continue，不是 break。",
        ),
        Slip(
            "短的向量也被当成相关的",
            short_ones_left_out,
            wrong="短不等于没有新方向：要看剩下的占原来的多大一份。",
            look="和 tolerance × 原来的长度比。",
        ),
        Slip(
            "是一组正交基，但不是依次得来的",
            any_orthonormal_basis,
            wrong="各行正交、长度为 1；但第一行应与第一个非零向量同一条线，前 k 个向量应能由前 k 行加起来得到。",
            look="按给出的顺序，一个一个处理。",
        ),
        Slip(
            "从最后一个开始了",
            from_the_last_to_the_first,
            wrong="顺序反了：第一行应来自第一个向量。",
            look="按给出的顺序处理。",
        ),
        Slip(
            "用了坐标轴",
            unit_axes,
            wrong="坐标轴互相正交，但和给出的向量无关。",
            look="每一行由给出的向量减去投影得来。",
        ),
        Slip(
            "几乎平行的也被当成相关的",
            almost_parallel_left_out,
            wrong="门槛太宽：剩下百分之几，仍是一个新方向。",
            look="门槛是 tolerance（1e-10）× 原来的长度。",
        ),
        Slip(
            "投影只除了一次长度",
            divided_by_the_length_once,
            wrong="b 不是单位向量时，投影要除以 ⟨b, b⟩，不是除以 b 的长度。",
            look="每得到一个新方向，先除以它的长度；之后 (r @ b) * b 就是投影。",
        ),
        Slip(
            "先变成单位长度，再减",
            normalised_before,
            wrong="减去投影之后又变短了，最后的长度不是 1。",
            look="先减，再除以剩下的长度。",
        ),
        Slip(
            "直接用了 QR",
            with_qr,
            wrong="独立的向量是对的；有相关的向量时，QR 会凑上一个与它们无关的方向。",
            look="逐个处理：剩下的长度几乎是 0 时，跳过。",
        ),
        Slip(
            "QR 没有转置",
            rows_into_qr,
            wrong="np.linalg.qr 处理的是列；这里一行是一个向量。",
            look="先转置，或按题目逐行做。",
        ),
        Slip(
            "QR 之后才挑行",
            diagonal_of_qr,
            wrong="QR 已把凑上的方向从后面的向量里减掉了；这时再扔掉它，后面的行就少了一部分。",
            look="相关的向量要当场跳过，不能先用后扔。",
        ),
    ),
    styles=(with_lists, from_qr, with_a_projection_matrix, columns_first, in_float32),
    hints=(
        "拿一个向量，减去它在已有的每个方向上的投影；剩下的和它们都成直角。再除以长度。",
        "b 的长度是 1 时，投影就是 (r @ b) * b。剩下的长度不超过 tolerance × 原来的长度时，没有新方向，跳过。",
        "for v in vectors: r = v；for b in basis: r = r - (r @ b) * b；"
        "length = np.linalg.norm(r)；if length > tolerance * np.linalg.norm(v): basis.append(r / length)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "vectors = np.asarray(vectors, dtype=float) -> (dropped)",
            "np.asarray(vectors, dtype=float) -> vectors",
            "np.asarray(vectors, dtype=float) -> np.asarray(vectors)",
        ),
        "either sign of a row is right": (
            "residual - residual @ direction * direction -> residual @ direction * direction - residual",
        ),
        "the inner product does not care for the order": ("residual @ direction -> direction @ residual",),
        "an array without rows is the same, whatever it would be filled with": (
            "np.zeros((0, vectors.shape[-1])) -> np.ones((0, vectors.shape[-1]))",
        ),
        "the last axis of a matrix is axis 1": ("-1 -> 1",),
        "rounding errors are far below either tolerance, and everything else is far above": ("1e-10 -> 2e-10",),
    },
)
