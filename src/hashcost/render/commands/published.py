"""What `calibrate policies` and `calibrate gpus` show: published figures, each with its source."""

from collections.abc import Sequence
from typing import Final

from hashcost.core.units import (
    format_bandwidth,
    format_bytes,
    format_count,
    format_list,
    format_pairs,
    format_percent,
    format_setting,
)
from hashcost.render.document import Column, Document, Fields, Table, records, sourced_table, table
from hashcost.worth.attackers.device import Device, Speed, bandwidth_share
from hashcost.worth.policies.policy import Floor, Policy

_FLOORS: Final[Fields[tuple[Policy, Floor]]] = {
    "policy": lambda each: each[0].id,
    "title": lambda each: each[0].title,
    "hasher": lambda each: each[1].hasher,
    "params": lambda each: format_pairs(each[1].params),
    "legacy": lambda each: each[1].legacy,
    "informative": lambda each: each[0].informative,
    "date": lambda each: str(each[1].date),
    "source": lambda each: each[1].source,
    "url": lambda each: each[0].url,
}


def policies_document(policies: Sequence[Policy], *, in_full: bool) -> Document:
    """A row per policy, or ``in_full`` a table for each; the records are whole either way."""
    return Document(
        tables=tuple(_floors(policy) for policy in policies if policy.floors)
        if in_full
        else (_list(policies),),
        notes=tuple("; ".join(_said(policy)) for policy in policies if not policy.floors)
        if in_full
        else (
            *(f"{policy.id}: {policy.url or policy.source}" for policy in policies),
            "`calibrate policies NAME` shows a policy's minimums.",
        ),
        fields=tuple(_FLOORS),
        records=records(
            ((policy, floor) for policy in policies for floor in policy.floors), _FLOORS
        ),
        value=tuple(policies),
    )


def _list(policies: Sequence[Policy]) -> Table:
    return table(
        policies,
        (Column("policy"), lambda policy: policy.id),
        (Column("as of"), lambda policy: str(policy.date)),
        (Column("title", flexible=True), lambda policy: policy.title),
    )


def _said(policy: Policy) -> list[str]:
    """What a policy says beside its floors."""
    lines = (
        f"{policy.id}: {policy.title}, {policy.date}",
        policy.url or policy.source,
        "" if policy.approved is None else f"approves only {', '.join(policy.approved)}",
        f"a salt of at least {policy.salt_bits} bits" if policy.salt_bits else "",
        f"an output of at least {policy.output_bits} bits" if policy.output_bits else "",
        policy.note,
        policy.caution,
    )
    return [line for line in lines if line]


def _floors(policy: Policy) -> Table:
    least = Column("usual" if policy.informative else "at least", flexible=True)
    return sourced_table(
        policy.floors,
        (Column("hasher"), lambda floor: floor.hasher),
        (least, lambda f: format_setting(f.params) + (" (legacy only)" if f.legacy else "")),
        fact=lambda floor: floor,
        dated="since",
        title=_said(policy),
    )


_SPEEDS: Final[Fields[tuple[Device, Speed]]] = {
    "gpu": lambda each: each[0].id,
    "hasher": lambda each: each[1].hasher,
    "params": lambda each: format_pairs(each[1].params),
    "guesses_per_second": lambda each: each[1].guesses_per_second,
    "tool": lambda each: each[1].tool,
    "date": lambda each: str(each[1].date),
    "source": lambda each: each[1].source,
    "mode": lambda each: each[1].mode,
    "dollars_per_hour": lambda each: each[0].price.dollars_per_hour if each[0].price else None,
    "bandwidth_bytes_per_second": lambda each: each[0].bandwidth.bytes_per_second,
    "bandwidth_share": lambda each: bandwidth_share(*each),
}


def gpus_document(devices: Sequence[Device]) -> Document:
    """A table for each device, a row per hasher."""
    return Document(
        tables=tuple(map(_speeds, devices)),
        fields=tuple(_SPEEDS),
        records=records(
            ((device, speed) for device in devices for speed in device.speeds), _SPEEDS
        ),
        value=tuple(devices),
    )


def _speeds(device: Device) -> Table:
    rent, moved = device.price, device.bandwidth
    shares = [
        f"{format_percent(share)} ({speed.hasher})"
        for speed in device.speeds
        if (share := bandwidth_share(device, speed)) is not None
    ]
    used = f"; the published speeds use {format_list(shares)}" if shares else ""
    return sourced_table(
        device.speeds,
        (Column("hasher"), lambda speed: speed.hasher),
        (Column("cost", flexible=True), lambda speed: format_setting(speed.params)),
        (Column("guesses/s", right=True), lambda speed: format_count(speed.guesses_per_second)),
        (Column("by"), lambda speed: speed.tool),
        fact=lambda speed: speed,
        title=(
            f"{device.id}: {device.title}, {format_bytes(device.memory_bytes)}",
            "rent unknown"
            if rent is None
            else f"${rent.dollars_per_hour:.2f} an hour, {rent.source}, {rent.date}",
            f"{format_bandwidth(moved.bytes_per_second)}, {moved.source}, {moved.date}{used}",
        ),
    )
