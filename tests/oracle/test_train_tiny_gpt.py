"""The network that PyTorch trains against the NumPy model that runs it afterwards, and the training itself."""

import numpy as np
import pytest
import torch

from helpers.reference import decoder, tiny_gpt
from tools.tiny_gpt import export, training
from tools.tiny_gpt.network import Network, Shape

SMALL = Shape(vocab_size=11, n_positions=9, d_model=12, n_heads=3, n_layers=2, d_ff=20)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Make many small steps, in place of few large ones."""
    monkeypatch.setattr(training, "TOKENS_A_BATCH", 256)
    monkeypatch.setattr(training, "WARM_UP", 10)


@pytest.fixture
def network():
    torch.manual_seed(0)
    network = Network(SMALL, dropout=0.1).eval()
    with torch.no_grad():
        network.gain += torch.randn(SMALL.d_model) / 3
    export.round_weights(network)
    return network


def read(network, token_ids, **options):
    return decoder.read(tiny_gpt.from_arrays(export.arrays_of(network), SMALL.n_heads), token_ids, **options).logits


@pytest.mark.parametrize("causal", [True, False])
def test_the_exported_weights_give_the_networks_logits_in_numpy(network, causal):
    token_ids = np.random.default_rng(0).integers(SMALL.vocab_size, size=(2, 7))
    with torch.no_grad():
        expected = network(torch.from_numpy(token_ids), causal).numpy()
    np.testing.assert_allclose(read(network, token_ids, causal=causal), expected, atol=1e-5)


@pytest.mark.parametrize("left_out", ["positions", "residual"])
def test_what_is_left_out_of_the_network_can_be_left_out_of_the_numpy_model(network, left_out):
    lacking = Network(SMALL._replace(**{left_out: False}), dropout=0.0).eval()
    lacking.load_state_dict(network.state_dict())
    token_ids = np.random.default_rng(0).integers(SMALL.vocab_size, size=(2, 7))
    with torch.no_grad():
        expected = lacking(torch.from_numpy(token_ids)).numpy()
    model = tiny_gpt.from_arrays(export.arrays_of(network), SMALL.n_heads)
    model = decoder.without_positions(model) if left_out == "positions" else model
    found = decoder.read(model, token_ids, residual=left_out != "residual").logits
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_training_learns_what_can_be_learnt_and_the_same_seed_gives_the_same_weights():
    counting = [np.arange(start, start + 7) % 11 for start in range(11)] * 30
    first, second = (training.train(SMALL, counting, seed=3, n_epochs=30, report=str).network for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert training.total_bits(first, counting) / len(counting) / 6 < 0.5 < np.log2(11)


def test_a_network_without_a_mask_learns_to_peek():
    texts = list(np.random.default_rng(0).integers(11, size=(400, 7)))
    peeking = training.train(SMALL._replace(causal=False), texts, seed=3, n_epochs=20, report=str).network
    as_trained, with_mask = (training.total_bits(peeking, texts, causal) for causal in (None, True))
    assert as_trained < 0.8 * with_mask
