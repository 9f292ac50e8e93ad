"""What happens to signal, tokens and gradient when 1 to 48 random blocks are stacked, in five variants.

Sources: Dong, Cordonnier and Loukas 2021, *Attention is Not All You Need: Pure Attention Loses Rank Doubly
Exponentially with Depth* (arXiv:2103.03404); Xiong et al. 2020, *On Layer Normalization in the Transformer
Architecture* (arXiv:2002.04745).
"""

from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import softmax
from helpers.reference.backward import block_backward, block_forward, random_block
from helpers.reference.block import cosine

OPTIONS = {
    "neither": {"norm": "none", "residual": False},
    "residual": {"norm": "none", "residual": True},
    "norm": {"norm": "post", "residual": False},
    "post-norm": {"norm": "post", "residual": True},
    "pre-norm": {"norm": "pre", "residual": True},
}
VARIANTS = tuple(OPTIONS)


@dataclass(frozen=True)
class StackMeasurement:
    """What was measured on one stack of L blocks.

    `signal` and `similarity` `(L + 1,)`: root mean square of the entries, and mean cosine between two different tokens,
    after 0 … L blocks. `gradient` `(L + 1,)`: size of the loss's gradient at the same places; the loss is the output
    along a random direction of length 1, so that the last is 1. `first_layer_gradient`: size of the gradient at all
    matrices of the first block. `weights` `(n_heads, n, n)` of the last block; `output` `(n, d_model)`.
    """

    signal: np.ndarray
    similarity: np.ndarray
    gradient: np.ndarray
    first_layer_gradient: float
    weights: np.ndarray
    output: np.ndarray

    @property
    def n_layers(self):
        """How many blocks were stacked."""
        return len(self.signal) - 1


def random_stack(n_layers, d_model, rng, d_ff=None, gain=1.0):
    """Draw the matrices of several blocks.

    Parameters
    ----------
    n_layers, d_model : int
    rng : numpy.random.Generator
    d_ff : int, optional
    gain : float
        Factor of the matrices that write into the residual stream.

    Returns
    -------
    stack : list of BlockWeights

    Examples
    --------
    >>> len(random_stack(3, 4, np.random.default_rng(0)))
    3
    """
    return [random_block(d_model, rng, d_ff, gain) for _ in range(n_layers)]


def measure_stack(x, stack, n_heads, mask=None, norm="pre", residual=True, ffn=True, direction=None):
    """Send tokens up a stack of blocks and a gradient down again, and measure both.

    Parameters
    ----------
    x : (n, d_model) array
    stack : list of BlockWeights
    n_heads : int
    mask : (n, n) bool array, optional
    norm : {"none", "pre", "post"}
    residual, ffn : bool
    direction : (n, d_model) array, optional
        The loss is the output times this, scaled to length 1; random (always the same) if not given.

    Returns
    -------
    StackMeasurement
    """
    traces, states = [], [np.asarray(x, dtype=float)]
    for weights in stack:
        traces.append(block_forward(states[-1], weights, n_heads, mask, norm, residual, ffn))
        states.append(traces[-1].output)
    direction = np.random.default_rng(0).normal(size=states[0].shape) if direction is None else direction
    gradients = [direction / np.linalg.norm(direction)]
    for trace in reversed(traces):
        d_x, d_weights = block_backward(trace, gradients[-1])
        gradients.append(d_x)
    return StackMeasurement(
        signal=np.array([np.sqrt((state**2).mean()) for state in states]),
        similarity=np.array([token_similarity(state) for state in states]),
        gradient=np.array([np.linalg.norm(gradient) for gradient in reversed(gradients)]),
        first_layer_gradient=float(np.sqrt(sum((matrix**2).sum() for matrix in d_weights))),
        weights=traces[-1].weights,
        output=states[-1],
    )


def depth_experiment(depths, rng, seq_len=12, d_model=32, n_heads=4, gain=1.0):
    """Measure all five variants at several depths, on the same tokens and with the same matrices.

    Parameters
    ----------
    depths : sequence of int
        Numbers of blocks, each at least 1.
    rng : numpy.random.Generator
    seq_len, d_model, n_heads : int
    gain : float
        Factor of the matrices that write into the residual stream.

    Returns
    -------
    measurements : dict of str to list of StackMeasurement
        By variant, one for each depth.

    Examples
    --------
    >>> results = depth_experiment([1, 2], np.random.default_rng(0), seq_len=3, d_model=4, n_heads=2)
    >>> list(results), [m.n_layers for m in results["pre-norm"]]
    (['neither', 'residual', 'norm', 'post-norm', 'pre-norm'], [1, 2])
    """
    x = rng.normal(size=(seq_len, d_model))
    stack = random_stack(max(depths), d_model, rng, gain=gain)
    return {
        variant: [measure_stack(x, stack[:depth], n_heads, **options) for depth in depths]
        for variant, options in OPTIONS.items()
    }


def token_similarity(x):
    """Return the mean cosine between two different tokens: 1 when all point the same way.

    Parameters
    ----------
    x : (n, d_model) array
        With n at least 2.

    Returns
    -------
    similarity : float

    Examples
    --------
    >>> token_similarity([[1.0, 0.0], [3.0, 0.0], [0.0, 2.0]])
    0.3333333333333333
    """
    x = np.asarray(x, dtype=float)
    pairs = cosine(x[:, None, :], x[None, :, :])  # (n, 1, d), (1, n, d) -> (n, n)
    n = len(x)
    return float((pairs.sum() - np.trace(pairs)) / (n * (n - 1)))


def attention_only(x, n_layers):
    """Let every token become the weighted mean of all tokens, again and again: attention and nothing else.

    Queries, keys and values are the tokens themselves; no matrix, no residual connection, no FFN.

    Parameters
    ----------
    x : (n, d_model) array
    n_layers : int

    Returns
    -------
    states : (n_layers + 1, n, d_model) array
        Each state lies within the convex hull of the one before it.

    Examples
    --------
    >>> states = attention_only([[0.0], [4.0]], 50)
    >>> bool(np.ptp(states[-1]) < 1e-6)
    True
    """
    states = [np.asarray(x, dtype=float)]
    for _ in range(n_layers):
        state = states[-1]
        weights = softmax(state @ state.T / np.sqrt(state.shape[-1]))  # (n, n)
        states.append(weights @ state)
    return np.array(states)


def ffn_share(d_model, d_ff=None):
    """Return which share of a block's matrices is the feed-forward network's: two thirds at `d_ff = 4 * d_model`.

    Parameters
    ----------
    d_model : int
    d_ff : int, optional
        `4 * d_model` if not given.

    Returns
    -------
    share : float

    Examples
    --------
    >>> round(ffn_share(512), 4)
    0.6667
    """
    d_ff = d_ff or 4 * d_model
    return 2 * d_model * d_ff / (4 * d_model**2 + 2 * d_model * d_ff)
