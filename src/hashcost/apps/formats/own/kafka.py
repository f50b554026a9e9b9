"""Kafka: the iterations of SCRAM, by ``kafka-configs.sh``."""

from __future__ import annotations

import re

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Found

_CREDENTIAL = re.compile(r"SCRAM-SHA-(?P<bits>256|512)=\[(?P<settings>[^\]\n]*)\]")
_ITERATIONS = re.compile(r"(?:^|,)\s*iterations=(?P<count>[^,]*)")


def read(app: App, text: str) -> tuple[Found, ...]:
    """Every credential that a script or its output has; each user has their own."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        for match in _CREDENTIAL.finditer(line):
            hasher = f"pbkdf2-sha{match['bits']}"
            default = app.newest(hasher)["iterations"]
            given = _ITERATIONS.search(match["settings"])
            count = (
                default if given is None else whole_number(given["count"], "iterations", number)
            )
            found.append(
                Found(
                    hasher=hasher,
                    params={"iterations": count},
                    line=number,
                    why="" if given is not None else f"{default}, as no iterations are given",
                )
            )
    return with_ranges(found, app)
