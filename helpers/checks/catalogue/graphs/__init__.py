"""The exercises of the extension on graphs, in the order of the lesson."""

from helpers.checks.catalogue.graphs import (
    adjacency,
    attention_as_graph,
    bfs,
    critical_path,
    dfs,
    hops,
    message_passing,
    shortest_path,
    topological_order,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        adjacency,
        bfs,
        dfs,
        shortest_path,
        topological_order,
        critical_path,
        message_passing,
        attention_as_graph,
        hops,
    )
)
