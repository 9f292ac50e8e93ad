"""Train the small model of `ext_tiny_gpt` on Tang poems: `python -m tools.train_tiny_gpt`, under an hour on two cores.

Needs npm, and `pip install -r tools/tiny_gpt/requirements.txt`; nothing else in the project does. Four models are
trained, each on one core: the complete one, and three that lack something. A model that is already in `build/tiny_gpt/`
is not trained again. The same seed gives the same weights on the same kind of processor and version of PyTorch.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch

from tools.tiny_gpt import export, poems
from tools.tiny_gpt.card import card
from tools.tiny_gpt.network import Network, Shape
from tools.tiny_gpt.training import N_EPOCHS, train

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "helpers" / "models"
FROZEN = ROOT / "tests" / "reference" / "fixtures" / "tiny_gpt.npz"
WORK = ROOT / "build" / "tiny_gpt"
LEFT_OUT = {
    "complete": {},
    "no_mask": {"causal": False},
    "no_positions": {"positions": False},
    "no_residual": {"residual": False},
}
SEED = 0


def main():
    """Fetch, train, measure, write."""
    WORK.mkdir(parents=True, exist_ok=True)
    raw_poems, licence = poems.read(poems.fetch(WORK))
    corpus = poems.corpus(raw_poems)
    print(f"{len(corpus.training)} poems to train with, {len(corpus.held_out)} held out, {len(corpus.symbols)} symbols")
    sequences = export.encoded(corpus.training, corpus.symbols)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        trained = {name: pool.submit(train_once, name, len(corpus.symbols), sequences) for name in LEFT_OUT}
        states = {name: state.result() for name, state in trained.items()}
    write(corpus, states, licence)


def train_once(name, vocab_size, sequences):
    """Train one of the models, unless its file is there, and return what the file holds."""
    path = WORK / f"{name}.pt"
    if not path.exists():
        torch.set_num_threads(1)
        shape = Shape(vocab_size, max(map(len, sequences)) - 1, **LEFT_OUT[name])
        trained = train(shape, sequences, SEED, report=lambda line: print(f"{name}: {line}", flush=True))
        state = {"shape": tuple(shape), "n_steps": trained.n_steps, "seconds": trained.seconds}
        torch.save(state | {"state": trained.network.state_dict()}, path)
    return torch.load(path)


def write(corpus, states, licence):
    """Write weights, texts, results and model card to `helpers/models/`, and the logits that a test compares with."""
    MODELS.mkdir(exist_ok=True)
    networks = {name: restored(state) for name, state in states.items()}
    complete, shown = networks["complete"], export.poems_to_show(corpus)
    held_out, ablations = export.measured(networks, corpus)
    results = {
        "symbols": corpus.symbols,
        "n_heads": complete.shape.n_heads,
        "held_out": held_out,
        "ablations": ablations,
        "training": {
            "poems": len(corpus.training),
            "epochs": N_EPOCHS,
            "steps": states["complete"]["n_steps"],
            "seed": SEED,
            "core_minutes": round(sum(state["seconds"] for state in states.values()) / 60),
            "torch": torch.__version__,
            "data": poems.PACKAGE,
        },
        "made_by": "python -m tools.train_tiny_gpt",
    }
    arrays = export.arrays_of(complete)
    np.savez(MODELS / "tiny_gpt.npz", **arrays)
    np.savez_compressed(FROZEN, **export.frozen_logits(complete, shown, corpus.symbols))
    (MODELS / "tiny_gpt.json").write_text(export.dumps(results), encoding="utf-8")
    (MODELS / "poems.txt").write_text("".join(poem + "\n" for poem in shown), encoding="utf-8")
    (MODELS / "LICENSE-chinese-poetry.txt").write_text(licence, encoding="utf-8")
    n_weights = sum(array.size for array in arrays.values())
    (MODELS / "README.md").write_text(card(results, complete.shape, n_weights), encoding="utf-8")
    print(f"Written to {MODELS}: {n_weights} weights")


def restored(state):
    """Return a trained network with its weights rounded as they are shipped."""
    network = Network(Shape(*state["shape"]), dropout=0.0).eval()
    network.load_state_dict(state["state"])
    export.round_weights(network)
    return network


if __name__ == "__main__":
    main()
