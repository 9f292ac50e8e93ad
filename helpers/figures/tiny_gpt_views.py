"""The pictures of a trained model that a control redraws: make a view once, then call its `show` with new arrays.

A view keeps its figure and its artists; `show` only gives them new data, which is several times faster.
"""

from dataclasses import dataclass, field

import numpy as np
from matplotlib.colors import ListedColormap

from helpers.figures.live import LivePicture
from helpers.figures.matrix import SMALL, draw_matrix, name_axes
from helpers.figures.tiny_gpt import HEAD, LAYER
from helpers.style import PALETTE, ink_on, styled

MAP_TITLE = "层 {layer} 头 {head}"
DISTANCE_TITLE, DISTANCE_AXIS, MEAN_AXIS = "平均往前看多远", "往前几个（0 是自己）", "平均权重"
CANDIDATES_TITLE, PROBABILITY_AXIS = "下一个字", "概率"
CACHE_TITLE, CACHE_AXIS = "KV 缓存", "存了几个符号"
SWITCHES_TITLE, ON, OFF = "开着的头", "开", "关"
SURPRISE_TITLE, BITS_AXIS = "每个字花的比特：条形是现在，短横是都开着", "比特"
TOTAL_TITLE, ALL_ON, NOW = "这首诗（比特 / 字）", "都开着", "现在"
TEXT_SIZE = 15
SWITCH_COLORS = ListedColormap(["#C8C8C8", PALETTE["blue"]])

ALT_HEAD = "层 {layer} 头 {head} 读「{text}」的热力图。右：平均权重最大的是往前 {distance} 个，{weight:.2f}。"
ALT_WRITING = (
    "第 {step} 步，{settings}。到此是「{text}」。最可能的是「{likely}」（{probability:.2f}），写下的是「{symbol}」。"
    "缓存里有 {cached} 个符号的 k 和 v。"
)
ALT_ALL_ON = "所有的头都开着，这首诗每字 {before:.2f} 比特。"
ALT_OFF = (
    "关掉了 {off}。这首诗每字 {now:.2f} 比特，都开着是 {before:.2f}。最吃亏的是「{token}」，多了 {more:.1f} 比特。"
)


@dataclass(frozen=True)
class HeadView:
    """What one head looks at in a poem, and how far back it looks on average."""

    seq_len: int
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 4.5))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the heat map and a bar for each distance."""
        looks, distances = self.picture.subplots(1, 2, width_ratios=[1.75, 1])
        empty, names = np.zeros((self.seq_len, self.seq_len)), ["　"] * self.seq_len
        self.artists["weights"] = draw_matrix(looks, empty, names, [], limit=1.0, numbers=False)
        looks.set_xticks(range(self.seq_len), names)
        name_axes(looks)
        title = looks.set_title(MAP_TITLE.format(layer=0, head=0))
        bars = distances.bar(range(self.seq_len), np.zeros(self.seq_len), color=PALETTE["blue"], width=0.8)
        distances.set(title=DISTANCE_TITLE, xlabel=DISTANCE_AXIS, ylabel=MEAN_AXIS, ylim=(0, 1))
        self.picture.move(self.artists["weights"], title, *bars, distances.spines["bottom"])
        self.artists.update(title=title, bars=bars)

    @styled
    def show(self, weights, tokens, layer, head, distances):
        """Show the weights `(seq_len, seq_len)` of a head, and its mean weight at each distance `(seq_len,)`."""
        if self.picture.still != tuple(tokens):
            self.picture.still = tuple(tokens)
            axes = self.artists["weights"].axes
            axes.set_xticks(range(self.seq_len), tokens)
            axes.set_yticks(range(self.seq_len), tokens)
        self.artists["weights"].set_data(weights)
        self.artists["title"].set_text(MAP_TITLE.format(layer=layer, head=head))
        for bar, height in zip(self.artists["bars"], distances, strict=True):
            bar.set_height(height)
        most = int(np.argmax(distances))
        self.picture.alt = ALT_HEAD.format(
            layer=layer, head=head, text="".join(tokens), distance=most, weight=distances[most]
        )


@dataclass(frozen=True)
class WritingView:
    """One step of writing: the text so far, the characters to choose from, and how much is cached."""

    n_candidates: int
    n_positions: int
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 3.4))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the text, the bars of the candidates with their characters, and the bar of the cache."""
        text, following, cache = self.picture.subplots(1, 3, width_ratios=[1.15, 1.7, 0.4])
        text.set_axis_off()
        settings = text.set_title("　\n　", fontsize=SMALL, loc="left")
        written = text.text(0.0, 0.97, "", transform=text.transAxes, va="top", fontsize=TEXT_SIZE, linespacing=1.25)
        places = range(self.n_candidates)
        bars = following.bar(places, np.zeros(self.n_candidates), width=0.75)
        following.set(ylim=(0, 1.05), title=CANDIDATES_TITLE, ylabel=PROBABILITY_AXIS)
        following.set_xticks(places, ["　"] * self.n_candidates)
        below = {"transform": following.get_xaxis_transform(), "ha": "center", "va": "top", "fontsize": 11}
        names = [following.text(place, -0.03, "", **below) for place in places]
        following.tick_params(axis="x", length=0)
        level = cache.bar([0], [0], color=PALETTE["sky"], width=0.6)
        count = cache.text(0, 0, "", ha="center", va="bottom", fontsize=SMALL)
        cache.set(ylim=(0, 1.1 * self.n_positions), xlim=(-0.6, 0.6), title=CACHE_TITLE, ylabel=CACHE_AXIS, xticks=[])
        spines = [axes.spines["bottom"] for axes in (following, cache)]
        self.picture.move(settings, written, *bars, *names, *level, count, *spines)
        self.artists.update(settings=settings, written=written, bars=bars, names=names, level=level[0], count=count)

    @styled
    def show(self, text, symbol, candidates, probabilities, cached, step, settings):
        """Show a step.

        Parameters
        ----------
        text : str
            With what this step wrote, and line breaks where it shall have them.
        symbol : str
            What this step wrote.
        candidates : str
            The most likely first; as many as there is room for are drawn.
        probabilities : (len(candidates),) array
        cached : int
            Tokens whose keys and values were at hand.
        step : int
        settings : str
            What the text was written with.
        """
        self.artists["settings"].set_text(settings)
        self.artists["written"].set_text(text)
        for place, (bar, name) in enumerate(zip(self.artists["bars"], self.artists["names"], strict=True)):
            is_there = place < len(candidates)
            bar.set_height(probabilities[place] if is_there else 0)
            name.set_text(candidates[place] if is_there else "")
            bar.set_color(PALETTE["vermilion" if is_there and candidates[place] == symbol else "blue"])
        self.artists["level"].set_height(cached)
        self.artists["count"].set(text=str(cached), y=cached)
        self.picture.alt = ALT_WRITING.format(
            step=step,
            settings=settings.replace("\n", "，"),
            text=text.replace("\n", ""),
            likely=candidates[0],
            probability=probabilities[0],
            symbol=symbol,
            cached=cached,
        )


@dataclass(frozen=True)
class ModelSwitchesView:
    """Heads that can be switched off, and what each character of a poem then costs."""

    n_layers: int
    n_heads: int
    n_tokens: int
    highest_bits: float
    highest_mean: float
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 4.6))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the table of switches, the two bars of the whole poem, and the bars of its characters."""
        upper, lower = self.picture.subfigures(2, 1, height_ratios=[1.1, 1])
        (switches, total), surprise = upper.subplots(1, 2), lower.subplots()
        layers = [LAYER.format(layer) for layer in range(self.n_layers)]
        heads = [HEAD.format(head) for head in range(self.n_heads)]
        is_on = draw_matrix(switches, np.ones((self.n_layers, self.n_heads)), layers, heads, limit=1.0, numbers=False)
        is_on.set(cmap=SWITCH_COLORS)
        centred = {"ha": "center", "va": "center", "fontsize": SMALL}
        words = {place: switches.text(*place[::-1], ON, **centred) for place in np.ndindex(self.n_layers, self.n_heads)}
        switches.set_title(SWITCHES_TITLE)
        bars = total.barh([ALL_ON, NOW], [0.0, 0.0], color=[PALETTE["muted"], PALETTE["vermilion"]], height=0.55)
        numbers = [total.text(0, place, "", va="center", fontsize=SMALL) for place in range(2)]
        total.invert_yaxis()
        total.set(xlim=(0, 1.2 * self.highest_mean), title=TOTAL_TITLE)
        self.artists.update(is_on=is_on, words=words, total=bars, numbers=numbers)
        self._make_surprise(surprise)
        moving = [is_on, *words.values(), *bars, *numbers, total.spines["left"], *self.artists["surprise"]]
        self.picture.move(*moving, self.artists["before"], surprise.spines["bottom"])

    def _make_surprise(self, axes):
        places = range(self.n_tokens)
        self.artists["surprise"] = axes.bar(places, np.zeros(self.n_tokens), color=PALETTE["vermilion"], width=0.75)
        look = {"color": PALETTE["ink"], "marker": "_", "markersize": 12, "markeredgewidth": 2, "linestyle": "none"}
        (self.artists["before"],) = axes.plot(places, np.zeros(self.n_tokens), **look)
        axes.set_xticks(places, ["　"] * self.n_tokens)
        axes.tick_params(axis="x", length=0)
        axes.margins(x=0.01)
        axes.set(ylim=(0, self.highest_bits), title=SURPRISE_TITLE, ylabel=BITS_AXIS)

    @styled
    def show(self, is_on, tokens, bits, bits_before, means):
        """Show which heads are on, and what is spent on a poem.

        Parameters
        ----------
        is_on : (n_layers, n_heads) bool array
        tokens : (n_tokens,) list of str
            What is predicted.
        bits, bits_before : (n_tokens,) arrays
            Now, and with all heads on.
        means : (before, now)
            Bits a character of the whole poem.
        """
        if self.picture.still != tuple(tokens):
            self.picture.still = tuple(tokens)
            self.artists["before"].axes.set_xticks(range(self.n_tokens), tokens)
        image = self.artists["is_on"]
        image.set_data(np.asarray(is_on, dtype=float))
        for place, word in self.artists["words"].items():
            word.set(text=ON if is_on[place] else OFF, color=ink_on(image.to_rgba(float(is_on[place]))))
        for bar, height in zip(self.artists["surprise"], bits, strict=True):
            bar.set_height(height)
        self.artists["before"].set_ydata(bits_before)
        for bar, number, mean in zip(self.artists["total"], self.artists["numbers"], means, strict=True):
            bar.set_width(mean)
            number.set(text=f" {mean:.2f}", x=min(mean, self.highest_mean))
        off = [f"{LAYER.format(layer)} {HEAD.format(head)}" for layer, head in np.argwhere(~np.asarray(is_on))]
        worst = int(np.argmax(bits - bits_before))
        self.picture.alt = (ALT_OFF if off else ALT_ALL_ON).format(
            off="、".join(off),
            before=means[0],
            now=means[1],
            token=tokens[worst],
            more=(bits - bits_before)[worst],
        )
