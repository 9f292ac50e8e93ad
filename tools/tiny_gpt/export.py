"""From trained networks to the files in `helpers/models/`, and to the numbers that the model card states."""

import json
import math

import numpy as np
import torch

from helpers.reference.tiny_gpt import END, NEVER_WRITTEN, PUNCTUATION, decode, encode, encode_poem
from tools.tiny_gpt.kneser_ney import KneserNey
from tools.tiny_gpt.training import total_bits

MATRICES = ("w_q", "w_k", "w_v", "w_o", "w_1", "w_2")
N_POEMS = 400
OPENINGS = ("明月", "春风", "独坐")
TEMPERATURE, TOP_K = 0.8, 20
FROZEN_POEMS, FROZEN_EVERY = 2, 16


def arrays_of(network):
    """Return the weights of a network in float16, the layers of a matrix stacked.

    Returns
    -------
    arrays : dict of str to array
        `embedding (vocab_size, d_model)`, `positions (n_positions, d_model)`, `gain (d_model,)`;
        `w_q w_k w_v w_o (n_layers, d_model, d_model)`, `w_1 (n_layers, d_model, d_ff)`,
        `w_2 (n_layers, d_ff, d_model)`.
    """
    stacked = {name: torch.stack([getattr(block, name) for block in network.blocks]) for name in MATRICES}
    tensors = {"embedding": network.embedding, "positions": network.positions, "gain": network.gain, **stacked}
    return {name: tensor.detach().numpy().astype(np.float16) for name, tensor in tensors.items()}


@torch.no_grad()
def round_weights(network):
    """Round a network's weights, in place, to float16, as they are shipped: every number is measured on those."""
    for parameter in network.parameters():
        parameter.copy_(parameter.half().float())


def measured(networks, corpus):
    """Measure networks and the 3-gram model on the held-out poems.

    Parameters
    ----------
    networks : dict of str to Network
        By what is left out of each; the one under "complete" lacks nothing.
    corpus : Corpus

    Returns
    -------
    held_out : dict
    ablations : list of dict
    """
    training, sequences = (encoded(poems, corpus.symbols) for poems in (corpus.training, corpus.held_out))
    n_characters = sum(symbol not in PUNCTUATION for poem in corpus.held_out for symbol in poem)

    def bits(network, causal=None):
        return round(total_bits(network, sequences, causal) / n_characters, 3)

    trigram = KneserNey(training, len(corpus.symbols))
    trigram_bits = math.fsum(trigram.bits(sequence).sum() for sequence in sequences) / n_characters
    ablations = [
        {
            "name": name,
            "bits_per_character": (masked := bits(network, causal=True)),
            "bits_as_trained": masked if network.shape.causal else bits(network),
            "samples": [continued(network, opening, corpus.symbols) for opening in OPENINGS],
        }
        for name, network in networks.items()
    ]
    held_out = {
        "poems": len(sequences),
        "characters": n_characters,
        "bits_per_character": ablations[[*networks].index("complete")]["bits_per_character"],
        "trigram_bits_per_character": round(trigram_bits, 3),
    }
    return held_out, ablations


def encoded(poems, symbols):
    """Return the token ids of poems, `(length + 2,)` each: a start before each, an end after it."""
    return [encode_poem(poem, symbols) for poem in poems]


@torch.no_grad()
def continued(network, opening, symbols):
    """Let a network write on from an opening, by chance among the likeliest, and return the text."""
    rng, token_ids = np.random.default_rng(0), list(encode(opening, symbols))
    while len(token_ids) < network.shape.n_positions and token_ids[-1] != symbols.index(END):
        logits = network(torch.tensor([token_ids]))[0, -1]
        logits[[symbols.index(symbol) for symbol in NEVER_WRITTEN]] = -torch.inf
        best, candidates = logits.topk(TOP_K)
        shares = torch.softmax(best.double() / TEMPERATURE, dim=0).numpy()
        token_ids.append(int(rng.choice(candidates.numpy(), p=shares)))
    return decode(token_ids, symbols)


def poems_to_show(corpus):
    """Choose held-out poems, as many of each form as there are, without unknown characters."""
    known = [poem for poem in corpus.held_out if set(poem) <= set(corpus.symbols)]
    chosen = np.random.default_rng(0).permutation(len(known))[:N_POEMS]
    return [known[i] for i in sorted(chosen)]


@torch.no_grad()
def frozen_logits(network, poems, symbols):
    """Return what the test of the NumPy model compares with: token ids and some rows of PyTorch's logits.

    Returns
    -------
    arrays : dict of str to array
        `token_ids (n, seq_len)`, `rows (n_rows,)`, `logits (n, n_rows, vocab_size)`.
    """
    longest = [ids for ids in encoded(poems, symbols) if len(ids) == network.shape.n_positions + 1][:FROZEN_POEMS]
    token_ids = np.stack(longest)[:, :-1]
    rows = np.arange(0, token_ids.shape[1], FROZEN_EVERY)
    logits = network(torch.from_numpy(token_ids)).numpy()[:, rows]
    return {"token_ids": token_ids.astype(np.int16), "rows": rows, "logits": logits}


def dumps(results):
    """Write results as JSON that a diff can show."""
    return json.dumps(results, ensure_ascii=False, indent=1) + "\n"
