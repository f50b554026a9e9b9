"""Runs that may have slowed each other: virtual machines measured at the same time. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from hashcost.compare.measured_machine import MeasuredMachine
from hashcost.core.machine import is_same_host


def overlaps(machines: Sequence[MeasuredMachine]) -> tuple[tuple[str, ...], ...]:
    """Virtual machines of one CPU model whose runs overlapped, by name.

    Whether they are guests of one hypervisor nobody in them can tell; those of another CPU
    model are not. One host is no guest beside itself, and a file that names no host may be of any.
    """
    kinds: dict[tuple[str, str], list[MeasuredMachine]] = {}
    for each in machines:
        model, virtual = each.machine.cpu_model, each.machine.virtualization
        if None not in (each.host, each.started) and model is not None and virtual is not None:
            kinds.setdefault((model, virtual), []).append(each)
    return tuple(
        tuple(each.name for each in together)
        for kin in kinds.values()
        for together in _together(kin)
        if any(not is_same_host(together[0].host, each.host) for each in together[1:])
    )


def _together(machines: Sequence[MeasuredMachine]) -> Iterator[list[MeasuredMachine]]:
    """Those whose runs overlap, directly or through others."""
    ordered = sorted(machines, key=_began)
    found: list[MeasuredMachine] = []
    end: datetime | None = None
    for each in ordered:
        if end is not None and _began(each) >= end:
            yield found
            found, end = [], None
        found.append(each)
        end = each.created if end is None else max(end, each.created)
    yield found


def _began(measured: MeasuredMachine) -> datetime:
    return measured.started or measured.created
