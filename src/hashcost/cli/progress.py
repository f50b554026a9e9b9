"""A progress bar that is drawn between samples only, never while a hash is timed."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator

from hashcost.cli.output import on_terminal
from hashcost.core.progress import AS_LINES, Progress, Stage

_REDRAW_SECONDS = 0.1
_WIDEST_BAR = 32
_NARROWEST_BAR = 8
_TELLING_SECONDS = 0.5
_TELLING_FRACTION = 0.02
"""Less than either does not tell how long the rest takes."""


def described(stage: Stage, elapsed: float) -> str:
    """The phase, and how many seconds are left as far as anything tells."""
    left = stage.seconds_left
    if left is None and elapsed >= _TELLING_SECONDS and stage.fraction >= _TELLING_FRACTION:
        left = elapsed * (1 - stage.fraction) / stage.fraction
    if left is None:
        return stage.phase
    return f"{stage.phase}, {math.ceil(max(left, 0.0) - 1e-9)} s left"


@contextlib.contextmanager
def progress_bar(
    *, quiet: bool, now: Callable[[], float] = time.monotonic
) -> Iterator[Progress | None]:
    """Yield a callback that draws a stage; `None` when quiet or not on a terminal.

    For a program that runs the command it writes each stage as a line of JSON.
    """
    began = now()
    shown: tuple[float, str] | None = None

    def is_due(stage: Stage) -> bool:
        nonlocal shown
        at = now()
        if shown is not None and stage.phase == shown[1] and at - shown[0] < _REDRAW_SECONDS:
            return False
        shown = at, stage.phase
        return True

    if os.environ.get(AS_LINES):
        import msgspec

        def write(stage: Stage) -> None:
            if is_due(stage):
                sys.stderr.write(msgspec.json.encode(stage).decode() + "\n")
                sys.stderr.flush()

        yield write
        return
    if quiet or not on_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    with Live(console=Console(file=sys.stderr), auto_refresh=False, transient=True) as live:

        def draw(stage: Stage) -> None:
            if not is_due(stage):
                return
            text, percent = described(stage, now() - began), f"{stage.fraction:4.0%}"
            room = min(live.console.width - len(text) - len(percent) - 3, _WIDEST_BAR)
            bar = ProgressBar(total=1.0, completed=stage.fraction, width=room)
            line = Table.grid(padding=(0, 1, 0, 0))
            line.add_row(text, *((bar,) if room >= _NARROWEST_BAR else ()), percent)
            live.update(line, refresh=True)

        yield draw
