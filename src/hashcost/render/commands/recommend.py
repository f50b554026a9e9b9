"""What `calibrate` shows of a profile."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hashcost.core.algorithms import guess_memory
from hashcost.core.profile import Failure, FloorCheck, Neighbour, Profile, Recommendation, Verdict
from hashcost.core.units import format_bytes, format_duration, format_pairs, format_setting
from hashcost.machine.facts import whole_cpus
from hashcost.recommend.recommendation import every_step
from hashcost.render.commands.answer import advice, answer_notes, answer_table
from hashcost.render.commands.worth import WORTH, dearest_first, worth_notes, worth_table
from hashcost.render.document import Column, Document, Fields, Row, Table, own, records
from hashcost.render.wording import (
    aligned,
    asked,
    concurrency_note,
    known,
    library,
    minute,
    place,
    shared_note,
    timed,
)
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy


def recommendation_document(
    profile: Profile,
    *,
    solved_again: bool = False,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
    others: Sequence[Policy] = (),
    explained: bool = True,
) -> Document:
    """A row per hasher, the one that is dearest to attack first, and which setting to use.

    ``solved_again`` says that nothing was timed for this target, ``policies`` and
    ``devices`` are those that the profile was appraised by, and ``others`` all that there are.
    If it is ``explained``, and where one hasher has several rows, implementations, neighbours
    and sources are shown as well, and how much work each implementation does in the same time,
    as a multiple of the first; of a single memory-hard hasher, what takes the same time.
    """
    first: dict[str, float] = {}
    work = {
        id(row): _speed(row) / first.setdefault(row.hasher, _speed(row))
        for row in profile.recommendations
    }
    fields = _fields(profile, work)
    rows = dearest_first(profile.recommendations)
    against = f" against one {' and one '.join(device.title for device in devices)}"
    head = _head(profile, solved_again=solved_again)
    if explained or len({row.hasher for row in rows}) < len(rows):
        tables = (
            _costs_table(profile, rows, work),
            *worth_table(
                rows, policies, devices, title=f"What that is worth{against if devices else ''}"
            ),
            *_alternatives(profile, rows),
        )
        notes = (*shared_note(rows), *worth_notes(rows, policies, devices))
    else:
        head = head[:2]
        tables = (answer_table(rows, policies, devices),)
        notes = tuple(answer_notes(rows, policies, devices, others))
    return Document(
        head=head,
        tables=tables,
        notes=(*notes, *_concurrency_notes(profile)),
        foot=tuple(f"{row.label}: {row.error}" for row in profile.failures),
        answer=tuple(advice(dearest_first(profile.answers), policies)),
        fields=(*fields, "error"),
        records=tuple(
            record
            for row in profile.results
            for record in (
                records((row,), fields)
                if isinstance(row, Recommendation)
                else records((row,), _failed(profile))
            )
        ),
        value=profile,
    )


def _costs_table(
    profile: Profile, rows: Sequence[Recommendation], work: Mapping[int, float]
) -> Table:
    """A row for each hasher, and the step on the other side of the target below it."""
    compares = any(value != 1 for value in work.values())
    grid: list[Row] = []
    for row in rows:
        last = (f"{work[id(row)]:.2f}×",) if compares else ()
        grid.append(Row(cells=(row.hasher, library(row), *_cells(row), *last)))
        step = _step_across(row, profile.target_seconds)
        if step is not None:
            grid.append(Row(cells=(*_step_cells(row, step), *("" for _ in last)), aside=True))
    return Table(
        columns=(
            Column("hasher"),
            Column("implementation", flexible=True),
            Column("use this cost", flexible=True, bold=True),
            *_TIMES,
            *((Column("work", right=True),) if compares else ()),
        ),
        rows=tuple(grid),
    )


def _alternatives(profile: Profile, rows: Sequence[Recommendation]) -> tuple[Table, ...]:
    """The settings of one memory-hard hasher that take the same time: memory against passes."""
    measurement = profile.measurement_of(rows[0]) if len(rows) == 1 else None
    if measurement is None or not measurement.climbs or len(measurement.knobs) == 1:
        return ()
    steps = every_step(measurement, profile.target_seconds, profile.rounding)
    return (
        Table(
            title="In the same time, memory against passes",
            columns=(Column("cost", flexible=True), _TIMES[0], Column("")),
            rows=tuple(
                Row(
                    cells=(
                        format_setting(step.params),
                        timed(step.time_seconds, step.error_fraction),
                        "use this" if step.params == rows[0].params else "",
                    )
                )
                for step in steps
                if isinstance(step, Recommendation)
            ),
        ),
    )


def _concurrency_notes(profile: Profile) -> Iterator[str]:
    """What to limit concurrent hashes to, where that was asked for, and what a floor needs."""
    shared, rows = profile.concurrency, profile.recommendations
    if shared is None or not rows:
        return
    memory: dict[str, int] = {}
    for row in rows:
        memory[row.hasher] = max(memory.get(row.hasher, 0), row.memory_bytes)
        for check in row.floors:
            needed = _floor_memory(row, check)
            if check.verdict is Verdict.SHORT and needed > shared.hash_bytes:
                fitting = shared.room_bytes // needed
                yield (
                    f"{check.policy}'s minimum for {row.hasher} takes"
                    f" {format_bytes(needed)} a hash;"
                    f" {f'lower --at-once to {fitting}' if fitting else 'raise --memory-total'}."
                )
    yield concurrency_note(shared, memory, whole_cpus(profile.machine))


def _floor_memory(row: Recommendation, check: FloorCheck) -> int:
    """Bytes that a hash takes at a floor; zero where memory is no matter."""
    floor, here = (guess_memory(row.hasher, each or {}) for each in (check.params, row.params))
    return round(row.memory_bytes * floor / here) if floor and here else 0


def _cells(row: Recommendation) -> tuple[str, ...]:
    time = timed(row.time_seconds, row.error_fraction)
    wall = known(row.wall_seconds, format_duration)
    times = (time, wall) if row.threads == 1 else (aligned(row.cpu_seconds), time)
    return format_setting(row.params), *times


def _step_across(row: Recommendation, target_seconds: float) -> Neighbour | None:
    """The next setting on the other side of the target, if it is known.

    Of memory it is the step above or below; which others were timed says nothing.
    """
    beyond = row.time_seconds > target_seconds
    across = [s for s in row.neighbours if (s.time_seconds > target_seconds) is not beyond]
    ladder = row.knobs[0]
    if row.params[ladder.name] in ladder.steps:
        at = ladder.steps.index(row.params[ladder.name])
        beside = ladder.steps[max(at - 1, 0) : at + 2]
        across = [step for step in across if step.params[ladder.name] in beside]
    return min(across, key=lambda step: abs(step.time_seconds - target_seconds), default=None)


def _step_cells(row: Recommendation, step: Neighbour) -> tuple[str, ...]:
    """What changes, and the time it then takes, below the time of the row that is solved."""
    changed = {name: value for name, value in step.params.items() if row.params[name] != value}
    time = aligned(step.time_seconds, "" if step.measured else "~")
    place = "next" if step.time_seconds > row.time_seconds else "below"
    times = (time, "") if row.threads == 1 else ("", time)
    return "", "", f"{format_setting(changed)} {place}", *times


def _head(profile: Profile, *, solved_again: bool) -> tuple[str, ...]:
    how = f"measured in {format_duration(profile.duration_seconds)}"
    if solved_again:
        how = f"solved from measurements of {minute(profile.created)} UTC"
    raised = any(row.raised_from is not None for row in profile.recommendations)
    beyond = " or at the minimum above" if raised else ""
    return (
        f"One hash in {asked(profile.target_seconds, profile.rounding)}{beyond}, {how} on",
        *place(profile.machine, profile.tool, profile.results),
    )


def _speed(row: Recommendation) -> float:
    """Units of work in a second; for a memory-hard hasher, bytes times passes."""
    if not row.knobs[0].is_ladder:
        return 1 / row.model.seconds_per_unit
    passes = 1 if len(row.knobs) == 1 else row.params[row.knobs[1].name]
    return row.memory_bytes * passes / row.time_seconds


_TIMES: Final = (Column("one hash, CPU"), Column("wall", right=True))


def _fields(profile: Profile, work: Mapping[int, float]) -> Fields[Recommendation]:
    return {
        **own("hasher", "implementation", "implementation_version"),
        "params": lambda row: format_pairs(row.params),
        "parameter": lambda row: row.model.parameter,
        "value": lambda row: row.params[row.model.parameter],
        **own("time_seconds"),
        "low_seconds": lambda row: row.interval_seconds and row.interval_seconds[0],
        "high_seconds": lambda row: row.interval_seconds and row.interval_seconds[1],
        **own("confidence", "clock", "wall_seconds", "cpu_seconds", "shared_seconds"),
        **own("threads", "memory_bytes", "page_fault_seconds"),
        "relative_work": lambda row: round(work[id(row)], 4),
        "target_seconds": lambda _: profile.target_seconds,
        **WORTH,
        "warnings": lambda row: " ".join(notice.code for notice in row.warnings),
    }


def _failed(profile: Profile) -> Fields[Failure]:
    target = profile.target_seconds
    return {**own("hasher", "implementation", "error"), "target_seconds": lambda _: target}
