"""A progress bar that is drawn between samples only, never while a hash is timed."""

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from hashcost.cli.process import on_terminal, say
from hashcost.core.progress import AS_LINES, Progress, Stage
from hashcost.core.text import escaped

_REDRAW_SECONDS = 0.1
_WIDEST_BAR = 32
_LONG_SECONDS = 10.0
"""A run that takes longer says so at its start."""
_TELLING_SECONDS = 0.5
_TELLING_FRACTION = 0.02
"""Less than either does not tell how long the rest takes."""


def described(stage: Stage, elapsed: float) -> str:
    """The phase, and how many seconds are left as far as anything tells."""
    # The first hashes do not tell how many more it takes to be sure.
    if elapsed < _TELLING_SECONDS:
        return stage.phase
    # The sampler knows best; else the share that is done tells.
    left = stage.seconds_left
    if left is None and stage.fraction >= _TELLING_FRACTION:
        left = elapsed * (1 - stage.fraction) / stage.fraction
    if left is None:
        return stage.phase
    # What is left is an estimate: rounded up, a frame would promise twice a short run.
    seconds = round(left)
    if left > 0:
        seconds = max(seconds, 1)
    return f"{stage.phase}, {seconds} s left"


def tell_failure(why: str) -> None:
    """Tell the program that runs this command why the command ends."""
    _write_line(Stage(phase="failed", fraction=1.0, error=why))


def _write_line(stage: Stage) -> None:
    import msgspec

    say(msgspec.json.encode(stage).decode())


@contextlib.contextmanager
def progress_bar(
    *, quiet: bool, now: Callable[[], float] = time.monotonic
) -> Iterator[Progress | None]:
    """Yield a callback that shows a stage, or `None` when quiet.

    On a terminal it draws a bar; elsewhere it only says at the start of a long run how long that
    takes. For a program that runs the command it writes each stage as a line of JSON.
    """
    began = now()
    shown_at, shown_phase = -math.inf, ""
    farthest = 0.0
    is_announced = False

    def is_due(stage: Stage) -> bool:
        nonlocal shown_at, shown_phase
        is_last = stage.fraction >= 1
        if stage.phase == shown_phase and now() - shown_at < _REDRAW_SECONDS and not is_last:
            return False
        shown_at, shown_phase = now(), stage.phase
        return True

    def announce(stage: Stage, write: Callable[[str], None] = say) -> None:
        nonlocal is_announced
        elapsed = now() - began
        # Early on, the share that is done does not tell how long the rest takes.
        is_first_guess = stage.fraction > 0 and elapsed < _TELLING_SECONDS
        left = stage.seconds_left or 0.0
        if left > _LONG_SECONDS and not is_announced and not is_first_guess:
            is_announced = True
            write(f"This takes about {math.ceil(elapsed + left)} s.")

    if os.environ.get(AS_LINES):

        def write(stage: Stage) -> None:
            if is_due(stage):
                _write_line(stage)

        yield write
        return
    if quiet:
        yield None
        return
    if not on_terminal(sys.stderr):
        yield announce
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(_WIDEST_BAR),
        # Its own column, TaskProgressColumn, shows markup where markup is off, and it rounds up:
        # 100 % stands for the end.
        progress.TextColumn("{task.fields[percent]:>3}%", "progress.percentage", markup=False),
    )
    bar = progress.Progress(
        *columns, console=Console(file=sys.stderr), auto_refresh=False, transient=True
    )
    task = bar.add_task("", total=1.0, percent=0)
    with contextlib.ExitStack() as at_end:

        def draw(stage: Stage) -> None:
            nonlocal farthest
            announce(stage, partial(bar.console.print, highlight=False))  # Above the bar.
            # More may turn out to be needed: then the time left grows, and the bar waits for it.
            if stage.phase == shown_phase:
                farthest = max(farthest, stage.fraction)
            else:
                farthest = stage.fraction
            if not is_due(stage):
                return
            text = escaped(described(stage, now() - began))
            percent = math.floor(100 * farthest + 1e-9)
            bar.update(task, description=text, completed=farthest, percent=percent)
            if bar.live.is_started:
                bar.refresh()
            else:  # Before the first stage there are no words to stand beside it.
                at_end.enter_context(bar)

        yield draw
