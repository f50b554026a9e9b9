"""What a picture shows, before anything is drawn."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One direction of a chart: what it is of, with its unit.

    ``tick`` writes a value. A logarithmic axis has no value of zero or less.
    """

    title: str
    logarithmic: bool = False
    tick: Callable[[float], str] = "{:g}".format
    whole: bool = False
    """Whether only whole values exist, such as bcrypt's cost."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """A value, and the ends of its error where they are known."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    solid: bool = True
    """Whether it was measured; a predicted one is drawn hollow."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """Points of one kind, and the curve that is laid through them."""

    label: str
    points: tuple[Point, ...]
    curve: tuple[tuple[float, float], ...] = ()
    joined: bool = True
    """Whether points without a curve are joined, where something lies between them."""


class Across(enum.Enum):
    """Which way a mark runs."""

    HORIZONTAL = "horizontal"
    VERTICAL = "vertical"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A straight line at one value: a target, a floor. ``series`` is whose it is, if one's."""

    label: str
    value: float
    across: Across
    series: int | None = None


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Points and curves on two axes."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar with its error."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    solid: bool = True


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Bars beside each other, such as machines; ``marks`` are values of the one axis.

    With ``touching`` they are a histogram: each bar's label is the end of its bin.
    ``lying`` ones have room for a name of any length, and their figures at their ends.
    """

    axis: Axis
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...] = ()
    title: str = ""
    touching: bool = False
    lying: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Charts below each other, with a title above and where they come from below."""

    charts: tuple[Curves | Bars, ...]
    title: str = ""
    caption: str = ""
    notes: tuple[str, ...] = field(default=())
