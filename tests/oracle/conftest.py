"""Let `make test` pass by the oracles: they are collected only where torch and transformers are installed."""

import importlib.util

OURS_ALONE = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
collect_ignore_glob = ["*.py"] if OURS_ALONE else []
