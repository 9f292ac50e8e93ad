"""Exercise `architecture.greedy_decode`: write on with the most likely token, and read it too."""

import numpy as np

from helpers.checks.catalogue.architecture import models
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import generation as reference

CORE, END = "一个接一个地写", "写到结束符就停"


def cases(rng):
    digits = rng.integers(10, size=4)
    return [
        Case(CORE, (models.counts_up, np.array([3, 4]), 3, None)),
        Case(CORE, (models.adds_the_last_two, np.array([1, 2, 4]), 5)),
        Case(CORE, (models.remembers_everything, digits + 1, 6, None)),
        Case(CORE, (models.knows_its_position, rng.integers(5, size=3), 7, None)),
        Case(CORE, (models.first_symbol_rarest, np.array([2, 0, 6, 1]), 3, None)),
        Case(CORE, (models.counts_up, np.array([3, 4]), 0, None)),
        Case(END, (models.counts_up, np.array([3, 4]), 5, 6)),
        Case(END, (models.counts_up, np.array([0, 6, 2]), 4, 3)),
        Case(END, (models.counts_up, np.array([6, 2]), 3, 2)),
        Case(END, (models.counts_up, np.array([7]), 5, 0)),
    ]


def without_feeding_back(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(prompt)[-1])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def only_the_last_token_read(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(np.array(ids[-1:]))[-1])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def prompt_forgotten(logits_of, prompt, n_new, end_id=None):
    ids, written = np.array(prompt), []
    for _ in range(n_new):
        written.append(int(np.argmax(logits_of(ids)[-1])))
        ids = np.array(written)
        if written[-1] == end_id:
            break
    return np.array([*prompt, *written])


def first_row(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(np.array(ids))[0])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def row_before_the_last(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(np.array(ids))[-2:][0])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def least_likely(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmin(logits_of(np.array(ids))[-1])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def all_rows_at_once(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(np.array(ids)).sum(axis=0))))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def only_what_is_new(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
        if ids[-1] == end_id:
            break
    return np.array(ids[len(prompt) :])


def length_in_all(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    while len(ids) < n_new:
        ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def one_too_many(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new + 1):
        ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def one_too_few(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new - 1):
        ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
        if ids[-1] == end_id:
            break
    return np.array(ids)


def never_stops(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
    return np.array(ids)


def end_left_out(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        next_id = int(np.argmax(logits_of(np.array(ids))[-1]))
        if next_id == end_id:
            break
        ids.append(next_id)
    return np.array(ids)


def end_in_the_prompt_counts(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        if end_id in ids:
            break
        ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
    return np.array(ids)


def end_zero_is_no_end(logits_of, prompt, n_new, end_id=None):
    ids = list(prompt)
    for _ in range(n_new):
        ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
        if end_id and ids[-1] == end_id:
            break
    return np.array(ids)


def all_new_ones_in_one_go(logits_of, prompt, n_new, end_id=None):
    best = logits_of(np.array(prompt)).argmax(axis=-1)
    return np.concatenate([prompt, best[len(best) - n_new :]]) if n_new else np.array(prompt)


def with_a_list(logits_of, prompt, n_new, end_id=None):
    ids = [int(token_id) for token_id in prompt]
    while len(ids) < len(prompt) + n_new:
        last = list(logits_of(np.array(ids))[-1])
        ids.append(last.index(max(last)))
        if end_id is not None and ids[-1] == end_id:
            return ids
    return ids


def by_recursion(logits_of, prompt, n_new, end_id=None):
    if n_new == 0:
        return np.array(prompt)
    next_id = np.argmax(logits_of(np.array(prompt))[-1])
    longer = np.concatenate([prompt, [next_id]])
    return longer if next_id == end_id else by_recursion(logits_of, longer, n_new - 1, end_id)


def into_a_prepared_array(logits_of, prompt, n_new, end_id=None):
    ids = np.zeros(len(prompt) + n_new, dtype=np.float32)
    ids[: len(prompt)] = prompt
    for t in range(len(prompt), len(ids)):
        ids[t] = np.argsort(-np.asarray(logits_of(ids[:t].astype(int)))[t - 1], kind="stable")[0]
        if ids[t] == end_id:
            return ids[: t + 1]
    return ids


EXERCISE = Exercise(
    id="architecture.greedy_decode",
    title="贪心生成",
    points=1,
    reference=reference.greedy_decode,
    returns=("token_ids",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(END, 0.3)),
    slips=(
        Slip(
            "写出的没有读回去",
            without_feeding_back,
            wrong="每一步读的都是最初的提示，于是写出的全是同一个 token。",
            look="把新的 token 接在后面，再把整段交给模型。",
        ),
        Slip(
            "只读了最后一个 token",
            only_the_last_token_read,
            wrong="前文都忘了：模型每一步都要读全部已有的 token。",
            look="logits_of(token_ids)，传整段。",
        ),
        Slip(
            "忘了提示",
            prompt_forgotten,
            wrong="写出第一个之后，就只读自己写的，不读提示了。",
            look="token_ids 从提示开始，一直变长。",
        ),
        Slip(
            "看的是第一行",
            first_row,
            wrong="第 i 行说的是位置 i 之后的 token；要接着写，看最后一行。",
            look="logits_of(token_ids)[-1]。",
        ),
        Slip(
            "看的是倒数第二行",
            row_before_the_last,
            wrong="倒数第二行预测的是已经写出的那个 token。",
            look="logits_of(token_ids)[-1]。",
        ),
        Slip(
            "取了最不可能的",
            least_likely,
            wrong="方向反了：取了最小的 logits。",
            look="argmax。",
        ),
        Slip(
            "把所有的行加在了一起",
            all_rows_at_once,
            wrong="各行说的是不同的位置，不能相加。",
            look="只看最后一行。",
        ),
        Slip(
            "只返回了新写的",
            only_what_is_new,
            wrong="写得对；返回值应从提示开始。",
            look="返回提示加上新写的。",
        ),
        Slip(
            "n_new 当作了总长度",
            length_in_all,
            wrong="n_new 是新写的个数，不是总长度。",
            look="循环 n_new 次。",
        ),
        Slip(
            "多写了一个",
            one_too_many,
            wrong="多循环了一次。",
            look="for _ in range(n_new)。",
        ),
        Slip(
            "少写了一个",
            one_too_few,
            wrong="少循环了一次。",
            look="for _ in range(n_new)。",
        ),
        Slip(
            "遇到结束符没有停",
            never_stops,
            wrong="写出 end_id 之后还在写。",
            look="新的 token 等于 end_id 时 break。",
        ),
        Slip(
            "结束符没有写出来",
            end_left_out,
            wrong="停对了；但结束符本身也要留在结果里。",
            look="先接上，再判断要不要停。",
        ),
        Slip(
            "提示里的结束符也算",
            end_in_the_prompt_counts,
            wrong="只有新写出的结束符才停；提示里有它不算。",
            look="判断刚写出的那个 token。",
        ),
        Slip(
            "编号 0 的结束符没有认出",
            end_zero_is_no_end,
            wrong="end_id 为 0 时，if end_id 是假：0 也是一个编号。",
            look="直接写 next_id == end_id；None 不会等于任何编号。",
        ),
        Slip(
            "一口气全写了",
            all_new_ones_in_one_go,
            wrong="模型只读了一次；后面的 token 要等前面的写出来才知道。",
            look="循环：读、写、接上、再读。",
        ),
    ),
    styles=(with_a_list, by_recursion, into_a_prepared_array),
    hints=(
        "循环 n_new 次：读全文，取最后一行里最大的，接在后面。",
        "logits_of(token_ids)[-1].argmax() 是下一个 token；np.append 接上；等于 end_id 就 break。",
        "token_ids = np.asarray(prompt)；每一步 next_id = logits_of(token_ids)[-1].argmax()，"
        "token_ids = np.append(token_ids, next_id)，然后 if next_id == end_id: break。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: ("np.asarray(prompt) -> prompt",),
    },
)
