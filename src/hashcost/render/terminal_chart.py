"""A sweep drawn with characters, by plotext."""

import re
from importlib import import_module
from typing import Any, Final

from hashcost.core.errors import UnavailableError
from hashcost.core.text import escaped
from hashcost.core.units import format_duration
from hashcost.documents.extras import how_to_install
from hashcost.render.charts import counts_steps, drawn_together
from hashcost.sweep.model import Status, Sweep

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")
_MARKERS: Final = "●■▲◆▼+"
_COLORS: Final = ("blue+", "orange+", "green+", "magenta+", "cyan+", "white")
_ROWS, _LEAST_COLUMNS, _MOST_TICKS = 20, 40, 8


def check_available() -> Any:
    """Return plotext, or raise an error that says how to install it."""
    try:
        return import_module("plotext")
    except ImportError as error:
        raise UnavailableError(f"plotext is not installed; {how_to_install('plot')}") from error


def draw(sweep: Sweep, *, width: int, color: bool) -> str:
    """Time by cost, a chart for each kind of cost."""
    plt = check_available()
    texts = []
    for hashers in drawn_together(sweep):
        knob = hashers[0].knob
        plt.clear_figure()
        plt.plotsize(max(width, _LEAST_COLUMNS), _ROWS)
        plt.theme("clear")
        plt.yscale("log")
        if not counts_steps(knob):
            plt.xscale("log")
        for index, swept in enumerate(hashers):
            style = {"color": _COLORS[index % len(_COLORS)]}
            marker = _MARKERS[index % len(_MARKERS)]
            rows = [row for row in sweep.rows_of(swept) if row.time_seconds]
            for status, sign, label in (
                (Status.MEASURED, marker, escaped(swept.label)),
                (Status.PREDICTED, "○", "predicted"),
            ):
                points = [(row.cost, row.time_seconds) for row in rows if row.status is status]
                if points:
                    plt.scatter(*zip(*points, strict=True), marker=sign, label=label, **style)
        plt.hline(sweep.target_seconds, "white")
        rows = [row for swept in hashers for row in sweep.rows_of(swept) if row.time_seconds]
        times = [sweep.target_seconds, *(row.time_seconds or 0.0 for row in rows)]
        ticks = [digit * 10.0**power for power in range(-9, 5) for digit in (1, 3)]
        ticks = [tick for tick in ticks if min(times) <= tick <= max(times)] or times
        plt.yticks(ticks, [format_duration(tick) for tick in ticks])
        costs = sorted({row.cost for row in rows})
        plt.xticks(costs[:: len(costs) // _MOST_TICKS + 1])
        wall = any(swept.threads > 1 for swept in hashers)
        plt.xlabel(
            f"{knob.name}; the line is the target of {format_duration(sweep.target_seconds)}"
        )
        plt.title(f"{'wall' if wall else 'CPU'} time of one hash")
        texts.append(plt.build())
    text = "\n".join(texts) + "\n"
    return text if color else _ESCAPES.sub("", text)
