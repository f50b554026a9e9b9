"""What a picture shows, before anything is drawn."""

import enum
from collections.abc import Callable
from typing import TypeAlias

import msgspec


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """One direction of a chart: what it is of, with its unit.

    ``tick`` writes a value. A logarithmic axis has no value of zero or less.
    """

    title: str
    logarithmic: bool = False
    tick: Callable[[float], str] = "{:g}".format
    whole: bool = False
    """Whether only whole values exist, such as bcrypt's cost."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A value, and the ends of its error where they are known."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    solid: bool = True
    """Whether it was measured; a predicted one is drawn hollow."""


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Points of one kind, and the curve that is laid through them."""

    label: str
    points: tuple[Point, ...]
    curve: tuple[tuple[float, float], ...] = ()
    joined: bool = True
    """Whether points without a curve are joined, where something lies between them."""

    @property
    def line(self) -> tuple[tuple[float, float], ...]:
        """The curve, or what joins the points that were measured."""
        if self.curve or not self.joined:
            return self.curve
        return tuple((point.x, point.y) for point in self.points if point.solid)


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A straight line at one value: a target, a floor. ``series`` is whose it is, if one's."""

    label: str
    value: float
    horizontal: bool = False
    series: int | None = None


class Curves(msgspec.Struct, frozen=True, kw_only=True):
    """Points and curves on two axes."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    title: str = ""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bar with its error."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    solid: bool = True


class Bars(msgspec.Struct, frozen=True, kw_only=True):
    """Bars beside each other, such as machines; ``marks`` are values of the one axis."""

    axis: Axis
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...] = ()
    title: str = ""


class Tone(enum.Enum):
    """What is counted, as far as it is drawn: each has its colour and its hatch."""

    SOUND = "sound"
    WEAK = "weak"
    UNSURE = "unsure"
    """Estimated, or not judged."""


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """How many of one kind lie in each bin of a histogram."""

    label: str
    tone: Tone
    counts: tuple[int, ...]


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of an axis: an interval, a tolerance."""

    label: str
    low: float
    high: float


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """Counts between ``edges``, of which there is one more than bins; layers are stacked.

    The edges are the ends of the axis: a mark or a span beyond them is named at its side.
    """

    axis: Axis
    counted: str
    """What is counted, in the plural."""
    edges: tuple[float, ...]
    layers: tuple[Layer, ...]
    marks: tuple[Mark, ...] = ()
    spans: tuple[Span, ...] = ()
    title: str = ""

    @property
    def totals(self) -> tuple[int, ...]:
        """How many lie in each bin, of all kinds."""
        return tuple(map(sum, zip(*(layer.counts for layer in self.layers), strict=True)))


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """One bar of a tally."""

    label: str
    count: int
    tone: Tone


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How often each of several things occurs, of ``total`` in all.

    ``key`` says what the tones stand for, only those that occur. A logarithmic axis
    begins below one.
    """

    axis: Axis
    bars: tuple[Counted, ...]
    key: tuple[tuple[Tone, str], ...]
    total: int
    title: str = ""


Chart: TypeAlias = Curves | Bars | Histogram | Tally


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """Charts below each other, with a title above and where they come from below."""

    charts: tuple[Chart, ...]
    title: str = ""
    caption: str = ""
    notes: tuple[str, ...] = ()
    """What a reader must know of what is not drawn, a sentence each."""
