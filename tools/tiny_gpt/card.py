"""The model card: what the small model is, how good, made how, and what it is not."""

CARD = """\
# tiny_gpt: a small decoder-only Transformer for Tang poems

Written by `python -m tools.train_tiny_gpt`, with the numbers of that run. What the lesson `ext_tiny_gpt` opens up.

| | |
|---|---|
| model | decoder-only Transformer, pre-norm, {n_layers} layers of {n_heads} heads, d_model {d_model}, d_ff {d_ff} |
| weights | {n_weights:,}, in float16 (`tiny_gpt.npz`); the last matrix is the embedding times a gain |
| tokens | {n_symbols:,} symbols: characters (at least 99 % of all that occur), `，` `。`, start, end, unknown |
| data | npm package `{data}`, its Tang poems (MIT, `LICENSE-chinese-poetry.txt`), in simplified characters |
| kept | poems of 4 or 8 lines of 5 or 7 characters; each text once; no held-out poem shares two lines with another |
| training | {poems:,} poems, {epochs} epochs, {steps:,} steps of AdamW, seed {seed}, PyTorch {torch} |
| cost | {core_minutes} minutes of one processor core, for this model and the three below together |

The simplified text keeps some old variants, such as 鴈 for 雁.

## How good it is

Bits that a held-out poem takes (characters, punctuation, end), divided by its Chinese characters;
{held_out_poems:,} poems, {held_out_characters:,} characters. Fewer is better.

| model | bits per character |
|---|---|
{rows}

{peeking}

Each of the models was trained once, with the same seed, data and steps.

## What it is not

It is small, and has read nothing but old poems. It knows no facts, and has no intention: it says which character is
likely next. What it writes may be nonsense, may break the rules of tone and rhyme, and may repeat lines of the poems it
was trained with. The poets are long dead; the model is none of them, and what it writes is by none of them.
Poems tell of wine, war and grief, and of their time's opinions; so may what it writes.

`poems.txt` holds poems that were held out, to look at the model with.
"""
NAMES = {
    "complete": "this model",
    "no_positions": "the same, trained without positions",
    "no_mask": "the same, trained without the causal mask, judged with it",
    "no_residual": "the same, trained without residual connections",
}
TRIGRAM = "3-gram model, modified Kneser–Ney smoothing, same data"
PEEKING = (
    "Judged as it was trained, looking at the very character that it has to say, the model without a mask "
    "takes {bits} bits: it has learnt to copy, not to foretell."
)


def card(results, shape, n_weights):
    """Return the text of the model card.

    Parameters
    ----------
    results : dict
        As in `tiny_gpt.json`.
    shape : Shape
    n_weights : int

    Returns
    -------
    text : str
    """
    rows = [(NAMES[ablation["name"]], ablation["bits_per_character"]) for ablation in results["ablations"]]
    rows.append((TRIGRAM, results["held_out"]["trigram_bits_per_character"]))
    peeking = next(a for a in results["ablations"] if a["name"] == "no_mask")
    return CARD.format(
        rows="\n".join(f"| {name} | {bits:.2f} |" for name, bits in sorted(rows, key=lambda row: row[1])),
        peeking=PEEKING.format(bits=f"{peeking['bits_as_trained']:.2f}"),
        n_symbols=len(results["symbols"]),
        held_out_poems=results["held_out"]["poems"],
        held_out_characters=results["held_out"]["characters"],
        n_weights=n_weights,
        **shape._asdict(),
        **results["training"],
    )
