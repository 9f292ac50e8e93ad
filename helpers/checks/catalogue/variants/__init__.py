"""The exercises of the extension on variants of attention, in the order of the lesson."""

from helpers.checks.catalogue.variants import (
    causal_linear_attention,
    grouped_query_attention,
    kv_cache_bytes,
    linear_attention,
    memory_traffic,
    online_softmax,
    reach_of_window,
    sliding_window_mask,
    tiled_attention,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        grouped_query_attention,
        kv_cache_bytes,
        sliding_window_mask,
        reach_of_window,
        linear_attention,
        causal_linear_attention,
        online_softmax,
        tiled_attention,
        memory_traffic,
    )
)
