"""Exercise `architecture.training_targets`: what each position has to predict, and where there is no loss."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import families as reference

NEXT, MASKED, PADDING, BATCH = "预测下一个", "预测被遮住的", "填充不算", "前面可以有批量轴"


def _text(rng, *shape):
    return rng.integers(10, 50, size=shape)


def _chosen(rng, *shape):
    chosen = rng.random(shape) < 0.4
    chosen[..., 1], chosen[..., 2], chosen[..., -1] = True, False, True
    return chosen


def cases(rng):
    padded = np.concatenate([_text(rng, 5), [0, 0]])
    other_padding = np.concatenate([_text(rng, 3), [0], _text(rng, 1), [7, 7]])
    batch = _text(rng, 2, 5)
    batch[1, 3:] = 0
    padded_in_front = np.concatenate([[0, 0], _text(rng, 3)])
    return [
        Case(NEXT, (np.array([15, 16, 17]), "next")),
        Case(NEXT, (_text(rng, 7), "next", None, 0)),
        Case(MASKED, (np.array([15, 16, 17]), "masked", np.array([False, True, False]))),
        Case(MASKED, (_text(rng, 7), "masked", _chosen(rng, 7), 0)),
        Case(MASKED, (_text(rng, 5), "masked", np.zeros(5, dtype=bool))),
        Case(PADDING, (padded, "next")),
        Case(PADDING, (padded, "masked", _chosen(rng, 7))),
        Case(PADDING, (other_padding, "next", None, 7)),
        Case(PADDING, (other_padding, "masked", np.ones(7, dtype=bool), 7)),
        Case(PADDING, (padded_in_front, "next")),
        Case(BATCH, (batch, "next")),
        Case(BATCH, (batch, "masked", _chosen(rng, 2, 5))),
        Case(BATCH, (_text(rng, 2, 3, 4), "next")),
    ]


def _no_padding(labels, pad_id):
    return np.where(labels == pad_id, -100, labels)


def _masked(token_ids, chosen, pad_id):
    return _no_padding(np.where(chosen, token_ids, -100), pad_id)


def _next(token_ids, pad_id):
    labels = np.full(token_ids.shape, -100)
    labels[..., :-1] = token_ids[..., 1:]
    return _no_padding(labels, pad_id)


def not_shifted(token_ids, objective, chosen=None, pad_id=0):
    return _no_padding(token_ids, pad_id) if objective == "next" else _masked(token_ids, chosen, pad_id)


def shifted_the_wrong_way(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return _masked(token_ids, chosen, pad_id)
    labels = np.full(token_ids.shape, -100)
    labels[..., 1:] = token_ids[..., :-1]
    return _no_padding(labels, pad_id)


def shifted_twice(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return _masked(token_ids, chosen, pad_id)
    labels = np.full(token_ids.shape, -100)
    labels[..., :-2] = token_ids[..., 2:]
    return _no_padding(labels, pad_id)


def joined_round(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return _masked(token_ids, chosen, pad_id)
    return _no_padding(np.roll(token_ids, -1, axis=-1), pad_id)


def last_one_repeated(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return _masked(token_ids, chosen, pad_id)
    return _no_padding(np.concatenate([token_ids[..., 1:], token_ids[..., -1:]], axis=-1), pad_id)


def one_label_too_few(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return _masked(token_ids, chosen, pad_id)
    return _no_padding(token_ids[..., 1:], pad_id)


def loss_on_padding(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return np.where(chosen, token_ids, -100)
    labels = np.full(token_ids.shape, -100)
    labels[..., :-1] = token_ids[..., 1:]
    return labels


def padding_of_the_input(token_ids, objective, chosen=None, pad_id=0):
    labels = loss_on_padding(token_ids, objective, chosen)
    return np.where(token_ids == pad_id, -100, labels)


def padding_of_the_input_too(token_ids, objective, chosen=None, pad_id=0):
    labels = _no_padding(loss_on_padding(token_ids, objective, chosen), pad_id)
    return np.where(token_ids == pad_id, -100, labels)


def padding_always_zero(token_ids, objective, chosen=None, pad_id=0):
    return _next(token_ids, 0) if objective == "next" else _masked(token_ids, chosen, 0)


def ignored_by_zero(token_ids, objective, chosen=None, pad_id=0):
    labels = _next(token_ids, pad_id) if objective == "next" else _masked(token_ids, chosen, pad_id)
    return np.where(labels == -100, 0, labels)


def ignored_by_minus_one(token_ids, objective, chosen=None, pad_id=0):
    labels = _next(token_ids, pad_id) if objective == "next" else _masked(token_ids, chosen, pad_id)
    return np.where(labels == -100, -1, labels)


def loss_everywhere_when_masked(token_ids, objective, chosen=None, pad_id=0):
    return _next(token_ids, pad_id) if objective == "next" else _no_padding(token_ids, pad_id)


def loss_on_what_is_visible(token_ids, objective, chosen=None, pad_id=0):
    return _next(token_ids, pad_id) if objective == "next" else _masked(token_ids, ~chosen, pad_id)


def masked_and_shifted(token_ids, objective, chosen=None, pad_id=0):
    if objective == "next":
        return _next(token_ids, pad_id)
    return np.where(chosen, _next(token_ids, pad_id), -100)


def objectives_exchanged(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return _next(token_ids, pad_id)
    return _masked(token_ids, token_ids > -1 if chosen is None else chosen, pad_id) * 1


def always_next(token_ids, objective, chosen=None, pad_id=0):
    return _next(token_ids, pad_id)


def shifted_along_the_first_axis(token_ids, objective, chosen=None, pad_id=0):
    if objective == "masked":
        return _masked(token_ids, chosen, pad_id)
    labels = np.full(token_ids.shape, -100)
    labels[:-1] = token_ids[1:]
    return _no_padding(labels, pad_id)


def with_a_loop(token_ids, objective, chosen=None, pad_id=0):
    if token_ids.ndim > 1:
        many = [None] * len(token_ids) if chosen is None else chosen
        return [with_a_loop(ids, objective, some, pad_id) for ids, some in zip(token_ids, many, strict=True)]
    labels = []
    for i, token_id in enumerate(token_ids):
        if objective == "next":
            label = token_ids[i + 1] if i + 1 < len(token_ids) else -100
        else:
            label = token_id if chosen[i] else -100
        labels.append(-100 if label == pad_id else int(label))
    return labels


def by_appending(token_ids, objective, chosen=None, pad_id=0):
    if objective == "next":
        end = np.full((*token_ids.shape[:-1], 1), pad_id)
        labels = np.concatenate([token_ids[..., 1:], end], axis=-1)
        carries_loss = labels != pad_id
    else:
        labels, carries_loss = token_ids, chosen & (token_ids != pad_id)
    return np.where(carries_loss, labels, -100)


def by_overwriting(token_ids, objective, chosen=None, pad_id=0):
    if objective == "next":
        labels = np.roll(token_ids, -1, axis=-1).astype(np.float32)
        labels[..., -1] = -100
    else:
        labels = np.array(token_ids, dtype=np.float32)
        labels[~chosen] = -100
    labels[labels == pad_id] = -100
    return labels


EXERCISE = Exercise(
    id="architecture.training_targets",
    title="每个位置要预测什么",
    points=1,
    reference=reference.training_targets,
    returns=("labels",),
    cases=cases,
    behaviours=(Behaviour(NEXT, 0.4), Behaviour(MASKED, 0.25), Behaviour(PADDING, 0.2), Behaviour(BATCH, 0.15)),
    slips=(
        Slip(
            "目标没有移位",
            not_shifted,
            wrong="每个位置要预测的是它自己：照抄就行，什么也学不到。",
            look="位置 i 的目标是 token_ids[i + 1]。",
        ),
        Slip(
            "往反方向移了",
            shifted_the_wrong_way,
            wrong="每个位置要预测的成了前一个 token，而它已经看到了。",
            look="labels[..., :-1] = token_ids[..., 1:]。",
        ),
        Slip(
            "移了两位",
            shifted_twice,
            wrong="隔了一个：位置 i 的目标应是 i + 1。",
            look="labels[..., :-1] = token_ids[..., 1:]。",
        ),
        Slip(
            "首尾接在了一起",
            joined_round,
            wrong="最后一个位置要预测的成了第一个 token。",
            look="最后一个位置没有目标：−100。",
        ),
        Slip(
            "最后一个预测自己",
            last_one_repeated,
            wrong="最后一个位置后面没有 token，不算损失。",
            look="最后一个位置没有目标：−100。",
        ),
        Slip(
            "少了一个位置",
            one_label_too_few,
            wrong="移位是对的；每个位置都要有一个标签，最后一个是 −100。",
            look="labels 和 token_ids 的形状相同。",
        ),
        Slip(
            "填充也算了损失",
            loss_on_padding,
            wrong="没有填充时对；有填充时，模型会花力气学着预测填充。",
            look="最后一步：标签等于 pad_id 的换成 −100。",
        ),
        Slip(
            "按输入是不是填充来判断",
            padding_of_the_input,
            wrong="最后一个真的 token 要预测的是填充，也不该算；要看的是标签，不是输入。",
            look="标签等于 pad_id 的换成 −100。",
        ),
        Slip(
            "填充写死成了 0",
            padding_always_zero,
            wrong="填充的编号是参数 pad_id。",
            look="和 pad_id 比较。",
        ),
        Slip(
            "不算的位置写成了 0",
            ignored_by_zero,
            wrong="0 也是一个 token 的编号；约定不算的写 −100。",
            look="从 np.full(token_ids.shape, -100) 开始。",
        ),
        Slip(
            "不算的位置写成了 −1",
            ignored_by_minus_one,
            wrong="约定不算的写 −100（PyTorch 的默认值）。",
            look="从 np.full(token_ids.shape, -100) 开始。",
        ),
        Slip(
            "没遮住的也算了损失",
            loss_everywhere_when_masked,
            wrong="没有遮住的 token 模型看得见，照抄就行；只有遮住的才算。",
            look="np.where(chosen, token_ids, -100)。",
        ),
        Slip(
            "算的正好是没遮住的",
            loss_on_what_is_visible,
            wrong="真假反了：chosen 为 True 的位置才算。",
            look="np.where(chosen, token_ids, -100)。",
        ),
        Slip(
            "遮住的也移了位",
            masked_and_shifted,
            wrong="遮住的位置要预测的是它自己原来的 token，不移位。",
            look="np.where(chosen, token_ids, -100)。",
        ),
        Slip(
            "两种目标对调了",
            objectives_exchanged,
            wrong="next 移位，masked 不移位；现在反了。",
            look="检查 objective 的判断。",
        ),
        Slip(
            "总是预测下一个",
            always_next,
            wrong="objective 为 masked 时，也给了下一个 token。",
            look="按 objective 分两种情况。",
        ),
        Slip(
            "沿第一个轴移了位",
            shifted_along_the_first_axis,
            wrong="一段文字时对；有批量轴时，移到了另一段文字里。",
            look="沿最后一个轴：token_ids[..., 1:]。",
        ),
        Slip(
            "输入是填充的位置也不算了",
            padding_of_the_input_too,
            wrong="填充在前面时，最后一个填充要预测第一个真的 token，这个位置有损失；要看的只是标签。",
            look="标签等于 pad_id 的换成 −100，不再看输入。",
        ),
    ),
    styles=(with_a_loop, by_appending, by_overwriting),
    hints=(
        "next：位置 i 的目标是第 i + 1 个 token，最后一个没有。masked：遮住的位置的目标是它自己。",
        "先全填 −100，再填有目标的位置。最后，标签是填充的也改成 −100。",
        "labels = np.full(token_ids.shape, -100)；next 时 labels[..., :-1] = token_ids[..., 1:]；"
        "masked 时 labels = np.where(chosen, token_ids, -100)；返回 np.where(labels == pad_id, -100, labels)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "token_ids = np.asarray(token_ids) -> (dropped)",
            "np.asarray(token_ids) -> token_ids",
        ),
        "only decides what happens with arguments that do not fit, which the exercise does not ask for": (
            "_require_chosen(chosen) -> (dropped)",
            "_require_chosen(chosen) -> chosen",
            'ValueError(f\'objective must be "next" or "masked", got {objective!r}\') -> '
            'f\'objective must be "next" or "masked", got {objective!r}\'',
        ),
    },
)
