"""The small Transformer in PyTorch, for training alone; `helpers.reference.decoder` is what runs it afterwards.

Decoder-only, pre-norm, ReLU, no biases; the norms have no gain, but the last. Embedding and last matrix are shared.
"""

from functools import partial
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional


class Shape(NamedTuple):
    """The sizes of a model, and what is taken out of it."""

    vocab_size: int
    n_positions: int
    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 4
    d_ff: int = 512
    positions: bool = True
    residual: bool = True
    causal: bool = True


class Network(nn.Module):
    """Token ids `(n, seq_len)` to logits `(n, seq_len, vocab_size)`."""

    def __init__(self, shape, dropout):
        super().__init__()
        self.shape, self.dropout = shape, dropout
        self.embedding = nn.Parameter(torch.randn(shape.vocab_size, shape.d_model) * 0.05)
        self.positions = nn.Parameter(torch.randn(shape.n_positions, shape.d_model) * 0.05 * shape.positions)
        self.gain = nn.Parameter(torch.ones(shape.d_model))
        self.blocks = nn.ModuleList(Block(shape, dropout) for _ in range(shape.n_layers))

    def forward(self, token_ids, causal=None):
        """Return the logits; `causal` overrules for this reading what the network was trained with."""
        causal = self.shape.causal if causal is None else causal
        x = self.embedding[token_ids]
        if self.shape.positions:
            x = x + self.positions[: token_ids.shape[1]]
        x = functional.dropout(x, self.dropout, self.training)
        for block in self.blocks:
            x = block(x, causal)
        return (norm(x) * self.gain) @ self.embedding.T


class Block(nn.Module):
    """One layer: attention, then the feed-forward network."""

    def __init__(self, shape, dropout):
        super().__init__()
        self.shape, self.dropout = shape, dropout
        d_model, d_ff = shape.d_model, shape.d_ff
        narrow = (2 * shape.n_layers) ** -0.5  # so that the sum over all layers starts out as large as one of them
        self.w_q, self.w_k, self.w_v = (_matrix(d_model, d_model) for _ in range(3))
        self.w_o = _matrix(d_model, d_model, narrow)
        self.w_1, self.w_2 = _matrix(d_model, d_ff, 2**0.5), _matrix(d_ff, d_model, narrow)

    def forward(self, x, causal):
        """Add (or put in its place) what attention finds, then what the feed-forward network makes of it."""
        for part in (partial(self.attend, causal=causal), self.digest):
            out = functional.dropout(part(norm(x)), self.dropout, self.training)
            x = x + out if self.shape.residual else out
        return x

    def attend(self, x, causal):
        """Let all heads attend, and mix what they bring."""
        n, seq_len, d_model = x.shape
        q, k, v = (
            (x @ w).view(n, seq_len, self.shape.n_heads, -1).transpose(1, 2) for w in (self.w_q, self.w_k, self.w_v)
        )
        heads = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return heads.transpose(1, 2).reshape(n, seq_len, d_model) @ self.w_o

    def digest(self, x):
        """Work on every token alone."""
        return functional.relu(x @ self.w_1) @ self.w_2


def norm(x):
    """Layer normalisation without gain and shift."""
    return functional.layer_norm(x, x.shape[-1:])


def _matrix(n_in, n_out, gain=1.0):
    return nn.Parameter(torch.randn(n_in, n_out) * gain * n_in**-0.5)
