"""A decoder-only Transformer that is trained in seconds, in plain NumPy, to put digits in order: "31425>12345。".

The smallest model that shows what the causal mask is for: train it without, and it learns to peek instead.

Sources: Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*, section 2.3; Kingma and Ba 2015,
*Adam* (arXiv:1412.6980).
"""

from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import softmax
from helpers.reference.backward import block_backward, layer_norm_backward, outer, random_block
from helpers.reference.block import layer_norm
from helpers.reference.decoder import Decoder, embed, to_logits, traces_from
from helpers.reference.families import training_targets

SYMBOLS = (*"0123456789", ">", "。")
SEPARATOR, END = 10, 11
N_DIGITS = 5
N_PROMPT = N_DIGITS + 1
SEQ_LEN = 2 * N_DIGITS + 2
NO_PADDING = -1

D_MODEL, D_FF, N_HEADS, N_LAYERS = 32, 64, 2, 2
N_STEPS, BATCH, LEARNING_RATE, WARM_UP = 400, 32, 5e-3, 30
REPORT_EVERY = 10


@dataclass(frozen=True)
class TrainingResult:
    """A trained model and how it got there.

    `losses` and `answer_losses` `(n_steps,)`: mean cross-entropy in nats over all predictions of a batch, and over
    those of the answers alone.
    """

    model: Decoder
    losses: np.ndarray
    answer_losses: np.ndarray
    causal: bool


def sorting_batch(n, rng):
    """Draw texts: five digits, a separator, the same digits in order, an end.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    token_ids : (n, SEQ_LEN) int array
        The first `N_PROMPT` columns are the prompt, the rest the answer.

    Examples
    --------
    >>> to_text(sorting_batch(1, np.random.default_rng(0))[0])
    '86523>23568。'
    """
    digits = rng.integers(10, size=(n, N_DIGITS))
    separator, end = np.full((n, 1), SEPARATOR), np.full((n, 1), END)
    return np.concatenate([digits, separator, np.sort(digits, axis=1), end], axis=1)


def to_text(token_ids):
    """Write token ids as a string.

    Parameters
    ----------
    token_ids : (seq_len,) int array

    Returns
    -------
    text : str

    Examples
    --------
    >>> to_text([3, 1, SEPARATOR, 1, 3, END])
    '31>13。'
    """
    return "".join(SYMBOLS[token_id] for token_id in token_ids)


def to_ids(text):
    """Read a string as token ids.

    Parameters
    ----------
    text : str
        Of the characters in `SYMBOLS`.

    Returns
    -------
    token_ids : (seq_len,) int array

    Examples
    --------
    >>> to_ids("31>")
    array([ 3,  1, 10])
    """
    return np.array([SYMBOLS.index(symbol) for symbol in text])


def random_decoder(rng):
    """Draw an untrained model.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    Decoder
    """
    embedding = 0.5 * rng.normal(size=(len(SYMBOLS), D_MODEL))
    positions = 0.5 * rng.normal(size=(SEQ_LEN, D_MODEL))
    gain = 1 / np.sqrt(2 * N_LAYERS)
    blocks = tuple(random_block(D_MODEL, rng, D_FF, gain) for _ in range(N_LAYERS))
    return Decoder(embedding, positions, blocks, rng.normal(size=(D_MODEL, len(SYMBOLS))) / D_MODEL, N_HEADS)


def logits(model, token_ids, causal=True):
    """Say, at every position, how likely each symbol is to come next.

    Parameters
    ----------
    model : Decoder
    token_ids : (..., seq_len) int array
    causal : bool
        Whether a position may look only at itself and backwards.

    Returns
    -------
    logits : (..., seq_len, vocab_size) array
    """
    return _forward(model, token_ids, causal)[0]


def loss_and_gradient(model, token_ids, causal=True):
    """Return how badly every next token is predicted, and which way each number of the model should go.

    Parameters
    ----------
    model : Decoder
    token_ids : (n, seq_len) int array
    causal : bool

    Returns
    -------
    losses : (n, seq_len - 1) array
        Cross-entropy of each prediction, in nats.
    gradient : Decoder
        Of the mean loss.
    """
    labels = training_targets(token_ids, "next", pad_id=NO_PADDING)
    read, labels = token_ids[:, :-1], labels[:, :-1]  # the last position has nothing to predict
    said, x, traces = _forward(model, read, causal)
    probabilities = softmax(said)  # (n, seq_len - 1, vocab_size)
    wanted = np.eye(len(SYMBOLS))[labels]
    losses = -np.log(np.maximum((probabilities * wanted).sum(axis=-1), 1e-300))
    return losses, _backward(model, read, x, traces, (probabilities - wanted) / labels.size)


def train(causal=True, n_steps=N_STEPS, seed=4, report=None):
    """Train a model to say the next token at every position of random texts.

    Parameters
    ----------
    causal : bool
        False lets every position look at the very token that it has to predict.
    n_steps : int
    seed : int
    report : callable, optional
        Called as `report(step, n_steps, loss)` every few steps.

    Returns
    -------
    TrainingResult
    """
    rng = np.random.default_rng(seed)
    model = random_decoder(rng)
    parameters = leaves(model)
    means, squares = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    history = []
    for step in range(1, n_steps + 1):
        losses, gradient = loss_and_gradient(model, sorting_batch(BATCH, rng), causal)
        _adam_step(parameters, leaves(gradient), means, squares, step, n_steps)
        history.append((losses.mean(), losses[:, N_PROMPT - 1 :].mean()))
        if report and step % REPORT_EVERY == 0:
            report(step, n_steps, history[-1][0])
    return TrainingResult(model, *np.array(history).T, causal)


def answers(model, prompts, causal=True):
    """Let a model write the answers to many prompts at once, greedily, from nothing but what it has written itself.

    Parameters
    ----------
    model : Decoder
    prompts : (n, n_prompt) int array
    causal : bool

    Returns
    -------
    token_ids : (n, SEQ_LEN) int array
    """
    token_ids = np.asarray(prompts)
    while token_ids.shape[1] < SEQ_LEN:
        next_ids = logits(model, token_ids, causal)[:, -1].argmax(axis=-1)  # (n,)
        token_ids = np.concatenate([token_ids, next_ids[:, None]], axis=1)
    return token_ids


def exact_generation(model, n=500, seed=0, causal=True):
    """Return the share of random prompts to which a model writes the answer without one mistake.

    Parameters
    ----------
    model : Decoder
    n : int
    seed : int
    causal : bool
        As in training.

    Returns
    -------
    share : float
    """
    token_ids = sorting_batch(n, np.random.default_rng(seed))
    written = answers(model, token_ids[:, :N_PROMPT], causal)
    return float((written == token_ids).all(axis=1).mean())


def teacher_forced_accuracy(model, n=500, seed=0, causal=True):
    """Return the share of the answers' tokens that a model gets right while it is given the true text.

    Parameters
    ----------
    model : Decoder
    n : int
    seed : int
    causal : bool

    Returns
    -------
    share : float
    """
    token_ids = sorting_batch(n, np.random.default_rng(seed))
    said = logits(model, token_ids[:, :-1], causal).argmax(axis=-1)  # (n, seq_len - 1)
    return float((said == token_ids[:, 1:])[:, N_PROMPT - 1 :].mean())


def leaves(model):
    """Return all arrays of a model, always in the same order.

    Parameters
    ----------
    model : Decoder

    Returns
    -------
    arrays : list of arrays
    """
    return [model.embedding, model.positions, *(m for block in model.blocks for m in block), model.unembedding]


def _forward(model, token_ids, causal):
    """Return logits, the state before the last norm, and the traces of the blocks."""
    traces = traces_from(model, 0, embed(model, token_ids), causal)
    return to_logits(model, traces[-1].output), traces[-1].output, traces


def _backward(model, token_ids, x, traces, d_logits):
    d_unembedding = outer(layer_norm(x), d_logits)
    d_x = layer_norm_backward(x, d_logits @ model.unembedding.T)
    d_blocks = []
    for trace in reversed(traces):
        d_x, d_weights = block_backward(trace, d_x)
        d_blocks.insert(0, d_weights)
    d_positions = np.zeros_like(model.positions)
    d_positions[: token_ids.shape[-1]] = d_x.sum(axis=0)  # (n, seq_len, d_model) -> (seq_len, d_model)
    d_embedding = outer(np.eye(len(SYMBOLS))[token_ids], d_x)
    return Decoder(d_embedding, d_positions, tuple(d_blocks), d_unembedding, model.n_heads)


def _adam_step(parameters, gradients, means, squares, step, n_steps):
    """Move the parameters, in place, against the gradient: Adam, the rate rising at first and falling to 0."""
    rate = LEARNING_RATE * min(step / WARM_UP, 1 - step / (n_steps + 1))
    correction = np.sqrt(1 - 0.99**step) / (1 - 0.9**step)
    for parameter, gradient, mean, square in zip(parameters, gradients, means, squares, strict=True):
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        parameter -= rate * correction * mean / (np.sqrt(square) + 1e-8)
