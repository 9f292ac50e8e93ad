"""Values of PyTorch and transformers that tests/oracle has written down: `frozen("rotary")["llama"]`."""

import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "fixtures"


def frozen(name):
    """Return the arrays of one fixture by name."""
    values = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["values"]
    return {key: np.array(value) for key, value in values.items()}
