"""Prove the checks in both directions: `python -m tools.proof [ID ...]` (or `make proof`) prints the table."""
