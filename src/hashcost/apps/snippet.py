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
        bounded = [place for place in _PLACE.finditer(line) if place["least"]]
        if all(_value(place, params) > int(place["least"]) for place in bounded):
            lines.append(_PLACE.sub(lambda place: str(_value(place, params)), line))
    return "".join(lines)


def _value(place: re.Match[str], params: Params) -> int:
    derived = _DERIVED.get(place["name"])
    value = params[place["name"]] if derived is None else derived(params)
    return _IN[place["unit"]](value) if place["unit"] else value
