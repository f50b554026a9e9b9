"""What `calibrate gpus` shows: every published speed, with the place and the day it is from."""

from __future__ import annotations

from collections.abc import Sequence

from hashcost.core.units import format_bytes, format_cost, format_count, format_pairs
from hashcost.render.document import Column, Document, Row, Table
from hashcost.render.numbered_sources import NumberedSources
from hashcost.worth.attackers.device import Device


def gpus_document(devices: Sequence[Device]) -> Document:
    """A table for each device, a row per hasher."""
    return Document(
        tables=tuple(_table(device) for device in devices),
        fields=(
            "gpu",
            "hasher",
            "params",
            "guesses_per_second",
            "tool",
            "date",
            "source",
            "mode",
            "dollars_per_hour",
        ),
        records=tuple(
            {
                "gpu": device.id,
                "hasher": speed.hasher,
                "params": format_pairs(speed.params),
                "guesses_per_second": speed.guesses_per_second,
                "tool": speed.tool,
                "date": str(speed.date),
                "source": speed.source,
                "mode": speed.mode,
                "dollars_per_hour": None
                if device.price is None
                else device.price.dollars_per_hour,
            }
            for device in devices
            for speed in device.speeds
        ),
        value=tuple(devices),
    )


def _table(device: Device) -> Table:
    rent = device.price
    lines = [f"{device.id}: {device.title}, {format_bytes(device.memory_bytes)}"]
    if rent is None:
        lines.append("no rent is known; give one with --gpu-hourly")
    else:
        lines.append(f"${rent.dollars_per_hour:.2f} an hour, {rent.source}, {rent.date}")
    references = NumberedSources(speed.source for speed in device.speeds)
    lines += references.lines
    return Table(
        title="\n".join(lines),
        columns=(
            Column(title="hasher"),
            Column(title="cost", flexible=True, pairs=True),
            Column(title="guesses/s", right=True),
            Column(title="by"),
            Column(title="published"),
        ),
        rows=tuple(
            Row(
                cells=(
                    speed.hasher,
                    format_cost(speed.params),
                    format_count(speed.guesses_per_second),
                    speed.tool,
                    f"{speed.date} {references.mark(speed.source)}",
                )
            )
            for speed in device.speeds
        ),
    )
