"""The explorers of the trained model: browse its heads, let it write, switch heads off; each an `Explorer`."""

import functools

import ipywidgets
import numpy as np

from helpers.figures.tiny_gpt_views import HeadView, ModelSwitchesView, WritingView
from helpers.reference import tiny_gpt
from helpers.reference.decoder import read, token_losses, without_heads
from helpers.widgets.explorer import Explorer

LAYER, HEAD, POEM = "层", "头", "哪一首诗"
OPENING, OWN, FORM = "开头", "自己写开头", "体裁"
TEMPERATURE, CANDIDATES, SEED, STEP = "温度", "在前几个里选", "第几次写", "第几步"
SWITCH = "层 {layer} 头 {head}"
NOTHING, FREE, ALL = "（什么也不给）", "不限", "全部"
HINT = "例如：床前明月光"

OPENINGS = [NOTHING, "春", "明月", "山中", "不见", "秋风"]
COUNTS = [1, 2, 5, 10, 20, 50, ALL]
SHOWN_CANDIDATES = 10
QUATRAIN = tiny_gpt.FORMS["五言绝句"]
N_POEMS = 6
SWITCH_WIDTH = "8em"  # at least, else a phone cuts the label off: there a layer takes two rows
LONGEST_OPENING = 48  # symbols; the model has places for 65
SHORTEST_ROW, LONGEST_ROW = 6, 10  # symbols of the text in the picture: beside the bars is no room for more
SHOWN_LEFT_OUT = 12
HIGHEST_BITS, HIGHEST_MEAN = 16.0, 14.0  # beyond these the bars of the switches run out of the picture

HEAD_SENTENCE = "层 {layer} 头 {head}：平均 {start:.0%} 的权重在起始符 ^ 上，{itself:.0%} 在自己身上；{rest}"
FARTHEST = "除此之外，看得最多的是往前 {distance} 个的地方，平均 {weight:.0%}。"
WRITING_SENTENCE = (
    "第 {step} 步：{how}。缓存里有 {cached} 个符号（连开头的 ^）的 k 和 v，其中只有一个是这一步新算的。{end}"
)
FORCED = "体裁定了，这里只能是「{symbol}」"
CHOSEN = "从 {n:,} 个候选里写下「{symbol}」，它的概率{probability}"
PROBABILITY, HARDLY = "是 {:.0%}", "不到 1%"
FINISHED, FULL = "写完了。", "模型的位置用完了，只能停在这里。"
LEFT_OUT = f"开头里这些没有用上：{{}}（模型不认识，不合体裁，或超过了 {LONGEST_OPENING} 个符号）。"
MORE_LEFT_OUT = "…… 共 {} 个"
SETTINGS = "{form}，第 {seed} 次\n温度 {temperature:g}，在{k}里选"
FIRST_FEW, EVERYTHING = "前 {} 个", "全部字"
ALL_ON = "都开着：这首诗每字 {now:.2f} 比特。"
SOME_OFF = "关掉 {n} 个头：这首诗每字 {now:.2f} 比特，都开着是 {before:.2f}，{change}。"
DEARER, CHEAPER, THE_SAME = "多花 {:.2f}", "反而少花 {:.2f}", "几乎没变"


def head_browser():
    """Browse the heads of the trained model: layer, head and poem.

    Returns
    -------
    Explorer
        Controls `layer`, `head`, `poem`.
    """
    model = tiny_gpt.load().model
    controls = {
        "layer": ipywidgets.IntSlider(value=1, min=0, max=len(model.blocks) - 1, description=LAYER),
        "head": ipywidgets.IntSlider(value=0, min=0, max=model.n_heads - 1, description=HEAD),
        "poem": _poem_chooser(),
    }
    view = HeadView(1 + len(quatrains()[0]))

    def update(layer, head, poem):
        weights = reading_of(poem).weights[layer, head]
        distances = mean_by_distance(weights)
        view.show(weights, list(tiny_gpt.START + quatrains()[poem]), layer, head, distances)
        return _head_sentence(weights, distances, layer, head)

    return Explorer(view.picture, _wide(controls), update)


def _head_sentence(weights, distances, layer, head):
    among = mean_by_distance(weights[1:, 1:])  # the start aside
    farthest = 1 + int(np.argmax(among[1:]))
    return HEAD_SENTENCE.format(
        layer=layer,
        head=head,
        start=weights[1:, 0].mean(),
        itself=distances[0],
        rest=FARTHEST.format(distance=farthest, weight=among[farthest]),
    )


def mean_by_distance(weights):
    """Return the mean weight that a head puts on the place so many steps back.

    Parameters
    ----------
    weights : (seq_len, seq_len) array
        Causal.

    Returns
    -------
    means : (seq_len,) array
        Entry 0 is the weight on itself; each over the queries that have such a place.

    Examples
    --------
    >>> mean_by_distance(np.array([[1.0, 0.0], [0.25, 0.75]]))
    array([0.875, 0.25 ])
    """
    return np.array([np.diagonal(weights, -steps).mean() for steps in range(len(weights))])


@functools.cache
def quatrains():
    """Return the first held-out poems of four lines of five characters, a tuple of str."""
    return tuple(poem for poem in tiny_gpt.poems() if tiny_gpt.form_of(poem) == QUATRAIN)[:N_POEMS]


@functools.cache
def reading_of(poem):
    """Return what can be seen while the model reads one of the `quatrains`, by its number."""
    gpt = tiny_gpt.load()
    return read(gpt.model, tiny_gpt.encode(quatrains()[poem], gpt.symbols))


def poem_stepper():
    """Step through a poem while the model writes it: opening, form, temperature, top-k.

    Returns
    -------
    Explorer
        Controls `opening`, `own`, `form`, `temperature`, `k`, `seed`, `step`.
    """
    n_positions = len(tiny_gpt.load().model.positions)
    controls = _wide(_writing_controls(n_positions))
    view, writing = WritingView(SHOWN_CANDIDATES, n_positions), Writing()

    def follow_length(_):
        opening, _ = usable_opening(controls["own"].value.strip() or controls["opening"].value, controls["form"].value)
        controls["step"].max = steps_of(controls["form"].value, len(opening))

    def update(opening, own, form, temperature, k, seed, step):
        start, left_out = usable_opening(own.strip() or opening, form)
        steps = writing.steps(start, form, temperature, k, seed, step)
        now = steps[-1]
        how = FIRST_FEW.format(k) if k != ALL else EVERYTHING
        settings = SETTINGS.format(form=form, temperature=temperature, k=how, seed=seed)
        text, candidates = broken_at_punctuation(now.text), candidates_with_the_choice(now)
        view.show(text, now.symbol, *candidates, now.cache_length, len(steps), settings)
        return _writing_sentence(now, len(steps), n_positions) + _left_out_sentence(left_out)

    handlers = dict.fromkeys(("opening", "own", "form"), follow_length)
    explorer = Explorer(view.picture, controls, update, handlers)
    follow_length(None)
    return explorer


def candidates_with_the_choice(step):
    """Return the most likely candidates of a step and their probabilities; the last is the chosen one if it is rarer.

    Examples
    --------
    >>> step = tiny_gpt.Step("", "l", "abcdefghijkl", np.arange(12, 0, -1) / 78, 1, False)
    >>> candidates_with_the_choice(step)[0]
    'abcdefghil'
    """
    place = step.candidates.index(step.symbol)
    shown = [*range(min(len(step.candidates), SHOWN_CANDIDATES))]
    shown[-1] = max(shown[-1], place)
    return "".join(step.candidates[i] for i in shown), step.probabilities[shown]


def _writing_controls(n_positions):
    return {
        "opening": ipywidgets.Dropdown(options=OPENINGS, value="明月", description=OPENING),
        "own": ipywidgets.Text(description=OWN, placeholder=HINT, continuous_update=False),
        "form": ipywidgets.Dropdown(options=[FREE, *tiny_gpt.FORMS], value="五言绝句", description=FORM),
        "temperature": ipywidgets.FloatSlider(value=0.8, min=0.2, max=2.0, step=0.1, description=TEMPERATURE),
        "k": ipywidgets.SelectionSlider(options=COUNTS, value=20, description=CANDIDATES),
        "seed": ipywidgets.IntSlider(value=1, min=1, max=20, description=SEED),
        "step": ipywidgets.IntSlider(value=6, min=1, max=n_positions, description=STEP),
    }


def _writing_sentence(step, number, n_positions):
    chosen = step.probabilities[step.candidates.index(step.symbol)]
    probability = PROBABILITY.format(chosen) if chosen >= 0.01 else HARDLY
    how = CHOSEN.format(n=len(step.candidates), symbol=step.symbol, probability=probability)
    stopped = FULL if step.cache_length == n_positions else ""
    return WRITING_SENTENCE.format(
        step=number,
        how=FORCED.format(symbol=step.symbol) if step.forced else how,
        cached=step.cache_length,
        end=FINISHED if step.symbol == tiny_gpt.END else stopped,
    )


def _left_out_sentence(left_out):
    shown = left_out[:SHOWN_LEFT_OUT]
    if shown != left_out:
        shown += MORE_LEFT_OUT.format(len(left_out))
    return LEFT_OUT.format(shown) if left_out else ""


class Writing:
    """A poem that is written as far as it is looked at, and kept while nothing but the step changes."""

    def __init__(self):
        self._settings, self._written, self._more = None, [], None

    def steps(self, opening, form, temperature, k, seed, n):
        """Return the first n steps, fewer if the poem ends before."""
        if self._settings != (opening, form, temperature, k, seed):
            gpt = tiny_gpt.load()
            self._settings, self._written = (opening, form, temperature, k, seed), []
            self._more = tiny_gpt.generate(
                gpt.model,
                gpt.symbols,
                opening,
                temperature,
                len(gpt.symbols) if k == ALL else k,
                np.random.default_rng(seed),
                tiny_gpt.FORMS.get(form),
            )
        while len(self._written) < n and (step := next(self._more, None)):
            self._written.append(step)
        return self._written[:n]


def usable_opening(wish, form):
    """Split an opening into what can be used and what cannot: unknown characters, and what a form does not allow.

    Parameters
    ----------
    wish : str
        What a learner chose or typed; `NOTHING` is an empty opening.
    form : str
        A name in `FORMS`, or `FREE`.

    Returns
    -------
    opening, left_out : str
        Punctuation that the form wants is put in where it was left out; blanks are passed over.
    """
    symbols, shape = tiny_gpt.load().symbols, tiny_gpt.FORMS.get(form)
    opening = left_out = ""
    for character in "".join(wish.split()) if wish != NOTHING else "":
        wanted = shape.symbol_at(len(opening)) if shape else None
        is_mark = character in tiny_gpt.PUNCTUATION
        is_known = character in symbols and character not in tiny_gpt.NEVER_WRITTEN + tiny_gpt.END
        if is_known and not is_mark and wanted in [*tiny_gpt.PUNCTUATION]:
            opening += wanted
            wanted = shape.symbol_at(len(opening))
        is_barred = wanted == tiny_gpt.END or (shape and wanted is None and is_mark)
        if is_barred or not is_known or len(opening) >= LONGEST_OPENING:
            left_out += character
        else:
            opening += wanted or character
    return opening, left_out


def steps_of(form, opening_length):
    """Return how many steps there are at most: with a form, the rest of its symbols and the end.

    Examples
    --------
    >>> steps_of("五言绝句", 2)  # 24 symbols, two of them given, and the end
    23
    """
    if form == FREE:
        return len(tiny_gpt.load().model.positions) - opening_length
    shape = tiny_gpt.FORMS[form]
    return (shape.line_length + 1) * shape.n_lines + 1 - opening_length


def broken_at_punctuation(text):
    r"""Put each line of a poem on a row of its own; what is no line of a poem on rows that the picture has room for.

    Examples
    --------
    >>> broken_at_punctuation("白日依山尽，黄河")
    '白日依山尽，\n黄河'
    >>> broken_at_punctuation("月" * 12)
    '月月月月月月月月月月\n月月'
    """
    rows = [""]
    for symbol in text:
        is_line = len(rows[-1]) >= SHORTEST_ROW and rows[-1][-1] in tiny_gpt.PUNCTUATION
        if is_line or len(rows[-1]) == LONGEST_ROW:
            rows.append("")
        rows[-1] += symbol
    return "\n".join(rows)


def head_switches():
    """Switch heads of the trained model off and read what each character of a poem costs then.

    Returns
    -------
    Explorer
        Controls `poem` and one for each head, `layer_0_head_0` and so on; True = on.
    """
    model = tiny_gpt.load().model
    places = list(np.ndindex(len(model.blocks), model.n_heads))
    controls = {"poem": _poem_chooser()}
    for layer, head in places:
        box = ipywidgets.Checkbox(value=True, description=SWITCH.format(layer=layer, head=head), indent=False)
        controls[f"layer_{layer}_head_{head}"] = box
    view = ModelSwitchesView(len(model.blocks), model.n_heads, 1 + len(quatrains()[0]), HIGHEST_BITS, HIGHEST_MEAN)

    def update(poem, **switches):
        is_on = np.array(list(switches.values())).reshape(len(model.blocks), model.n_heads)
        bits, before = bits_of(poem, off=tuple(map(tuple, np.argwhere(~is_on).tolist()))), bits_of(poem)
        means = [float(values.sum()) / n_characters(poem) for values in (before, bits)]
        view.show(is_on, list(quatrains()[poem] + tiny_gpt.END), bits, before, means)
        return _switches_sentence(int((~is_on).sum()), *means)

    explorer = Explorer(view.picture, _wide(controls), update)
    for layer, head in places:
        layout = controls[f"layer_{layer}_head_{head}"].layout
        layout.width = f"{92 // model.n_heads}%"  # a row for each layer
        layout.min_width = SWITCH_WIDTH
    controls["poem"].layout.width = "92%"
    return explorer


def _switches_sentence(n_off, before, now):
    if not n_off:
        return ALL_ON.format(now=now)
    change = DEARER if now > before else CHEAPER
    if abs(now - before) < 0.005:  # would be written 0.00
        change = THE_SAME
    return SOME_OFF.format(n=n_off, now=now, before=before, change=change.format(abs(now - before)))


@functools.lru_cache(maxsize=64)
def bits_of(poem, off=()):
    """Return the bits of each symbol of one of the `quatrains`, with some heads switched off.

    Parameters
    ----------
    poem : int
    off : tuple of (layer, head)

    Returns
    -------
    bits : (n_tokens,) array
        The end included.
    """
    gpt = tiny_gpt.load()
    token_ids = tiny_gpt.encode_poem(quatrains()[poem], gpt.symbols)
    reading = read(without_heads(gpt.model, off), token_ids[:-1])
    return token_losses(reading.logits, token_ids) / np.log(2)


def n_characters(poem):
    """Return how many Chinese characters one of the `quatrains` has."""
    return sum(character not in tiny_gpt.PUNCTUATION for character in quatrains()[poem])


def _poem_chooser():
    options = [(poem[: QUATRAIN.line_length], number) for number, poem in enumerate(quatrains())]
    return ipywidgets.Dropdown(options=options, value=0, description=POEM)


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        if "description_width" in control.style.trait_names():
            control.style.description_width = "7em"
        control.layout.width = "21em"
    return controls
