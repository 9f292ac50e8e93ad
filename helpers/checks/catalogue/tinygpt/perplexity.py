"""Exercise `tinygpt.perplexity`: among how many equally likely tokens a model was left to choose."""

import numpy as np

from helpers.checks.catalogue.tinygpt import shift
from helpers.checks.catalogue.tinygpt.given import log_softmax, softmax, token_losses
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import next_token as reference

CORE, BATCH, LARGE = (
    "−ln p 取平均，再取指数",
    "前面可以有批量轴，一段一个数",
    "很大的 logits 不溢出，很小的概率不变成 0",
)


def _arguments(rng, batch, seq_len, vocab_size, scale=1.5):
    logits = scale * rng.normal(size=(*batch, seq_len, vocab_size))
    return logits, rng.integers(vocab_size, size=(*batch, seq_len))


def cases(rng):
    logits, token_ids = _arguments(rng, (), 5, 7)
    far, far_ids = _arguments(rng, (), 5, 4)
    sharp, sharp_ids = _arguments(rng, (), 7, 3, scale=1500.0)
    sharp[np.arange(6), sharp_ids[1:]] = sharp.max() + rng.normal(size=6)  # sure of what is right
    apart, apart_ids = _arguments(rng, (2,), 3, 5)
    missed, missed_ids = _arguments(rng, (), 12, 5)
    missed[4, missed_ids[5]] -= 760.0  # exp gives 0, and its logarithm −∞; the mean still fits into float32
    return [
        Case(CORE, _arguments(rng, (), 3, 4)),
        Case(CORE, _arguments(rng, (), 7, 5)),
        Case(CORE, (logits.astype(np.float32), token_ids)),
        Case(CORE, _arguments(rng, (), 2, 5)),
        Case(BATCH, _arguments(rng, (2,), 5, 3)),
        Case(BATCH, _arguments(rng, (3, 2), 4, 6)),
        Case(LARGE, (far + 900, far_ids)),
        Case(LARGE, (sharp, sharp_ids)),
        Case(LARGE, (apart + np.array([900.0, -900.0])[:, None, None], apart_ids)),
        Case(LARGE, (missed, missed_ids)),
    ]


def _taken(rows, token_ids):
    return np.take_along_axis(rows, token_ids[..., None], axis=-1)[..., 0]


def not_shifted(logits, token_ids):
    return np.exp(-_taken(log_softmax(logits), token_ids).mean(axis=-1))


def not_shifted_last_left_out(logits, token_ids):
    return np.exp(-_taken(log_softmax(logits[..., :-1, :]), token_ids[..., :-1]).mean(axis=-1))


def not_shifted_first_left_out(logits, token_ids):
    return np.exp(-_taken(log_softmax(logits[..., 1:, :]), token_ids[..., 1:]).mean(axis=-1))


def axis_for_the_vocabulary_missing(logits, token_ids):
    return np.exp(-np.take_along_axis(log_softmax(logits[..., :-1, :]), token_ids[..., 1:], axis=-1).mean(axis=-1))


def only_the_tokens_moved(logits, token_ids):
    found = np.take_along_axis(log_softmax(logits), token_ids[..., 1:, None], axis=-1)
    return np.exp(-found[..., 0].mean(axis=-1))


def only_the_logits_moved(logits, token_ids):
    return np.exp(-_taken(log_softmax(logits[..., :-1, :]), token_ids).mean(axis=-1))


def shifted_the_wrong_way(logits, token_ids):
    return np.exp(-_taken(log_softmax(logits[..., 1:, :]), token_ids[..., :-1]).mean(axis=-1))


def joined_round(logits, token_ids):
    return np.exp(-_taken(log_softmax(logits), np.roll(token_ids, -1, axis=-1)).mean(axis=-1))


def loss(logits, token_ids):
    return token_losses(logits, token_ids).mean(axis=-1)


def bits(logits, token_ids):
    return token_losses(logits, token_ids).mean(axis=-1) / np.log(2)


def power_of_two_of_nats(logits, token_ids):
    return 2 ** token_losses(logits, token_ids).mean(axis=-1)


def exponential_of_bits(logits, token_ids):
    return np.exp(token_losses(logits, token_ids).mean(axis=-1) / np.log(2))


def sign_forgotten(logits, token_ids):
    return np.exp(-token_losses(logits, token_ids).mean(axis=-1))


def sum_of_losses(logits, token_ids):
    return np.exp(token_losses(logits, token_ids).sum(axis=-1))


def divided_by_all_tokens(logits, token_ids):
    return np.exp(token_losses(logits, token_ids).sum(axis=-1) / token_ids.shape[-1])


def inverse_of_mean_probability(logits, token_ids):
    return 1 / np.exp(-token_losses(logits, token_ids)).mean(axis=-1)


def mean_of_inverse_probabilities(logits, token_ids):
    return np.exp(token_losses(logits, token_ids)).mean(axis=-1)


def mean_probability(logits, token_ids):
    return np.exp(-token_losses(logits, token_ids)).mean(axis=-1)


def one_for_each_token(logits, token_ids):
    return np.exp(token_losses(logits, token_ids))


def of_the_most_likely(logits, token_ids):
    return np.exp(-log_softmax(logits[..., :-1, :]).max(axis=-1).mean(axis=-1))


def entropy(logits, token_ids):
    logs = log_softmax(logits[..., :-1, :])
    return np.exp(-(np.exp(logs) * logs).sum(axis=-1).mean(axis=-1))


def without_softmax(logits, token_ids):
    return np.exp(-_taken(logits[..., :-1, :], token_ids[..., 1:]).mean(axis=-1))


def over_the_positions(logits, token_ids):
    turned = np.swapaxes(log_softmax(np.swapaxes(logits, -1, -2)), -1, -2)
    return np.exp(-_taken(turned[..., :-1, :], token_ids[..., 1:]).mean(axis=-1))


def over_all_but_the_last_position(logits, token_ids):
    turned = np.swapaxes(log_softmax(np.swapaxes(logits[..., :-1, :], -1, -2)), -1, -2)
    return np.exp(-_taken(turned, token_ids[..., 1:]).mean(axis=-1))


def one_number_for_all(logits, token_ids):
    return np.exp(token_losses(logits, token_ids).mean())


def mean_of_the_texts(logits, token_ids):
    return np.exp(token_losses(logits, token_ids).mean(axis=-1)).mean()


def only_the_last_token(logits, token_ids):
    return np.exp(token_losses(logits, token_ids)[..., -1])


def median(logits, token_ids):
    return np.exp(np.median(token_losses(logits, token_ids), axis=-1))


def last_token_left_out(logits, token_ids):
    return np.exp(token_losses(logits, token_ids)[..., :-1].mean(axis=-1))


def first_pair_left_out(logits, token_ids):
    return np.exp(token_losses(logits, token_ids)[..., 1:].mean(axis=-1))


def softmax_twice(logits, token_ids):
    return np.exp(token_losses(softmax(logits), token_ids).mean(axis=-1))


def averaged_over_the_batch(logits, token_ids):
    return np.exp(token_losses(logits, token_ids).mean(axis=0))


def logarithm_of_zero(logits, token_ids):
    chosen = _taken(softmax(logits)[..., :-1, :], token_ids[..., 1:])
    with np.errstate(divide="ignore"):
        return np.exp(-np.log(chosen).mean(axis=-1))


def small_number_added(logits, token_ids):
    chosen = _taken(softmax(logits)[..., :-1, :], token_ids[..., 1:])
    return np.exp(-np.log(chosen + 1e-9).mean(axis=-1))


def overflowing(logits, token_ids):
    exps = np.exp(logits)
    probabilities = _taken((exps / exps.sum(axis=-1, keepdims=True))[..., :-1, :], token_ids[..., 1:])
    return np.exp(-np.log(probabilities).mean(axis=-1))


def largest_of_the_whole_batch(logits, token_ids):
    exps = np.exp(logits - logits.max())
    probabilities = _taken((exps / exps.sum(axis=-1, keepdims=True))[..., :-1, :], token_ids[..., 1:])
    return np.exp(-np.log(probabilities).mean(axis=-1))


def first_axis(logits, token_ids):
    return np.exp(-_taken(log_softmax(logits[:-1]), token_ids[1:]).mean(axis=-1))


def one_by_one(logits, token_ids):
    if np.ndim(token_ids) > 1:
        return [one_by_one(*text) for text in zip(logits, token_ids, strict=True)]
    surprises = []
    for i in range(1, len(token_ids)):
        row = logits[i - 1] - max(logits[i - 1])
        surprises.append(np.log(sum(np.exp(row))) - row[token_ids[i]])
    return np.exp(sum(surprises) / len(surprises))


def geometric_mean(logits, token_ids):
    rows = np.asarray(logits, dtype=float)[..., :-1, :]
    chosen = np.where(np.eye(rows.shape[-1])[token_ids[..., 1:]], rows, 0).sum(-1, keepdims=True)
    roots = np.exp(np.logaddexp.reduce(rows - chosen, axis=-1) / rows.shape[-2])
    return np.prod(roots, axis=-1)


def powers_of_two(logits, token_ids):
    logs = logits[..., :-1, :] - np.logaddexp.reduce(logits[..., :-1, :], axis=-1, keepdims=True)
    n = token_ids.shape[-1] - 1
    bits_of_text = -np.take_along_axis(logs, token_ids[..., 1:, None], axis=-1).sum(axis=(-1, -2)) / np.log(2)
    return np.exp2(bits_of_text / n)


EXERCISE = Exercise(
    id="tinygpt.perplexity",
    title="困惑度",
    points=3,
    reference=reference.perplexity,
    returns=("perplexity",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(BATCH, 0.15), Behaviour(LARGE, 0.15)),
    slips=(
        shift.slip("没有移位", not_shifted),
        shift.slip("没有移位，去掉了最后一个", not_shifted_last_left_out),
        shift.slip("没有移位，去掉了第一个", not_shifted_first_left_out),
        shift.slip("编号少了一个轴", axis_for_the_vocabulary_missing),
        shift.slip("logits 的最后一行没有去掉", only_the_tokens_moved),
        Slip(
            "token_ids 的第一个没有去掉",
            only_the_logits_moved,
            wrong="logits 去掉了最后一行，token_ids 还有 seq_len 个，对不上。",
            look="logits[..., :-1, :] 与 token_ids[..., 1:]，各 seq_len − 1 个。",
        ),
        shift.slip("往反方向移了", shifted_the_wrong_way),
        shift.slip("首尾接在了一起", joined_round),
        Slip(
            "没有取指数",
            loss,
            wrong="这是 −ln p 的平均；困惑度是它的指数。",
            look="np.exp(losses.mean(axis=-1))。",
        ),
        Slip(
            "返回了比特数",
            bits,
            wrong="这是平均每个 token 的比特数；困惑度是 2 的这么多次方。",
            look="np.exp(平均的 −ln p)。",
        ),
        Slip(
            "ln 配了 2 的幂",
            power_of_two_of_nats,
            wrong="对数以 e 为底，幂却以 2 为底；两个底要相同。",
            look="ln 配 exp，log2 配 2 的幂。",
        ),
        Slip(
            "log2 配了 e 的幂",
            exponential_of_bits,
            wrong="对数以 2 为底，幂却以 e 为底；两个底要相同。",
            look="ln 配 exp，log2 配 2 的幂。",
        ),
        Slip(
            "少了负号",
            sign_forgotten,
            wrong="小于 1 了：这是概率的几何平均，困惑度是它的倒数。",
            look="损失是 −ln p。",
        ),
        Slip(
            "损失没有平均",
            sum_of_losses,
            wrong="文字越长就越大；应先平均，再取指数。",
            look="mean，不是 sum。",
        ),
        Slip(
            "除以了所有 token 的个数",
            divided_by_all_tokens,
            wrong="第一个 token 没有人预测它：seq_len 个 token 只有 seq_len − 1 个损失。",
            look="losses.mean(axis=-1)。",
        ),
        Slip(
            "先平均了概率",
            inverse_of_mean_probability,
            wrong="概率取了算术平均，再取倒数；应先取 −ln，再平均：猜得很错的那些才算得重。",
            look="exp(mean(−ln p))。",
        ),
        Slip(
            "平均了每个 token 的困惑度",
            mean_of_inverse_probabilities,
            wrong="先取了指数再平均；应先平均，再取指数。",
            look="exp(mean(−ln p))。",
        ),
        Slip(
            "返回了平均概率",
            mean_probability,
            wrong="这是正确的 token 平均得到的概率，还不是困惑度。",
            look="exp(mean(−ln p))。",
        ),
        Slip(
            "每个 token 一个数",
            one_for_each_token,
            wrong="没有对 token 取平均；一段文字一个数。",
            look="取指数之前 .mean(axis=-1)。",
        ),
        Slip(
            "取了最可能的 token",
            of_the_most_likely,
            wrong="用的是模型最看好的 token 的概率；应是真正出现的那个。",
            look="在每一行里取 token_ids 指出的那个。",
        ),
        Slip(
            "算了熵",
            entropy,
            wrong="这只看模型自己有多犹豫，没有和真正的文字比。",
            look="在每一行里取 token_ids 指出的那个。",
        ),
        Slip(
            "没有做 softmax",
            without_softmax,
            wrong="直接用了 logits；它们还不是概率的对数。",
            look="先做 softmax，再取对数。",
        ),
        Slip(
            "沿位置的轴做了 softmax",
            over_the_positions,
            wrong="归一化的轴错了：每个位置上，各个字的概率加起来是 1。",
            look="axis=-1。",
        ),
        Slip(
            "沿位置的轴做了 softmax，最后一行除外",
            over_all_but_the_last_position,
            wrong="归一化的轴错了：每个位置上，各个字的概率加起来是 1。",
            look="axis=-1。",
        ),
        Slip(
            "只看了最后一个 token",
            only_the_last_token,
            wrong="困惑度是整段文字的；每个 token 都要算。",
            look="对所有位置取平均。",
        ),
        Slip(
            "取了中位数",
            median,
            wrong="平均是 mean；中位数看不见那几个猜得很错的。",
            look="losses.mean(axis=-1)。",
        ),
        Slip(
            "少了最后一个 token",
            last_token_left_out,
            wrong="最后一个 token 也有人猜过它：它前面那一行说的就是它。",
            look="logits[..., :-1, :] 与 token_ids[..., 1:]，各 seq_len − 1 个。",
        ),
        Slip(
            "少了第二个 token",
            first_pair_left_out,
            wrong="第一行 logits 说的是第二个 token，也要算；不算的只有第一个 token。",
            look="logits[..., :-1, :] 与 token_ids[..., 1:]，各 seq_len − 1 个。",
        ),
        Slip(
            "softmax 了两次",
            softmax_twice,
            wrong="log_softmax 里已经有 softmax；概率又当作 logits 用了一次。",
            look="直接对 logits 做 log_softmax。",
        ),
        Slip(
            "整批只有一个数",
            one_number_for_all,
            wrong="没有批量轴时对；有批量轴时，一段文字一个数。",
            look="mean(axis=-1)。",
        ),
        Slip(
            "对各段文字取了平均",
            mean_of_the_texts,
            wrong="没有批量轴时对；有批量轴时，一段文字一个数。",
            look="只沿最后一个轴取平均。",
        ),
        Slip(
            "沿轴 0 取了平均",
            averaged_over_the_batch,
            wrong="没有批量轴时对；有批量轴时，轴 0 是批量。",
            look="mean(axis=-1)。",
        ),
        Slip(
            "先做 softmax 再取对数",
            logarithm_of_zero,
            wrong="概率不太小时对；小到变成 0 时，ln 0 是 −∞。",
            look="用给出的 log_softmax，它直接算对数。",
        ),
        Slip(
            "给概率加了一个小数",
            small_number_added,
            wrong="加 1e-9 免去了 ln 0，却改了很小的概率：−ln p 再大也不过 21。",
            look="用给出的 log_softmax，它直接算对数。",
        ),
        Slip(
            "溢出了",
            overflowing,
            wrong="logits 不大时对；大的取指数成了 inf。",
            look="取指数之前减去每行的最大值。",
        ),
        Slip(
            "整批减了同一个最大值",
            largest_of_the_whole_batch,
            wrong="减的是整批里最大的：比它小很多的那一行，指数全成了 0，0 / 0 是 NaN。",
            look="每一行减去自己的最大值：max(axis=-1, keepdims=True)。",
        ),
        Slip(
            "沿轴 0 移了位",
            first_axis,
            wrong="没有批量轴时对；有批量轴时，轴 0 是批量，不是位置。",
            look="从后面数：logits[..., :-1, :]，token_ids[..., 1:]。",
        ),
    ),
    styles=(one_by_one, geometric_mean, powers_of_two),
    hints=(
        "三步：每个位置上，真正的下一个 token 得到了多大的概率？取 −ln，平均，再取指数。",
        "第 i 行说的是第 i + 1 个 token：用 logits[..., :-1, :] 和 token_ids[..., 1:]。"
        "从每一行里取一个数：np.take_along_axis(…, ids[..., None], axis=-1)。",
        "logs = log_softmax(logits[..., :-1, :])；"
        "losses = -np.take_along_axis(logs, token_ids[..., 1:, None], axis=-1)[..., 0]；"
        "返回 np.exp(losses.mean(axis=-1))。",
    ),
)
