"""A progress bar that is drawn between samples only, never while a hash is timed."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hashcost.cli.output import on_terminal
from hashcost.core.progress import AS_LINES, Progress, Stage
from hashcost.render.wording import counted

if TYPE_CHECKING:
    from rich.live import Live

    from hashcost.fleet.running import Event

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
    seconds = f"{math.ceil(max(left, 0.0) - 1e-9)} s"
    return f"{stage.phase}, {f'up to {seconds}' if stage.may_end_sooner else f'{seconds} left'}"


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
    with _live(quiet=quiet) as live:
        if live is None:
            yield None
            return
        from rich.progress_bar import ProgressBar
        from rich.table import Table

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


@contextlib.contextmanager
def hosts_progress(
    count: int, *, quiet: bool, now: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[Event], None]]:
    """Yield a callback that draws a line for each host at work, and how many are done."""
    from hashcost.fleet.running import Ended

    began: dict[str, float] = {}
    stages: dict[str, Stage] = {}
    shown, done, failed = 0.0, 0, 0
    with _live(quiet=quiet) as live:
        if live is None:
            yield lambda _: None
            return
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        def report(event: Event) -> None:
            nonlocal shown, done, failed
            at, name = now(), event.host.name
            if isinstance(event, Ended):
                stages.pop(name, None)
                measured = event.profile is not None and bool(event.profile.measurements)
                done, failed = done + 1, failed + (not measured)
            else:
                began.setdefault(name, at)
                stages[name] = event.stage
                if at - shown < _REDRAW_SECONDS:
                    return
            shown = at
            lines = Table.grid(padding=(0, 1, 0, 0))
            for host, stage in list(stages.items())[: max(live.console.height - 2, 1)]:
                text = described(stage, at - began[host])
                label = Text(host, no_wrap=True, overflow="ellipsis")
                lines.add_row(label, f"{stage.fraction:4.0%}", text)
            ended = f"{done} of {counted(count, 'host', 'hosts')} done"
            ended += f", {failed} failed" if failed else ""
            live.update(Group(lines, Text(ended)), refresh=True)

        yield report


@contextlib.contextmanager
def _live(*, quiet: bool) -> Iterator[Live | None]:
    """What draws over itself on a terminal; `None` when quiet or not on one."""
    if quiet or not on_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(file=sys.stderr), auto_refresh=False, transient=True) as live:
        yield live
