"""The mathematics of the chapter in plain NumPy, one module per section; it imports NumPy alone.

One convention holds in every module and is never bent:

- arrays are `float64`, time-major: `x` is `(seq_len, d_model)`, `q` `(n_queries, d_k)`, `k` `(n_keys, d_k)`,
  `v` `(n_keys, d_v)`; heads come before time, batch axes before heads; leading batch axes are allowed everywhere;
- `mask` is boolean, `(n_queries, n_keys)`, **True = this query may look at this key**; it acts on the scores,
  before the softmax, and a row with nothing to look at gets weights 0 and output 0, never NaN;
- randomness comes only from a `numpy.random.Generator` handed in.
"""
