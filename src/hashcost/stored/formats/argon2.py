"""Argon2 in the PHC string format."""

from __future__ import annotations

from typing import Final

from hashcost.core.algorithms import refusal
from hashcost.stored.formats.alphabets import BASE64, COUNT
from hashcost.stored.formats.interface import Format, hashed, number, shaped
from hashcost.stored.formats.reading import Reading


def _argon2(variant: str, version: str | None, costs: str) -> Reading | None:
    """Costs by their keys: Shiro writes them in another order than the others."""
    written = dict(cost.split("=") for cost in costs.split(","))
    if len(written) != 3:
        return None
    memory_kib = number(written["m"], 8, 2**32 - 1)
    time_cost = number(written["t"], 1, 2**32 - 1)
    parallelism = number(written["p"], 1, 2**24 - 1)
    if not memory_kib or not time_cost or not parallelism:
        return None
    params = {"memory_kib": memory_kib, "time_cost": time_cost, "parallelism": parallelism}
    if refusal(f"argon2{variant}", params):
        return None
    # Before version 1.3 (19), none was written.
    notes = () if version == "19" else ("old-version",)
    return hashed("phc argon2", f"argon2{variant}", params, *notes)


_COST = rf"[mtp]={COUNT}"

read_argon2: Final = shaped(
    rf"\$argon2(id|i|d)\$(?:v=(16|19)\$)?({_COST},{_COST},{_COST})"
    rf"(?:,keyid={BASE64}{{0,11}})?(?:,data={BASE64}{{0,43}})?"
    rf"\${BASE64}{{11,}}=*\${BASE64}{{16,}}=*",
    _argon2,
)

FORMATS: Final = (
    Format(
        name="phc argon2",
        prefixes=("$argon2id$", "$argon2i$", "$argon2d$"),
        read=read_argon2,
    ),
)
