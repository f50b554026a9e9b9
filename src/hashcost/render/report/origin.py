"""Where figures are from, and the files that a page carries. Pure."""

from __future__ import annotations

import datetime as dt

from hashcost.core.model import Machine, Probe, Tool
from hashcost.core.units import format_bytes, format_duration
from hashcost.documents.profile import encode_json
from hashcost.render import render
from hashcost.render.document import Document
from hashcost.render.machine_line import machine_line, minute, tool_name
from hashcost.render.report.page import Download


def measured_on(
    *, machine: Machine, tool: Tool, probe: Probe, created: dt.datetime, duration_seconds: float
) -> tuple[tuple[str, str], ...]:
    """Where, when and on what something was measured."""
    memory = "" if machine.memory_bytes is None else f", {format_bytes(machine.memory_bytes)}"
    return (
        ("machine", f"{machine_line(machine)}{memory}"),
        ("system", f"{machine.os}, {machine.kernel}, {machine.architecture}"),
        ("libraries", f"{machine.python}, {machine.openssl}"),
        (
            "measured",
            f"{minute(created)} UTC, in {format_duration(duration_seconds)}, by {tool_name(tool)}",
        ),
        (
            "hashed",
            f"a password of {probe.password_bytes} bytes with a salt of {probe.salt_bytes}",
        ),
    )


def downloads(document: Document, name: str, *, csv_title: str) -> tuple[Download, ...]:
    """The value as JSON and its records as CSV."""
    stem = name.rpartition(".")[0] or name
    return (
        Download(
            name=f"{stem}.json",
            title="everything, every sample included, as JSON",
            media_type="application/json",
            content=encode_json(document.value),
        ),
        Download(
            name=f"{stem}.csv",
            title=csv_title,
            media_type="text/csv",
            content=render(document, "csv").encode(),
        ),
    )
