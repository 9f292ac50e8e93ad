"""A 3-gram model with modified Kneser–Ney smoothing: what the small Transformer has to beat.

Source: Chen and Goodman 1998, *An Empirical Study of Smoothing Techniques for Language Modeling*, section 4.1.6.
"""

from collections import Counter, defaultdict

import numpy as np

ORDER = 3


class KneserNey:
    """Probabilities of a token after the two before it, from counts in a training text.

    Parameters
    ----------
    sequences : list of (length,) int arrays
        The first token of each is only read, never predicted.
    vocab_size : int
    """

    def __init__(self, sequences, vocab_size):
        self.vocab_size = vocab_size
        counts = Counter(ngram for sequence in sequences for ngram in _ngrams(sequence))
        self.levels = [_Level(_continuations(counts, length)) for length in range(1, ORDER)]
        self.levels.append(_Level(counts))

    def probability(self, context, token):
        """Return the probability of a token after the `ORDER - 1` tokens before it.

        Parameters
        ----------
        context : tuple of int
        token : int

        Returns
        -------
        probability : float
        """
        probability = 1 / self.vocab_size
        for length, level in enumerate(self.levels):
            before = context[ORDER - 1 - length :]
            if before in level.totals:
                probability = level.interpolate(before, token, probability)
        return probability

    def bits(self, sequence):
        """Return the bits of every token but the first.

        Parameters
        ----------
        sequence : (length,) int array

        Returns
        -------
        bits : (length - 1,) array
        """
        return -np.log2([self.probability(ngram[:-1], ngram[-1]) for ngram in _ngrams(sequence)])


class _Level:
    """Counts of one length, discounted by 1 of 3 amounts; what is taken away goes to the shorter context."""

    def __init__(self, counts):
        self.counts = counts
        self.discounts = _discounts(counts)
        self.totals, self.given_away = defaultdict(int), defaultdict(float)
        for (*before, _), count in counts.items():
            self.totals[tuple(before)] += count
            self.given_away[tuple(before)] += self.discounts[min(count, 3)]

    def interpolate(self, before, token, shorter):
        count = self.counts.get((*before, token), 0)
        kept = count - self.discounts[min(count, 3)]
        return (kept + self.given_away[before] * shorter) / self.totals[before]


def _ngrams(sequence):
    """Return each token but the first with the two before it; before the first stands the first once more."""
    tokens = [int(token) for token in sequence]
    padded = [tokens[0]] * (ORDER - 2) + tokens
    return [tuple(padded[end - ORDER : end]) for end in range(ORDER, len(padded) + 1)]


def _continuations(counts, length):
    """Count for each n-gram of a length how many different tokens stand before it."""
    longer = {ngram[-length - 1 :] for ngram in counts}
    return Counter(ngram[1:] for ngram in longer)


def _discounts(counts):
    """Return what is taken from the counts 0, 1, 2, and 3 and more."""
    n = [0, *(sum(count == times for count in counts.values()) for times in (1, 2, 3, 4))]
    share = n[1] / max(1, n[1] + 2 * n[2])
    found = (times - (times + 1) * share * n[times + 1] / max(1, n[times]) for times in (1, 2, 3))
    return [0.0, *(max(0.0, discount) for discount in found)]  # few counts, as of single tokens, give less than 0
