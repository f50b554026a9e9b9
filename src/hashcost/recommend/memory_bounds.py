"""Whether memory limits an answer, and how to measure further. Pure."""

from hashcost.core.machine import Notice
from hashcost.core.measurement import Measurement
from hashcost.core.profile import MEMORY_BOUND
from hashcost.core.units import format_bytes, typed_bytes, typed_duration
from hashcost.fit.solver import Answer, Solution, highest_within


def memory_bound(measurement: Measurement, solved: Answer, target_seconds: float) -> Notice | None:
    """Say that memory limits the answer, and how to measure more; `None` if it does not."""
    if not measurement.is_memory_hard:
        return None
    surface = measurement.fitted.surface
    if surface is not None and solved.beyond is not None:
        _, timed = surface.sampled_bytes
        enough = target_seconds
        # The minimum itself lies beyond: only a target that it fits measures that far.
        if solved.beyond.seconds > measurement.fitting(target_seconds):
            _, slowest = solved.beyond.interval
            enough = measurement.waits(slowest)
        return Notice(
            code=MEMORY_BOUND,
            message=f"memory is limited to twice the {format_bytes(timed)} that were timed",
            advice=f"`calibrate {measurement.hasher} --target {typed_duration(enough)}`"
            " measures more",
        )
    memory = measurement.knobs[0]
    largest = measurement.fitted.curves[-1]
    is_cut = largest.params[memory.name] < memory.maximum
    if not is_cut or not _gains_from_memory(measurement, solved, target_seconds):
        return None
    return Notice(
        code=MEMORY_BOUND,
        message=f"no hash of more than {format_bytes(largest.memory_bytes)} fits the memory limit",
        advice=f"`calibrate {measurement.hasher} --target {typed_duration(target_seconds)}"
        f" --memory {typed_bytes(2 * largest.memory_bytes)}` measures more",
    )


def _gains_from_memory(measurement: Measurement, solved: Answer, target_seconds: float) -> bool:
    """Whether twice the largest memory would be stronger, if it took twice as long.

    The bytes that a guess moves double with the memory, so that both prices together grow by 8.
    """
    if solved.fitting is None:
        return False
    largest = measurement.fitted.curves[-1]
    limit = measurement.fitting(target_seconds) / 2
    half = Solution(curve=largest, value=highest_within(largest, limit))
    if half.seconds > limit:
        return False
    hasher = measurement.hasher
    return 8 * half.strength(hasher).product > solved.fitting.strength(hasher).product
