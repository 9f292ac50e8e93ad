"""Train a `Network` on poems and measure it on poems that it has not seen."""

import math
import time
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from tools.tiny_gpt.network import Network

TOKENS_A_BATCH = 2048
LEARNING_RATE, WARM_UP, LAST_RATE = 3e-3, 200, 0.02
WEIGHT_DECAY, DROPOUT, LARGEST_GRADIENT = 0.1, 0.1, 1.0
N_EPOCHS = 4
REPORT_EVERY = 200


class Trained(NamedTuple):
    """A network and what its training took."""

    network: Network
    n_steps: int
    seconds: float  # of one processor core


def train(shape, sequences, seed, n_epochs=N_EPOCHS, report=print):
    """Train a network from nothing.

    Parameters
    ----------
    shape : Shape
    sequences : list of (length,) int arrays
    seed : int
    n_epochs : int
        How often each poem is read.
    report : callable
        Called with a line of text now and then.

    Returns
    -------
    Trained
    """
    torch.manual_seed(seed)
    rng, started = np.random.default_rng(seed), time.process_time()
    network = Network(shape, DROPOUT)
    matrices = [p for p in network.parameters() if p.ndim == 2]
    others = [p for p in network.parameters() if p.ndim != 2]
    groups = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=(0.9, 0.98))
    n_steps = n_epochs * len(batches(sequences, np.random.default_rng(seed)))
    step, losses = 0, []
    for _ in range(n_epochs):
        for token_ids in batches(sequences, rng):
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = LEARNING_RATE * rate_at(step, n_steps)
            loss = mean_loss(network, token_ids)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
            optimiser.step()
            losses.append(loss.item())
            if step % REPORT_EVERY == 0:
                seconds = time.process_time() - started
                report(f"step {step} of {n_steps}: loss {np.mean(losses[-REPORT_EVERY:]):.3f}, {seconds:.0f} s")
    return Trained(network.eval(), n_steps, time.process_time() - started)


def rate_at(step, n_steps):
    """Return the share of the learning rate: rising, then half a cosine down."""
    if step < WARM_UP:
        return step / WARM_UP
    way = (step - WARM_UP) / max(1, n_steps - WARM_UP)
    return LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * way)) / 2


def batches(sequences, rng):
    """Group sequences of equal length, so that nothing is padded, in a random order.

    Parameters
    ----------
    sequences : list of (length,) int arrays
    rng : numpy.random.Generator

    Returns
    -------
    batches : list of (n, length) int64 tensors
        Of about `TOKENS_A_BATCH` tokens each.
    """
    result = []
    for length in sorted({len(sequence) for sequence in sequences}):
        together = rng.permutation(np.stack([sequence for sequence in sequences if len(sequence) == length]))
        pieces = np.array_split(together, math.ceil(together.size / TOKENS_A_BATCH))
        result += [torch.from_numpy(piece) for piece in pieces]
    return [result[i] for i in rng.permutation(len(result))]


def mean_loss(network, token_ids, causal=None, reduction="mean"):
    """Return the cross-entropy of every token but the first, in nats."""
    logits = network(token_ids[:, :-1], causal)
    return functional.cross_entropy(logits.flatten(0, 1), token_ids[:, 1:].flatten(), reduction=reduction)


@torch.no_grad()
def total_bits(network, sequences, causal=None):
    """Return the bits of all tokens but the first of each sequence, together.

    Parameters
    ----------
    network : Network
    sequences : list of (length,) int arrays
    causal : bool, optional
        Whether the network may not look ahead; as in its training if not given.

    Returns
    -------
    bits : float
    """
    all_batches = batches(sequences, np.random.default_rng(0))
    return sum(mean_loss(network, token_ids, causal, "sum").item() for token_ids in all_batches) / math.log(2)
