"""Times one hash at a time, with nothing else between the clock readings."""

import contextlib
import gc
from collections.abc import Iterator

from hashcost.core.measurement import Params, Sample
from hashcost.core.units import format_setting
from hashcost.hashers.interface import ReadyCall, check_output
from hashcost.machine.clock import Clock


def take(clock: Clock, call: ReadyCall, params: Params, *, threads: int = 1) -> Sample:
    """Time one hash.

    Raises:
        WrongAnswerError: the output is not a hash at these params.
    """
    read_cpu = clock.cpu
    if threads > 1:
        # The clock of this thread misses the other lanes.
        read_cpu = clock.process_cpu
    # Looking a name up takes time, which is no part of the hash.
    read_wall = clock.wall
    run = call.run
    before = clock.usage()
    # The CPU clock is read inside the wall clock, so that CPU time never exceeds wall time by the
    # cost of reading a clock.
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
