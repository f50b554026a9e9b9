"""Snippets: a template in an application's file, filled with a cost. Pure.

``<cost>`` stands for a param, ``<n as log2>`` for its logarithm and ``<memory_kib as MiB>``
for its mebibytes. ``<scrypt_bytes>`` is the memory that OpenSSL asks for. A line with
``<scrypt_bytes if above 1000>`` is left out unless the value is above that.
"""

import re
from collections.abc import Callable
from typing import Final

from hashcost.apps.refusals import scrypt_bytes
from hashcost.core.measurement import Params

_PLACE: Final = re.compile(
    r"<(?P<name>[a-z][a-z_]*)(?: as (?P<unit>\w+))?(?: if above (?P<least>[0-9]+))?>"
)
_IN: Final[dict[str, Callable[[int], int]]] = {
    "log2": lambda value: value.bit_length() - 1,
    "MiB": lambda kibibytes: kibibytes // 1024,
}
_DERIVED: Final = {"scrypt_bytes": scrypt_bytes}


def filled(template: str, params: Params) -> str:
    """The snippet of a cost."""
    lines = []
    for line in template.splitlines(keepends=True):
        places = list(_PLACE.finditer(line))
        if all(_value(each, params) > int(each["least"]) for each in places if each["least"]):
            lines.append(_PLACE.sub(lambda place: str(_value(place, params)), line))
    return "".join(lines)


def mistakes_in(template: str, params: set[str]) -> str:
    """Say why a template is wrong, or nothing: an unknown param or unit, or one left out."""
    used = set()
    for place in _PLACE.finditer(template):
        if place["name"] not in params | _DERIVED.keys():
            return f"<{place['name']}> is not one of its params, {', '.join(sorted(params))}"
        if place["unit"] not in {None, *_IN}:
            return f"<{place['name']} as {place['unit']}>: write {' or '.join(_IN)}"
        used.add(place["name"])
    left_out = ", ".join(f"<{name}>" for name in sorted(params - used))
    return f"it leaves out {left_out}" if left_out else ""


def _value(place: re.Match[str], params: Params) -> int:
    derived = _DERIVED.get(place["name"])
    value = params[place["name"]] if derived is None else derived(params)
    return _IN[place["unit"]](value) if place["unit"] else value
