"""What `calibrate gpus` shows: every published speed, with the place and the day it is from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hashcost.core.units import (
    format_bandwidth,
    format_bytes,
    format_cost,
    format_count,
    format_list,
    format_pairs,
    format_percent,
)
from hashcost.render.document import Column, Document, Fields, Table, records, sourced_table
from hashcost.worth.attackers.device import Device, Speed
from hashcost.worth.attackers.scaling import bandwidth_share

_FIELDS: Final[Fields[tuple[Device, Speed]]] = {
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
        tables=tuple(map(_table, devices)),
        fields=tuple(_FIELDS),
        records=records(
            ((device, speed) for device in devices for speed in device.speeds), _FIELDS
        ),
        value=tuple(devices),
    )


def _table(device: Device) -> Table:
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
        (Column("cost", flexible=True, pairs=True), lambda speed: format_cost(speed.params)),
        (Column("guesses/s", right=True), lambda speed: format_count(speed.guesses_per_second)),
        (Column("by"), lambda speed: speed.tool),
        fact=lambda speed: speed,
        title=(
            f"{device.id}: {device.title}, {format_bytes(device.memory_bytes)}",
            "no rent is known; give one with --gpu-hourly"
            if rent is None
            else f"${rent.dollars_per_hour:.2f} an hour, {rent.source}, {rent.date}",
            f"{format_bandwidth(moved.bytes_per_second)}, {moved.source}, {moved.date}{used}",
        ),
    )
