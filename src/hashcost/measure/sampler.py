"""Times one hash at a time, with nothing else between the clock readings."""

import contextlib
import gc
from collections.abc import Callable, Iterator

from hashcost.core.measurement import Params, Sample
from hashcost.core.units import format_setting
from hashcost.hashers.interface import ReadyCall, check_output
from hashcost.machine.clock import Clock, Usage


def take(clock: Clock, call: ReadyCall, params: Params, *, threads: int = 1) -> Sample:
    """Time one hash.

    The CPU clock is read inside the wall clock, so that CPU time never exceeds
    wall time by the cost of reading a clock. A hash of several threads is timed
    on the process's CPU clock, since the thread's misses the other lanes.

    Raises:
        WrongAnswerError: the output is not a hash at these params.
    """
    read_cpu: Callable[[], float] = clock.cpu if threads == 1 else clock.process_cpu
    read_wall, run = clock.wall, call.run
    before: Usage = clock.usage()
    wall_start = read_wall()
    cpu_start = read_cpu()
    output = run()
    cpu_end = read_cpu()
    wall_end = read_wall()
    after = clock.usage()
    check_output(call, output, where=f"at {format_setting(params)}")
    return Sample(
        params=params,
        cpu_seconds=cpu_end - cpu_start,
        wall_seconds=wall_end - wall_start,
        system_seconds=after.system_seconds - before.system_seconds,
        page_faults=after.page_faults - before.page_faults,
    )


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
