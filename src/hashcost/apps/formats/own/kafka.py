"""Kafka: the iterations of SCRAM, by ``kafka-configs.sh``."""

import re

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import uncommented
from hashcost.apps.interface import App, Found

_CREDENTIAL = re.compile(r"SCRAM-SHA-(?P<bits>256|512)=\[(?P<settings>[^\]\n]*)\]")
_ITERATIONS = re.compile(r"(?:^|,)\s*iterations=(?P<count>[^,]*)")


def read(app: App, text: str) -> tuple[Found, ...]:
    """Every credential that a script or its output has; each user has their own."""
    found = []
    for number, line in uncommented(text):
        for match in _CREDENTIAL.finditer(line):
            hasher = f"pbkdf2-sha{match['bits']}"
            given = _ITERATIONS.search(match["settings"])
            if given is None:
                params = app.newest(hasher)
                why = f"{params['iterations']}, as no iterations are given"
            else:
                params = {"iterations": whole_number(given["count"], "iterations", number)}
                why = ""
            found.append(Found(hasher=hasher, params=params, line=number, why=why))
    return with_ranges(found, app)
