"""Prove the checks in both directions: `python -m tools.proof` (or `make proof`) prints the table."""
