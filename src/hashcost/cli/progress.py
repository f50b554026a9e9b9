"""A progress bar that is drawn between samples only, never while a hash is timed."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from hashcost.cli.output import on_terminal

_REDRAW_SECONDS = 0.1


@contextlib.contextmanager
def progress_bar(label: str, *, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """A callback that takes the fraction done; `None` when quiet or not on a terminal."""
    if quiet or not on_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    drawn = 0.0
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=32),
        TaskProgressColumn(),
        console=Console(file=sys.stderr),
        auto_refresh=False,
        transient=True,
    ) as bar:
        task = bar.add_task(label, total=1.0)
        bar.refresh()

        def report(fraction: float) -> None:
            nonlocal drawn
            now = time.monotonic()
            if now - drawn >= _REDRAW_SECONDS:
                drawn = now
                bar.update(task, completed=fraction)
                bar.refresh()

        yield report
