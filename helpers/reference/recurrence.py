"""A plain recurrent network beside self-attention: how far gradients reach, what must wait, what it costs.

Source: Vaswani et al. 2017, section 4 and table 1 (arXiv:1706.03762); Bengio et al. 1994 for the vanishing gradient.
"""

import numpy as np

from helpers.reference.attention import causal_mask, masked_softmax, project, scores, softmax_jacobian


def rnn_states(x, w_h, w_x):
    """Run `h_t = tanh(h_{t-1} @ w_h + x_t @ w_x)` from `h = 0`; every step waits for the one before.

    Parameters
    ----------
    x : (seq_len, d_model) array
    w_h : (d_h, d_h) array
    w_x : (d_model, d_h) array

    Returns
    -------
    states : (seq_len, d_h) array

    Examples
    --------
    >>> rnn_states([[0.0], [0.0]], [[1.0]], [[1.0]])
    array([[0.],
           [0.]])
    """
    x, w_h, w_x = (np.asarray(a, dtype=float) for a in (x, w_h, w_x))
    h = np.zeros(w_h.shape[0])
    states = []
    for x_t in x:
        h = np.tanh(h @ w_h + x_t @ w_x)
        states.append(h)
    return np.array(states)


def rnn_gradient_norms(x, w_h, w_x):
    """Frobenius norm of d(last state) / d(input t steps back), by the chain rule through every step between.

    Parameters
    ----------
    x : (seq_len, d_model) array
    w_h : (d_h, d_h) array
    w_x : (d_model, d_h) array

    Returns
    -------
    norms : (seq_len,) array
        Entry `t` is for the input `t` steps back; entry 0 for the last input itself.

    Examples
    --------
    >>> rnn_gradient_norms([[0.0], [0.0]], [[0.5]], [[1.0]])
    array([1. , 0.5])
    """
    x, w_h, w_x = (np.asarray(a, dtype=float) for a in (x, w_h, w_x))
    states = rnn_states(x, w_h, w_x)
    d_last = np.eye(w_h.shape[0])  # d h_last / d h_t, (d_h, d_h)
    norms = []
    for h in states[::-1]:
        d_inside = d_last * (1 - h**2)  # through tanh: (d_h, d_h) * (d_h,) -> (d_h, d_h)
        norms.append(np.linalg.norm(d_inside @ w_x.T))  # (d_h, d_h) @ (d_h, d_model) -> (d_h, d_model)
        d_last = d_inside @ w_h.T
    return np.array(norms)


def attention_gradient_norms(x, w_q, w_k, w_v):
    """Frobenius norm of d(last output) / d(input t steps back) for one causal self-attention layer.

    Parameters
    ----------
    x : (seq_len, d_model) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_model, d_v) array

    Returns
    -------
    norms : (seq_len,) array
        Entry `t` is for the input `t` steps back; entry 0 for the last input itself.

    Examples
    --------
    >>> attention_gradient_norms(np.zeros((2, 1)), [[1.0]], [[1.0]], [[1.0]])
    array([0.5, 0.5])
    """
    q, k, v = project(x, w_q, w_k, w_v)
    w_q, w_k, w_v = (np.asarray(w, dtype=float) for w in (w_q, w_k, w_v))
    seq_len, d_k = k.shape
    weights = masked_softmax(scores(q, k), causal_mask(seq_len))[-1]  # (n,): where the last query looks
    d_scores = v.T @ softmax_jacobian(weights)  # (d_v, n) @ (n, n) -> (d_v, n): d output / d scores
    norms = []
    for t in range(seq_len):
        j = seq_len - 1 - t
        gradient = weights[j] * w_v.T + np.outer(d_scores[:, j], w_k @ q[-1]) / np.sqrt(d_k)  # (d_v, d_model)
        if t == 0:  # the last input is the query too
            gradient = gradient + (d_scores @ k) @ w_q.T / np.sqrt(d_k)  # (d_v, n) @ (n, d_k) @ (d_k, d_model)
        norms.append(np.linalg.norm(gradient))
    return np.array(norms)


def sequential_steps(seq_len):
    """How many steps must wait for each other: the recurrent network's `seq_len`, attention's 1.

    Returns
    -------
    steps : dict of str to int
        Keys `rnn` and `attention`.

    Examples
    --------
    >>> sequential_steps(100)
    {'rnn': 100, 'attention': 1}
    """
    return {"rnn": seq_len, "attention": 1}


def layer_operations(seq_len, d_model):
    """Multiplications of one layer in the paper's table 1: `n * d**2` recurrent, `n**2 * d` self-attention.

    They cross at `seq_len == d_model`. Projections, which cost `n * d**2` in both, are left out as in the table.

    Parameters
    ----------
    seq_len, d_model : int

    Returns
    -------
    operations : dict of str to int
        Keys `rnn` and `attention`.

    Examples
    --------
    >>> layer_operations(10, 100)
    {'rnn': 100000, 'attention': 10000}
    """
    return {"rnn": seq_len * d_model**2, "attention": seq_len**2 * d_model}
