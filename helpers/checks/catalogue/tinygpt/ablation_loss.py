"""Exercise `tinygpt.ablation_loss`: how badly a text is predicted when heads are switched off."""

import numpy as np

from helpers.checks.catalogue.tinygpt import shift
from helpers.checks.catalogue.tinygpt.given import layer_norm, log_softmax, token_losses
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import inspection as reference

CORE, SEVERAL, BATCH, KEPT = (
    "关掉一个头，读出损失",
    "关掉几个、一个也不关、全关",
    "前面可以有批量轴，一段一个数",
    "不改动传进来的数组",
)


def _arguments(rng, batch, seq_len, n_heads, d_v, d_model, vocab_size):
    return (
        rng.normal(size=(*batch, seq_len, d_model)) + 0.5 * rng.normal(),
        rng.normal(size=(*batch, n_heads, seq_len, d_v)),
        rng.normal(size=(n_heads * d_v, d_model)),
        rng.normal(size=(d_model, vocab_size)),
        rng.integers(vocab_size, size=(*batch, seq_len)),
    )


def _float32(arguments):
    return tuple(a.astype(np.float32) if a.dtype == float else a for a in arguments)


def cases(rng):
    return [
        Case(CORE, (*_arguments(rng, (), 3, 2, 2, 4, 3), [0])),
        Case(CORE, (*_arguments(rng, (), 5, 3, 2, 4, 7), [1])),
        Case(CORE, (*_float32(_arguments(rng, (), 4, 2, 3, 5, 6)), [1])),
        Case(CORE, (*_arguments(rng, (), 7, 4, 3, 5, 4), [3])),
        Case(SEVERAL, (*_arguments(rng, (), 5, 4, 2, 3, 6), [0, 2])),
        Case(SEVERAL, (*_arguments(rng, (), 4, 3, 2, 5, 7), [])),
        Case(SEVERAL, (*_arguments(rng, (), 5, 2, 3, 4, 6), [0, 1])),
        Case(BATCH, (*_arguments(rng, (2,), 5, 3, 2, 4, 6), [2])),
        Case(BATCH, (*_arguments(rng, (3, 2), 4, 2, 3, 5, 7), [0])),
        Case(KEPT, (*_arguments(rng, (), 4, 3, 2, 5, 6), [1])),
    ]


def _merged(heads):
    turned = np.swapaxes(heads, -2, -3)
    return turned.reshape(*turned.shape[:-2], -1)


def _kept(heads, off):
    return np.where(np.isin(np.arange(heads.shape[-3]), off)[:, None, None], 0.0, heads)


def _mean(x, unembedding, token_ids):
    return token_losses(layer_norm(x) @ unembedding, token_ids).mean(axis=-1)


def nothing_off(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(heads) @ w_o, unembedding, token_ids)


def only_these_on(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(heads - _kept(heads, off)) @ w_o, unembedding, token_ids)


def everything_off(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x, unembedding, token_ids)


def without_residual(x, heads, w_o, unembedding, token_ids, off):
    return _mean(_merged(_kept(heads, off)) @ w_o, unembedding, token_ids)


def without_norm(x, heads, w_o, unembedding, token_ids, off):
    return token_losses((x + _merged(_kept(heads, off)) @ w_o) @ unembedding, token_ids).mean(axis=-1)


def norm_too_early(x, heads, w_o, unembedding, token_ids, off):
    return token_losses((layer_norm(x) + _merged(_kept(heads, off)) @ w_o) @ unembedding, token_ids).mean(axis=-1)


def norm_twice(x, heads, w_o, unembedding, token_ids, off):
    return _mean(layer_norm(x) + _merged(_kept(heads, off)) @ w_o, unembedding, token_ids)


def norm_of_the_heads(x, heads, w_o, unembedding, token_ids, off):
    return token_losses((x + layer_norm(_merged(_kept(heads, off)) @ w_o)) @ unembedding, token_ids).mean(axis=-1)


def norm_of_the_logits(x, heads, w_o, unembedding, token_ids, off):
    logits = layer_norm((x + _merged(_kept(heads, off)) @ w_o) @ unembedding)
    return token_losses(logits, token_ids).mean(axis=-1)


def heads_taken_out(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(np.delete(heads, off, axis=-3)) @ w_o, unembedding, token_ids)


def heads_taken_out_rest_moved_up(x, heads, w_o, unembedding, token_ids, off):
    merged = _merged(np.delete(heads, off, axis=-3))
    return _mean(x + merged @ w_o[: merged.shape[-1]], unembedding, token_ids)


def number_before(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(_kept(heads, [(number - 1) % heads.shape[-3] for number in off])) @ w_o,
                 unembedding, token_ids)  # fmt: skip


def mean_instead_of_zero(x, heads, w_o, unembedding, token_ids, off):
    is_off = np.isin(np.arange(heads.shape[-3]), off)[:, None, None]
    mean = heads.mean(axis=-3, keepdims=True) * np.ones_like(heads)
    return _mean(x + _merged(np.where(is_off, mean, heads)) @ w_o, unembedding, token_ids)


def rest_enlarged(x, heads, w_o, unembedding, token_ids, off):
    n_heads = heads.shape[-3]
    factor = n_heads / max(n_heads - len(off), 1)
    return _mean(x + factor * _merged(_kept(heads, off)) @ w_o, unembedding, token_ids)


def ones_instead_of_zeros(x, heads, w_o, unembedding, token_ids, off):
    is_off = np.isin(np.arange(heads.shape[-3]), off)[:, None, None]
    return _mean(x + _merged(np.where(is_off, 1.0, heads)) @ w_o, unembedding, token_ids)


def one_component_off(x, heads, w_o, unembedding, token_ids, off):
    merged = _merged(heads)
    merged[..., off] = 0.0
    return _mean(x + merged @ w_o, unembedding, token_ids)


def columns_of_w_o_off(x, heads, w_o, unembedding, token_ids, off):
    w_o = w_o.copy()
    w_o[:, off] = 0.0
    return _mean(x + _merged(heads) @ w_o, unembedding, token_ids)


def time_step_off(x, heads, w_o, unembedding, token_ids, off):
    heads = heads.copy()
    heads[..., off, :] = 0.0
    return _mean(x + _merged(heads) @ w_o, unembedding, token_ids)


def merged_without_swapping(x, heads, w_o, unembedding, token_ids, off):
    kept = _kept(heads, off)
    merged = kept.reshape(*x.shape[:-1], -1)
    return _mean(x + merged @ w_o, unembedding, token_ids)


def components_interleaved(x, heads, w_o, unembedding, token_ids, off):
    last = np.moveaxis(_kept(heads, off), -3, -1)
    return _mean(x + last.reshape(*last.shape[:-2], -1) @ w_o, unembedding, token_ids)


def not_merged(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _kept(heads, off) @ w_o, unembedding, token_ids)


def w_o_turned(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(_kept(heads, off)) @ w_o.T, unembedding, token_ids)


def unembedding_turned(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(_kept(heads, off)) @ w_o, unembedding.T, token_ids)


def w_o_forgotten(x, heads, w_o, unembedding, token_ids, off):
    merged = _merged(_kept(heads, off))
    padded = np.zeros_like(x, dtype=float)
    n = min(x.shape[-1], merged.shape[-1])
    padded[..., :n] = merged[..., :n]
    return _mean(x + padded, unembedding, token_ids)


def not_shifted(x, heads, w_o, unembedding, token_ids, off):
    logits = layer_norm(x + _merged(_kept(heads, off)) @ w_o) @ unembedding
    return token_losses(np.concatenate([logits, logits[..., :1, :]], axis=-2), _before(token_ids)).mean(axis=-1)


def _before(token_ids):
    """Return ids so that `_losses`, which shifts, compares row i with token i."""
    return np.concatenate([token_ids[..., :1], token_ids], axis=-1)


def not_shifted_last_left_out(x, heads, w_o, unembedding, token_ids, off):
    logits = layer_norm(x + _merged(_kept(heads, off)) @ w_o) @ unembedding
    return token_losses(logits, np.roll(token_ids, 1, axis=-1)).mean(axis=-1)


def _logs(x, heads, w_o, unembedding, off):
    return log_softmax(layer_norm(x + _merged(_kept(heads, off)) @ w_o) @ unembedding)


def _taken(rows, token_ids):
    return np.take_along_axis(rows, token_ids[..., None], axis=-1)[..., 0]


def axis_for_the_vocabulary_missing(x, heads, w_o, unembedding, token_ids, off):
    logs = _logs(x, heads, w_o, unembedding, off)[..., :-1, :]
    return -np.take_along_axis(logs, token_ids[..., 1:], axis=-1).mean(axis=-1)


def only_the_tokens_moved(x, heads, w_o, unembedding, token_ids, off):
    return -_taken(_logs(x, heads, w_o, unembedding, off), token_ids[..., 1:]).mean(axis=-1)


def not_shifted_first_left_out(x, heads, w_o, unembedding, token_ids, off):
    return -_taken(_logs(x, heads, w_o, unembedding, off), token_ids)[..., 1:].mean(axis=-1)


def shifted_the_wrong_way(x, heads, w_o, unembedding, token_ids, off):
    return -_taken(_logs(x, heads, w_o, unembedding, off)[..., 1:, :], token_ids[..., :-1]).mean(axis=-1)


def joined_round(x, heads, w_o, unembedding, token_ids, off):
    return -_taken(_logs(x, heads, w_o, unembedding, off), np.roll(token_ids, -1, axis=-1)).mean(axis=-1)


def without_softmax(x, heads, w_o, unembedding, token_ids, off):
    logits = layer_norm(x + _merged(_kept(heads, off)) @ w_o) @ unembedding
    return -_taken(logits[..., :-1, :], token_ids[..., 1:]).mean(axis=-1)


def without_logarithm(x, heads, w_o, unembedding, token_ids, off):
    return -_taken(np.exp(_logs(x, heads, w_o, unembedding, off))[..., :-1, :], token_ids[..., 1:]).mean(axis=-1)


def summed(x, heads, w_o, unembedding, token_ids, off):
    return token_losses(layer_norm(x + _merged(_kept(heads, off)) @ w_o) @ unembedding, token_ids).sum(axis=-1)


def divided_by_all_tokens(x, heads, w_o, unembedding, token_ids, off):
    return summed(x, heads, w_o, unembedding, token_ids, off) / token_ids.shape[-1]


def sign_forgotten(x, heads, w_o, unembedding, token_ids, off):
    return -_mean(x + _merged(_kept(heads, off)) @ w_o, unembedding, token_ids)


def perplexity(x, heads, w_o, unembedding, token_ids, off):
    return np.exp(_mean(x + _merged(_kept(heads, off)) @ w_o, unembedding, token_ids))


def bits(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(_kept(heads, off)) @ w_o, unembedding, token_ids) / np.log(2)


def rise(x, heads, w_o, unembedding, token_ids, off):
    without = _mean(x + _merged(_kept(heads, off)) @ w_o, unembedding, token_ids)
    return without - _mean(x + _merged(heads) @ w_o, unembedding, token_ids)


def one_for_each_token(x, heads, w_o, unembedding, token_ids, off):
    return token_losses(layer_norm(x + _merged(_kept(heads, off)) @ w_o) @ unembedding, token_ids)


def mean_of_the_probabilities(x, heads, w_o, unembedding, token_ids, off):
    losses = token_losses(layer_norm(x + _merged(_kept(heads, off)) @ w_o) @ unembedding, token_ids)
    return -np.log(np.exp(-losses).mean(axis=-1))


def only_the_first_off(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(_kept(heads, off[:1])) @ w_o, unembedding, token_ids)


def only_the_last_off(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(_kept(heads, off[-1:])) @ w_o, unembedding, token_ids)


def one_number_for_all(x, heads, w_o, unembedding, token_ids, off):
    return _mean(x + _merged(_kept(heads, off)) @ w_o, unembedding, token_ids).mean()


def batch_off(x, heads, w_o, unembedding, token_ids, off):
    heads = heads.copy()
    heads[off] = 0.0
    return _mean(x + _merged(heads) @ w_o, unembedding, token_ids)


def head_by_head(x, heads, w_o, unembedding, token_ids, off):
    if np.ndim(token_ids) > 1:
        texts = zip(x, heads, token_ids, strict=True)
        return [head_by_head(*text[:2], w_o, unembedding, text[2], off) for text in texts]
    d_v, total = np.shape(heads)[-1], np.array(x, dtype=float)
    for number, head in enumerate(heads):
        if number not in off:
            total = total + head @ w_o[number * d_v : (number + 1) * d_v]
    loss = 0.0
    for row, wanted in zip(total[:-1], token_ids[1:], strict=True):
        logits = (row - row.mean()) / np.sqrt(row.var() + 1e-5) @ unembedding
        loss -= np.log(np.exp(logits[wanted] - logits.max()) / np.exp(logits - logits.max()).sum())
    return loss / (len(token_ids) - 1)


def with_einsum(x, heads, w_o, unembedding, token_ids, off):
    n_heads, _, d_v = np.shape(heads)[-3:]
    keep = np.ones(n_heads)
    keep[off] = 0
    stream = x + np.einsum("...hnv,hvd,h->...nd", heads, np.reshape(w_o, (n_heads, d_v, -1)), keep)
    stream = (stream - stream.mean(-1, keepdims=True)) / stream.std(-1, keepdims=True)
    logits = (stream @ unembedding)[..., :-1, :]
    logs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    one_hot = np.eye(logits.shape[-1])[token_ids[..., 1:]]
    return -(logs * one_hot).sum(-1).mean(-1)


def by_taking_away(x, heads, w_o, unembedding, token_ids, off):
    d_v = heads.shape[-1]
    w_o = np.array(w_o, dtype=np.float32)
    for number in off:
        w_o[number * d_v : (number + 1) * d_v] *= 0
    stream = x + np.concatenate(list(np.moveaxis(heads, -3, 0)), axis=-1) @ w_o
    stream = stream - np.mean(stream, axis=-1)[..., None]
    stream = stream / np.sqrt(np.mean(stream * stream, axis=-1)[..., None] + 1e-5)
    exps = np.exp(stream @ unembedding)
    probabilities = exps / exps.sum(-1, keepdims=True)
    n = token_ids.shape[-1]
    chosen = np.stack([np.take_along_axis(probabilities[..., i, :], token_ids[..., i + 1, None], -1)
                       for i in range(n - 1)], axis=-1)  # fmt: skip
    return np.mean(-np.log(chosen[..., 0, :]), axis=-1)


EXERCISE = Exercise(
    id="tinygpt.ablation_loss",
    title="关掉几个头之后的损失",
    points=2,
    reference=reference.ablation_loss,
    returns=("loss",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(SEVERAL, 0.2), Behaviour(BATCH, 0.2), Behaviour(KEPT, 0.1)),
    untouched=KEPT,
    slips=(
        Slip(
            "一个头也没有关",
            nothing_off,
            wrong="off 没有起作用：这是完整模型的损失。",
            look="合并之前，把 off 里那些头的输出换成 0。",
        ),
        Slip(
            "关掉了其余的头",
            only_these_on,
            wrong="反了：off 里的要关，其余的照旧。",
            look="heads[..., off, :, :] = 0。",
        ),
        Slip(
            "所有的头都关掉了",
            everything_off,
            wrong="只剩下 x 了；off 以外的头照旧。",
            look="只把 off 里的换成 0。",
        ),
        Slip(
            "没有加到 x 上",
            without_residual,
            wrong="头的输出要加到 x 上，不是代替 x。",
            look="x + 合并(heads) @ w_o。",
        ),
        Slip(
            "忘了层归一化",
            without_norm,
            wrong="乘 unembedding 之前，先对每个 token 做层归一化。",
            look="layer_norm(x + …) @ unembedding。",
        ),
        Slip(
            "归一化做早了",
            norm_too_early,
            wrong="先归一化了 x，再加头的输出；应加完之后再归一化。",
            look="layer_norm(x + …) @ unembedding。",
        ),
        Slip(
            "x 也先归一化了",
            norm_twice,
            wrong="x 自己不归一化；只在最后，加完之后归一化一次。",
            look="layer_norm(x + …) @ unembedding。",
        ),
        Slip(
            "只归一化了头的输出",
            norm_of_the_heads,
            wrong="应加到 x 上之后，一起归一化。",
            look="layer_norm(x + …) @ unembedding。",
        ),
        Slip(
            "归一化了 logits",
            norm_of_the_logits,
            wrong="归一化的是加完之后的向量，在乘 unembedding 之前。",
            look="layer_norm(x + …) @ unembedding。",
        ),
        Slip(
            "换成了各头的平均",
            mean_instead_of_zero,
            wrong="关掉的头换成了各头的平均；这里约定换成 0。",
            look="heads[..., off, :, :] = 0。",
        ),
        Slip(
            "其余的头放大了",
            rest_enlarged,
            wrong="像 dropout 那样放大了其余的头；关掉就是关掉，别的不变。",
            look="只把 off 里的换成 0。",
        ),
        Slip(
            "把头去掉了，不是换成 0",
            heads_taken_out,
            wrong="去掉之后，合并起来不到 n_heads * d_v 个分量，和 w_o 的行数对不上。",
            look="头一个也不少，只是换成 0：heads[..., off, :, :] = 0。",
        ),
        Slip(
            "把头去掉了，后面的补了上来",
            heads_taken_out_rest_moved_up,
            wrong="每个头只认 w_o 里自己的那 d_v 行；去掉一个，后面的头就用了别人的行。",
            look="头一个也不少，只是换成 0：heads[..., off, :, :] = 0。",
        ),
        Slip(
            "关掉了前一个头",
            number_before,
            wrong="头从 0 数起：off 里的 1 是第二个头。",
            look="heads[..., off, :, :] = 0，不减 1。",
        ),
        Slip(
            "换成了 1",
            ones_instead_of_zeros,
            wrong="关掉的头应什么也不带来：0，不是 1。",
            look="heads[..., off, :, :] = 0。",
        ),
        Slip(
            "关掉的是分量",
            one_component_off,
            wrong="合并之后，一个头占 d_v 个分量（w_o 的 d_v 行），不是一个。",
            look="合并之前就换成 0。",
        ),
        Slip(
            "关掉了 w_o 的列",
            columns_of_w_o_off,
            wrong="w_o 的行属于各个头；列是加到 x 上的分量。",
            look="合并之前就把头的输出换成 0。",
        ),
        Slip(
            "关掉的是位置",
            time_step_off,
            wrong="倒数第二个轴是位置；头在倒数第三个轴。",
            look="heads[..., off, :, :] = 0。",
        ),
        Slip(
            "合并时没有交换轴",
            merged_without_swapping,
            wrong="直接 reshape，把不同 token 的数排到了一起。",
            look="先 np.swapaxes(heads, -2, -3)，再 reshape。",
        ),
        Slip(
            "各头的分量交错了",
            components_interleaved,
            wrong="合并时头的轴到了最后：先是各头的第 0 个分量，再是第 1 个；应先是头 0 的全部。",
            look="先 np.swapaxes(heads, -2, -3)，再 reshape。",
        ),
        Slip(
            "没有合并各头",
            not_merged,
            wrong="w_o 有 n_heads * d_v 行，一个头只有 d_v 个分量：各头要先并排接成一行。",
            look="np.swapaxes(heads, -2, -3) 之后 reshape 成 (..., seq_len, n_heads * d_v)。",
        ),
        Slip(
            "w_o 转置了",
            w_o_turned,
            wrong="w_o 是 (n_heads * d_v, d_model)：合并后的一行直接乘它。",
            look="合并(heads) @ w_o，不转置。",
        ),
        Slip(
            "unembedding 转置了",
            unembedding_turned,
            wrong="unembedding 是 (d_model, vocab_size)：归一化之后的一行直接乘它。",
            look="layer_norm(x + …) @ unembedding，不转置。",
        ),
        Slip(
            "忘了 w_o",
            w_o_forgotten,
            wrong="合并后的输出要先乘 w_o，才加到 x 上。",
            look="x + 合并(heads) @ w_o。",
        ),
        shift.slip("没有移位", not_shifted),
        shift.slip("没有移位，去掉了最后一个", not_shifted_last_left_out),
        shift.slip("没有移位，去掉了第一个", not_shifted_first_left_out),
        shift.slip("编号少了一个轴", axis_for_the_vocabulary_missing),
        shift.slip("logits 的最后一行没有去掉", only_the_tokens_moved),
        shift.slip("往反方向移了", shifted_the_wrong_way),
        shift.slip("首尾接在了一起", joined_round),
        Slip(
            "没有做 softmax",
            without_softmax,
            wrong="直接用了 logits；它们还不是概率的对数。",
            look="log_softmax(logits)。",
        ),
        Slip(
            "没有取对数",
            without_logarithm,
            wrong="这是 −p 的平均；损失是 −ln p。",
            look="log_softmax(logits)。",
        ),
        Slip(
            "没有平均",
            summed,
            wrong="加起来了，没有除以个数。",
            look="mean(axis=-1)。",
        ),
        Slip(
            "除以了所有 token 的个数",
            divided_by_all_tokens,
            wrong="seq_len 个 token 只有 seq_len − 1 个损失。",
            look="losses.mean(axis=-1)。",
        ),
        Slip(
            "少了负号",
            sign_forgotten,
            wrong="这是 ln p 的平均；损失是 −ln p。",
            look="−np.log(…)。",
        ),
        Slip(
            "返回了困惑度",
            perplexity,
            wrong="多取了一次指数；这里要的是损失自己。",
            look="返回 losses.mean(axis=-1)。",
        ),
        Slip(
            "返回了比特数",
            bits,
            wrong="用了以 2 为底的对数；这里约定用自然对数。",
            look="np.log。",
        ),
        Slip(
            "返回了损失的增加",
            rise,
            wrong="减去了完整模型的损失；要的是关掉之后的损失自己。",
            look="返回 losses.mean(axis=-1)。",
        ),
        Slip(
            "每个 token 一个数",
            one_for_each_token,
            wrong="没有对 token 取平均；一段文字一个数。",
            look="mean(axis=-1)。",
        ),
        Slip(
            "先平均了概率",
            mean_of_the_probabilities,
            wrong="先平均了概率，再取对数；应先取 −ln，再平均。",
            look="mean(−ln p)。",
        ),
        Slip(
            "只关了第一个",
            only_the_first_off,
            wrong="off 里有几个，就要关几个。",
            look="heads[..., off, :, :] = 0：off 可以是一个列表。",
        ),
        Slip(
            "只关了最后一个",
            only_the_last_off,
            wrong="off 里有几个，就要关几个；每关一个都从原来的 heads 重新开始，就只剩最后一个。",
            look="循环之前复制一次，循环里一直改同一个。",
        ),
        Slip(
            "整批只有一个数",
            one_number_for_all,
            wrong="没有批量轴时对；有批量轴时，一段文字一个数。",
            look="mean(axis=-1)。",
        ),
        Slip(
            "关掉的是轴 0",
            batch_off,
            wrong="没有批量轴时对；有批量轴时，轴 0 是批量，关掉了别的。",
            look="从后面数：heads[..., off, :, :] = 0。",
        ),
    ),
    styles=(head_by_head, with_einsum, by_taking_away),
    hints=(
        "三步：关掉的头换成 0；像 4.2 那样合并、乘 w_o，加到 x 上；归一化，乘 unembedding，和下一个 token 比。",
        "kept = np.array(heads)；kept[..., off, :, :] = 0；"
        "合并：np.swapaxes(kept, -2, -3).reshape(*x.shape[:-1], -1)。",
        "logits = layer_norm(x + merged @ w_o) @ unembedding；"
        "取 logits[..., :-1, :] 的 log softmax 里 token_ids[..., 1:] 指出的那些；返回负的平均，axis=-1。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
            "np.asarray(unembedding, dtype=float) -> unembedding",
            "np.asarray(unembedding, dtype=float) -> np.asarray(unembedding)",
        ),
    },
)
