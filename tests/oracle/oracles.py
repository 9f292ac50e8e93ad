"""What PyTorch and transformers compute, as plain arrays: `FIXTURES` names every small set of agreed values."""

import numpy as np
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.t5.modeling_t5 import T5Attention

torch.set_default_dtype(torch.float64)


def dot_product_attention(q, k, v, mask=None):
    """Return PyTorch's `scaled_dot_product_attention`; its boolean mask has our meaning: True = may look."""
    tensors = (torch.from_numpy(np.asarray(a)) for a in (q, k, v))
    mask = None if mask is None else torch.from_numpy(mask)
    return torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=mask).numpy()


def grouped_query_attention(q, k, v, mask=None):
    """Return PyTorch's attention with fewer key/value heads than query heads."""
    tensors = (torch.from_numpy(a) for a in (q, k, v))
    mask = None if mask is None else torch.from_numpy(mask)
    return torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).numpy()


def multihead_attention(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Return output and weights `(n_heads, n, n)` of PyTorch's `MultiheadAttention` with the given weights, no biases.

    PyTorch multiplies from the other side, and its boolean mask says which keys are hidden: both are turned here.
    """
    layer = torch.nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w.T for w in (w_q, w_k, w_v)])))
        layer.out_proj.weight.copy_(torch.from_numpy(w_o.T.copy()))
        hidden = None if mask is None else torch.from_numpy(~mask)
        tokens = torch.from_numpy(x)[None]
        output, weights = layer(tokens, tokens, tokens, attn_mask=hidden, average_attn_weights=False)
    return output[0].numpy(), weights[0].numpy()


def layer_norm(x, gain, shift):
    """Return PyTorch's `LayerNorm` of x with the given gain and shift."""
    x, gain, shift = (torch.from_numpy(a) for a in (x, gain, shift))
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gain, shift).numpy()


def encoder_layer(x, matrices, n_heads, norm, mask=None):
    """Return PyTorch's `TransformerEncoderLayer` of x `(n, d_model)` with our six matrices and no biases.

    PyTorch multiplies from the other side, and its boolean mask says which keys are hidden: both are turned here.
    """
    w_q, w_k, w_v, w_o, w_1, w_2 = matrices
    layer = torch.nn.TransformerEncoderLayer(
        d_model=x.shape[-1],
        nhead=n_heads,
        dim_feedforward=w_1.shape[1],
        dropout=0.0,
        bias=False,
        batch_first=True,
        norm_first=norm == "pre",
    )
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w.T for w in (w_q, w_k, w_v)])))
        for linear, matrix in [(layer.self_attn.out_proj, w_o), (layer.linear1, w_1), (layer.linear2, w_2)]:
            linear.weight.copy_(torch.from_numpy(matrix.T.copy()))
        hidden = None if mask is None else torch.from_numpy(~mask)
        return layer(torch.from_numpy(x)[None], src_mask=hidden)[0].numpy()


def t5_bucket(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    """Return the bucket that T5 of transformers gives."""
    positions = torch.as_tensor(np.asarray(relative_position))
    return T5Attention._relative_position_bucket(positions, bidirectional, n_buckets, max_distance).numpy()


def bloom_bias(n_heads, seq_len):
    """Return what Bloom adds to the scores, `(n_heads, 1, seq_len)`: slope times position of the key."""
    return build_alibi_tensor(torch.ones(1, seq_len, dtype=torch.int64), n_heads, torch.float64).numpy()


def gptj_rotated(x, positions):
    """Return GPT-J's rotary embedding of x `(n, d_k)`: neighbouring components are a pair."""
    table = gptj.create_sinusoidal_positions(int(max(positions)) + 1, x.shape[-1])[torch.as_tensor(positions)]
    sin, cos = torch.chunk(table.double(), 2, dim=-1)
    return gptj.apply_rotary_pos_emb(torch.from_numpy(x)[None, :, None, :], sin[None], cos[None])[0, :, 0].numpy()


def llama_rotated(x, positions, base=10000.0):
    """Return Llama's rotary embedding of x `(n, d_k)`: component i and component i + d_k / 2 are a pair."""
    config = LlamaConfig(
        hidden_size=x.shape[-1],
        num_attention_heads=1,
        head_dim=x.shape[-1],
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    tokens = torch.from_numpy(x)[None, None]
    cos, sin = llama.LlamaRotaryEmbedding(config)(tokens, torch.as_tensor(positions)[None])
    return llama.apply_rotary_pos_emb(tokens, tokens, cos, sin)[0][0, 0].numpy()


def sinusoids_in_halves(seq_len, d_model):
    """Return transformers' table of sines (left half) and cosines (right half) of all positions."""
    return gptj.create_sinusoidal_positions(seq_len, d_model).numpy()


def attention_values():
    """Return inputs and outputs of one attention without and one with a mask."""
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2))
    mask = np.array([[1, 0, 1, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1]], dtype=bool)
    return {
        "q": q,
        "k": k,
        "v": v,
        "mask": mask,
        "output": dot_product_attention(q, k, v),
        "masked_output": dot_product_attention(q, k, v, mask),
    }


def multihead_values():
    """Return inputs and outputs of multi-head attention without and with a causal mask."""
    rng = np.random.default_rng(2)
    x, matrices = rng.normal(size=(3, 6)), rng.normal(size=(4, 6, 6)) / np.sqrt(6)
    causal = np.tri(3, dtype=bool)
    output, weights = multihead_attention(x, *matrices, n_heads=2)
    causal_output, causal_weights = multihead_attention(x, *matrices, n_heads=2, mask=causal)
    return {
        "x": x,
        "matrices": matrices,
        "output": output,
        "weights": weights,
        "causal_output": causal_output,
        "causal_weights": causal_weights,
    }


def grouped_values():
    """Return inputs and outputs of six query heads that share two heads of keys and values."""
    rng = np.random.default_rng(5)
    q, k, v = rng.normal(size=(6, 3, 4)), rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 2))
    causal = np.tri(3, dtype=bool)
    return {
        "q": q,
        "k": k,
        "v": v,
        "output": grouped_query_attention(q, k, v),
        "causal_output": grouped_query_attention(q, k, v, causal),
    }


def block_values():
    """Return inputs and outputs of a norm, and of an encoder layer before and after norm, without and with a mask."""
    rng = np.random.default_rng(4)
    x, gain, shift = 1 + 2 * rng.normal(size=(3, 6)), rng.uniform(0.5, 2, size=6), rng.normal(size=6)
    shapes = {"w_q": (6, 6), "w_k": (6, 6), "w_v": (6, 6), "w_o": (6, 6), "w_1": (6, 5), "w_2": (5, 6)}
    matrices = {name: rng.normal(size=shape) / np.sqrt(6) for name, shape in shapes.items()}
    causal = np.tri(3, dtype=bool)
    outputs = {
        f"{prefix}{norm}": encoder_layer(x, matrices.values(), 2, norm, mask)
        for norm in ("pre", "post")
        for prefix, mask in (("", None), ("causal_", causal))
    }
    return {"x": x, "gain": gain, "shift": shift, "normalised": layer_norm(x, gain, shift), **matrices, **outputs}


def bucket_values():
    """Return T5's buckets of many distances, both ways, behind a mask, and with other sizes."""
    positions = np.unique(
        np.concatenate([np.arange(-40, 41), [-1000, -200, -128, -127, -65, -64, -63, 63, 64, 128, 999]])
    )
    return {
        "relative_position": positions,
        "both_ways": t5_bucket(positions),
        "one_way": t5_bucket(positions, bidirectional=False),
        "twenty_to_fifty": t5_bucket(positions, True, 20, 50),
    }


def alibi_values():
    """Return ALiBi's slopes of several numbers of heads: Bloom's bias of the key at position 1."""
    return {f"slopes_{n}": bloom_bias(n, 2)[:, 0, 1] for n in (1, 2, 3, 4, 8, 12, 16)}


def rotary_values():
    """Return one array turned by both conventions, and the sinusoids."""
    x, positions = np.random.default_rng(3).normal(size=(4, 6)), np.array([0, 1, 2, 50])
    return {
        "x": x,
        "positions": positions,
        "gptj": gptj_rotated(x, positions),
        "llama": llama_rotated(x, positions),
        "llama_base_100": llama_rotated(x, positions, 100.0),
        "sinusoids_in_halves": sinusoids_in_halves(4, 6),
    }


FIXTURES = {
    "attention": attention_values,
    "multihead": multihead_values,
    "grouped": grouped_values,
    "block": block_values,
    "t5_buckets": bucket_values,
    "alibi_slopes": alibi_values,
    "rotary": rotary_values,
}
