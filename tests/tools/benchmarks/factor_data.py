"""Writes a measured factor into a library's file, and leaves the rest of it as it is."""

import datetime as dt
import re
import textwrap
from pathlib import Path
from typing import Any

import tomlkit

from hashcost.apps.references import vendor_of


def write_factor(
    path: Path,
    hasher: str,
    *,
    build: str,
    from_kib: int = 0,
    cpu: str,
    factor: float,
    source: str,
    measured: dt.date,
) -> None:
    """Put a factor in the place of the one that was measured on such a CPU before."""
    document = tomlkit.parse(path.read_text("utf-8"))
    hashing: Any = document["hashers"][hasher]
    place = {"cpu": vendor_of(cpu), "build": build, "from_kib": from_kib}
    wanted = {key: value for key, value in place.items() if value}
    figures = {"factor": float(f"{factor:.3g}"), "source": _wrapped(source), "measured": measured}
    factors = hashing.setdefault("factors", tomlkit.aot())
    for entry in factors:
        if all(entry.get(key) == wanted.get(key) for key in place):
            entry.update(figures)
            break
    else:
        added = tomlkit.table()
        added.update({**wanted, **figures})
        factors.append(added)
    for key in ("factor", "source", "checked", "measured"):
        hashing.pop(key, None)
    text = re.sub(r"(?<!\n)\n(\[\[?hashers)", r"\n\n\1", tomlkit.dumps(document))
    path.write_text(text, "utf-8")


def _wrapped(text: str) -> Any:
    """A long text over several lines, as people write it in these files."""
    if len(text) < 80:
        return text
    lines = " \\\n".join(textwrap.wrap(text, 90, break_on_hyphens=False))
    return tomlkit.parse(f'text = """\\\n{lines}\\\n"""\n')["text"]
