"""Prometheus: bcrypt hashes in ``web-config.yml``, and the htpasswd that makes them."""

import re
from collections.abc import Iterator

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import uncommented
from hashcost.apps.interface import App, Found

_HASH = re.compile(r"\$2[abxy]\$(?P<cost>[0-9]{2})\$[./A-Za-z0-9]{53}")
_DEFAULT_COST = 5
"""Of htpasswd."""


def read(_: App, text: str) -> tuple[Found, ...]:
    """The cost of each hash in the file, and of each call that prints one."""
    found = [one for call in commands(text, "htpasswd") for one in _of_call(call)]
    found += [
        _found(int(match["cost"]), number, "the cost of a hash that is there")
        for number, line in uncommented(text)
        for match in _HASH.finditer(line)
    ]
    return tuple(sorted(found, key=lambda each: each.line))


def _of_call(call: Command) -> Iterator[Found]:
    given = dict(options(call, "C:r:"))
    if "B" not in given:
        return
    written = given.get("C")
    if written is None:
        yield _found(_DEFAULT_COST, call.line, f"no -C: {_DEFAULT_COST}")
    else:
        yield _found(whole_number(written, "htpasswd -C", call.line), call.line, "")


def _found(cost: int, line: int, why: str) -> Found:
    return Found(hasher="bcrypt", params={"cost": cost}, line=line, why=why)
