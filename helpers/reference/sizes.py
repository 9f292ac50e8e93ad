"""How many numbers a GPT-2 has, and how many bytes its weights, its training, its activations and its cache take.

Sources: Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*, table 2; Korthikanti et al. 2022,
*Reducing Activation Recomputation in Large Transformer Models*, section 4.1 (arXiv:2205.05198).
"""

from dataclasses import dataclass

from helpers.reference import multihead


@dataclass(frozen=True)
class ModelSize:
    """The sizes that fix a GPT-2; its FFN is four times as wide as the model."""

    name: str
    vocab_size: int
    n_positions: int
    d_model: int
    n_layers: int
    n_heads: int

    @property
    def d_k(self):
        """Size of one head."""
        return self.d_model // self.n_heads

    @property
    def n_parameters(self):
        """How many numbers are trained."""
        return parameter_count(self.vocab_size, self.n_positions, self.d_model, self.n_layers)


GPT2_SMALL = ModelSize("GPT-2 small", 50257, 1024, 768, 12, 12)
GPT2_MEDIUM = ModelSize("GPT-2 medium", 50257, 1024, 1024, 24, 16)
GPT2_LARGE = ModelSize("GPT-2 large", 50257, 1024, 1280, 36, 20)
GPT2_XL = ModelSize("GPT-2 XL", 50257, 1024, 1600, 48, 25)
GPT2_SIZES = (GPT2_SMALL, GPT2_MEDIUM, GPT2_LARGE, GPT2_XL)


def parameter_count(vocab_size, n_positions, d_model, n_layers, tied=True):
    """Count the trained numbers of a GPT-2: every matrix with a bias, two norms in a block and one after the last.

    Parameters
    ----------
    vocab_size, n_positions, d_model, n_layers : int
    tied : bool
        Whether the matrix that turns states into logits is the embedding once more (no bias either way).

    Returns
    -------
    count : int

    Examples
    --------
    >>> parameter_count(50257, 1024, 768, 12)
    124439808
    >>> parameter_count(3, 2, 1, 0), parameter_count(3, 2, 1, 0, tied=False)
    (7, 10)
    """
    d_ff = 4 * d_model
    norm = 2 * d_model
    ffn = d_model * d_ff + d_ff + d_ff * d_model + d_model
    block = multihead.parameter_count(d_model) + ffn + 2 * norm
    tables = (vocab_size + n_positions) * d_model
    unembedding = 0 if tied else d_model * vocab_size
    return tables + n_layers * block + norm + unembedding


def parameter_groups(size):
    """Say where the numbers of a GPT-2 are.

    Parameters
    ----------
    size : ModelSize

    Returns
    -------
    groups : dict of str to int
        Embedding, positions, attention, ffn, norms; the sum is `size.n_parameters`.

    Examples
    --------
    >>> sum(parameter_groups(GPT2_XL).values())
    1557611200
    """
    d_model = size.d_model
    return {
        "embedding": size.vocab_size * d_model,
        "positions": size.n_positions * d_model,
        "attention": size.n_layers * multihead.parameter_count(d_model),
        "ffn": size.n_layers * (8 * d_model**2 + 5 * d_model),
        "norms": (2 * size.n_layers + 1) * 2 * d_model,
    }


def kv_cache_bytes(batch, seq_len, n_layers, n_kv_heads, d_k, bytes_per_number=2):
    """Return how much the keys and values of all tokens take: two vectors per head, layer and token.

    Parameters
    ----------
    batch, seq_len, n_layers : int
    n_kv_heads : int
        Heads that have keys and values of their own.
    d_k : int
        Size of a key, and of a value.
    bytes_per_number : int
        2 for half precision.

    Returns
    -------
    n_bytes : int

    Examples
    --------
    >>> kv_cache_bytes(1, 1024, 48, 25, 64)
    314572800
    """
    numbers_per_token = 2 * n_layers * n_kv_heads * d_k
    return batch * seq_len * numbers_per_token * bytes_per_number


def weight_bytes(n_parameters, bytes_per_number=4):
    """Return how much the weights alone take.

    Parameters
    ----------
    n_parameters : int
    bytes_per_number : int
        4 for single precision, 2 for half.

    Returns
    -------
    n_bytes : int

    Examples
    --------
    >>> weight_bytes(10)
    40
    """
    return n_parameters * bytes_per_number


def training_bytes(n_parameters, bytes_per_number=4):
    """Return what training with Adam keeps for each weight: itself, its gradient and two running means.

    Parameters
    ----------
    n_parameters : int
    bytes_per_number : int

    Returns
    -------
    n_bytes : dict of str to int
        Weights, gradients, moments.

    Examples
    --------
    >>> training_bytes(10)
    {'weights': 40, 'gradients': 40, 'moments': 80}
    """
    once = weight_bytes(n_parameters, bytes_per_number)
    return {"weights": once, "gradients": once, "moments": 2 * once}


def activation_bytes(batch, seq_len, size):
    """Estimate what the blocks must keep for the gradient in half precision, nothing computed twice.

    Korthikanti et al. count `34` bytes for each entry of a state, and `5` for each entry of a head's weights:
    the second term grows with the square of the length.

    Parameters
    ----------
    batch, seq_len : int
    size : ModelSize

    Returns
    -------
    n_bytes : int

    Examples
    --------
    >>> activation_bytes(1, 1, ModelSize("", 0, 0, 2, 1, 1))
    73
    """
    states = 34 * batch * seq_len * size.d_model
    weights = 5 * batch * size.n_heads * seq_len**2
    return size.n_layers * (states + weights)
