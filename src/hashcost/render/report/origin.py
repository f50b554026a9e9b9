"""Where figures are from, what to beware of in them, and the files that a page carries. Pure."""

from __future__ import annotations

from hashcost.core.profile import Profile
from hashcost.core.units import format_bytes, format_duration
from hashcost.documents.profile import encode_json
from hashcost.render import render
from hashcost.render.document import Document
from hashcost.render.machine_line import machine_line, minute, tool_name
from hashcost.render.report.page import Caution, Download, Part
from hashcost.sweep.model import Sweep


def measured_part(found: Profile | Sweep, *, asked_for: str, how: tuple[str, ...] = ()) -> Part:
    """Where, when, on what and for what something was measured."""
    machine = found.machine
    memory = "" if machine.memory_bytes is None else f", {format_bytes(machine.memory_bytes)}"
    taken = format_duration(found.duration_seconds)
    password, salt = found.probe.password_bytes, found.probe.salt_bytes
    hashed = f"a password of {password} bytes with a salt of {salt}"
    return Part(
        title="How it was measured",
        terms=(
            ("asked for", asked_for),
            ("machine", f"{machine_line(machine)}{memory}"),
            ("system", f"{machine.os}, {machine.kernel}, {machine.architecture}"),
            ("libraries", f"{machine.python}, {machine.openssl}"),
            ("measured", f"{minute(found.created)} UTC, in {taken}, by {tool_name(found.tool)}"),
            ("hashed", hashed),
        ),
        paragraphs=how,
    )


def cautions(found: Profile | Sweep) -> tuple[Caution, ...]:
    """What holds for the whole run, and what could not be measured."""
    return (
        *(
            Caution(about="the machine", message=notice.message, advice=notice.advice)
            for notice in found.warnings
        ),
        *(Caution(about=row.label, message=row.error) for row in found.failures),
    )


def raw_part(document: Document, name: str, *, lines_of: str, use: str = "") -> Part:
    """The value as JSON and its records as CSV, a line for each of ``lines_of``."""
    stem = name.rpartition(".")[0] or name
    return Part(
        title="Raw figures",
        paragraphs=(f"This page carries them within itself.{use}",),
        downloads=(
            Download(
                name=f"{stem}.json",
                title="everything, every sample included, as JSON",
                media_type="application/json",
                content=encode_json(document.value),
            ),
            Download(
                name=f"{stem}.csv",
                title=f"a line for each {lines_of}, as CSV",
                media_type="text/csv",
                content=render(document, "csv").encode(),
            ),
        ),
    )
