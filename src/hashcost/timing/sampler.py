"""Times one hash at a time, with nothing else between the clock readings."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

from hashcost.hashers.interface import ReadyCall, check_output
from hashcost.model import Params, Sample
from hashcost.timing.clock import Clock


def take(clock: Clock, call: ReadyCall, params: Params) -> Sample:
    """Time one hash.

    The CPU clock is read inside the wall clock, so that CPU time never exceeds
    wall time by the cost of reading a clock.

    Raises:
        WrongAnswerError: what came back is not a hash at these params.
    """
    read_cpu, read_wall, run = clock.cpu, clock.wall, call.run
    wall_start = read_wall()
    cpu_start = read_cpu()
    output = run()
    cpu_end = read_cpu()
    wall_end = read_wall()
    check_output(call, output, where=f"at {describe(params)}")
    return Sample(
        params=params, cpu_seconds=cpu_end - cpu_start, wall_seconds=wall_end - wall_start
    )


def describe(params: Params) -> str:
    """Params as ``rounds=5000``."""
    return ", ".join(f"{name}={value}" for name, value in params.items())


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the garbage collector from running inside a sample."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
