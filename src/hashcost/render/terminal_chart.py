"""A sweep drawn with characters, by plotext."""

import re
from itertools import cycle
from typing import Any, Final

from hashcost.core.text import escaped
from hashcost.core.units import format_duration
from hashcost.documents.extras import imported
from hashcost.render.charts import counts_steps, drawn_together
from hashcost.sweep.sweeping import Sweep

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")
_MARKERS: Final = "●■▲◆▼+"
_COLORS: Final = ("blue+", "orange+", "green+", "magenta+", "cyan+", "white")
_ROWS, _LEAST_COLUMNS, _MOST_TICKS = 20, 40, 8


def check_available() -> Any:
    """Return plotext, or raise an error that says how to install it."""
    return imported("plotext", "plotext", "plot")


def draw(sweep: Sweep, *, width: int, color: bool) -> str:
    """Time by cost, a chart for each kind of cost."""
    plt = check_available()
    target = sweep.profile.target_seconds
    texts = []
    for hashers in drawn_together(sweep):
        knob = hashers[0].knobs[0]
        plt.clear_figure()
        plt.plotsize(max(width, _LEAST_COLUMNS), _ROWS)
        plt.theme("clear")
        plt.yscale("log")
        if not counts_steps(knob):
            plt.xscale("log")
        styles = zip(cycle(_MARKERS), cycle(_COLORS))
        for measurement, (marker, color_name) in zip(hashers, styles, strict=False):
            for status, sign, label in (
                ("measured", marker, escaped(measurement.label)),
                ("predicted", "○", "predicted"),
            ):
                points = [
                    (row.cost, row.time_seconds)
                    for row in sweep.rows_of(measurement)
                    if row.status == status
                ]
                if points:
                    axes = zip(*points, strict=True)
                    plt.scatter(*axes, marker=sign, color=color_name, label=label)
        plt.hline(target, "white")
        rows = [row for measurement in hashers for row in sweep.rows_of(measurement)]
        times = [target, *(row.time_seconds for row in rows)]
        ticks = [digit * 10.0**power for power in range(-9, 5) for digit in (1, 3)]
        ticks = [tick for tick in ticks if min(times) <= tick <= max(times)] or times
        plt.yticks(ticks, [format_duration(tick) for tick in ticks])
        costs = sorted({row.cost for row in rows})
        plt.xticks(costs[:: len(costs) // _MOST_TICKS + 1])
        wall = any(measurement.threads > 1 for measurement in hashers)
        plt.xlabel(f"{knob.name}; the line is the target of {format_duration(target)}")
        plt.title(f"{'wall' if wall else 'CPU'} time of one hash")
        texts.append(plt.build())
    text = "\n".join(texts) + "\n"
    return text if color else _ESCAPES.sub("", text)
