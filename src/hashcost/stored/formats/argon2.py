"""Argon2 in the PHC string format."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT
from hashcost.stored.formats.interface import LARGEST, Format, hashed, number, reader
from hashcost.stored.formats.reading import Reading

_NAME = "phc argon2"
_COST = rf"[mtp]={COUNT}"


def _argon2(name: str, variant: str, version: str | None, costs: str) -> Reading | None:
    """Costs by their keys: Shiro writes them in another order than the others."""
    written = dict(cost.split("=") for cost in costs.split(","))
    if len(written) != 3:
        return None
    params = {
        "memory_kib": number(written["m"], 8, LARGEST),
        "time_cost": number(written["t"], 1, LARGEST),
        "parallelism": number(written["p"], 1, 2**24 - 1),
    }
    # Before version 1.3 (19), none was written.
    notes = () if version == "19" else ("old-version",)
    return hashed(name, f"argon2{variant}", params, *notes)


read_argon2: Final = reader(
    _NAME,
    rf"\$argon2(id|i|d)\$(?:v=(16|19)\$)?({_COST},{_COST},{_COST})"
    rf"(?:,keyid={BASE64}{{0,11}})?(?:,data={BASE64}{{0,43}})?"
    rf"\${BASE64}{{11,}}=*\${BASE64}{{16,}}=*",
    _argon2,
)

FORMATS: Final = (
    Format(name=_NAME, prefixes=("$argon2id$", "$argon2i$", "$argon2d$"), read=read_argon2),
)
