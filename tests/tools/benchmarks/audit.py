"""Audit: a million mixed hashes in every layout, beside passlib's identify on the same file.

The hashes are those that real programs made (tests/stored/formats/fixtures), drawn from a
seed, so that the mix is the same in every run.
"""

from __future__ import annotations

import base64
import csv
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO

from secret_files import FIXTURES

from .fresh import CommandError, Finished, command
from .fresh import run as run_command
from .report import Report, Table, mebibytes, seconds, verdict
from .settings import Settings, counter

_HASHES: Final = 1_000_000
_QUICK_HASHES: Final = 50_000
_SEED: Final = 20261120
_LIMIT_SECONDS: Final = 8.0
_LIMIT_BYTES: Final = 60 * 2**20

_CONTEXT: Final = """\
import sys
from collections import Counter
from passlib.context import CryptContext
from passlib.registry import list_crypt_handlers

unfit = {"django_disabled", "unix_disabled", "unix_fallback", "plaintext", "ldap_plaintext"}
context = CryptContext([name for name in list_crypt_handlers() if name not in unfit])
found = Counter()
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        found[context.identify(line.rstrip("\\n"))] += 1
print(sum(found.values()), found[None])
"""
"""Every handler that tells its hashes from other text: its name alone, no cost."""


def run(settings: Settings) -> Report:
    """Audit a file of each layout, in fresh processes."""
    count = _QUICK_HASHES if settings.quick else _HASHES
    runs = settings.size(3, 1)
    show = counter("audit", runs)
    found: dict[str, list[Finished]] = {}
    with tempfile.TemporaryDirectory() as name, command() as calibrate:
        folder = Path(name)
        for layout, write in _LAYOUTS.items():
            with (folder / layout).open("w", encoding="utf-8", newline="") as stream:
                write(stream, _drawn(count))
        sizes = {layout: (folder / layout).stat().st_size for layout in _LAYOUTS}
        for index in range(runs):
            for layout in _LAYOUTS:
                column = ("--column", "password") if layout in _IN_COLUMNS else ()
                audited = run_command(
                    [calibrate.path, "audit", str(folder / layout), *column, "--format", "json"]
                )
                _check(audited, count)
                found.setdefault(layout, []).append(audited)
            peer = run_command([sys.executable, "-c", _CONTEXT, str(folder / _FIRST)])
            _check_peer(peer, count)
            found.setdefault(_PEER, []).append(peer)
            show(index + 1)
    return Report(
        tables=(_table(found, sizes, count, runs),),
        runs=[
            {"what": what, "wall_seconds": one.wall_seconds, "peak_bytes": one.peak_bytes}
            for what, every in found.items()
            for one in every
        ],
    )


def _drawn(count: int) -> Iterator[str]:
    rows = map(json.loads, FIXTURES.read_text("utf-8").splitlines())
    hashes = [row["hash"] for row in rows if row["hash"].isprintable()]
    return iter(random.Random(_SEED).choices(hashes, k=count))


def _write_alone(stream: TextIO, hashes: Iterator[str]) -> None:
    stream.writelines(f"{text}\n" for text in hashes)


def _write_users(stream: TextIO, hashes: Iterator[str]) -> None:
    stream.writelines(f"user{index}:{text}\n" for index, text in enumerate(hashes))


def _write_csv(stream: TextIO, hashes: Iterator[str]) -> None:
    writer = csv.writer(stream)
    writer.writerow(("id", "name", "password"))
    writer.writerows((index, f"user{index}", text) for index, text in enumerate(hashes))


def _write_objects(stream: TextIO, hashes: Iterator[str]) -> None:
    for index, text in enumerate(hashes):
        row = {"id": index, "name": f"user{index}", "password": text}
        stream.write(json.dumps(row) + "\n")


def _write_entries(stream: TextIO, hashes: Iterator[str]) -> None:
    for index, text in enumerate(hashes):
        value = base64.b64encode(text.encode()).decode()
        line = f"userPassword:: {value}"
        folded = "\n ".join(line[at : at + 76] for at in range(0, len(line), 76))
        name = f"dn: uid=user{index},ou=people,dc=example,dc=org\nuid: user{index}"
        stream.write(f"{name}\nobjectClass: inetOrgPerson\n{folded}\n\n")


_FIRST: Final = "plain lines"
_LAYOUTS: Final[dict[str, Callable[[TextIO, Iterator[str]], None]]] = {
    _FIRST: _write_alone,
    "user:hash": _write_users,
    "CSV": _write_csv,
    "JSON lines": _write_objects,
    "LDIF": _write_entries,
}
_IN_COLUMNS: Final = frozenset({"CSV", "JSON lines"})
_PEER: Final = "passlib's identify, plain lines"


def _check(audited: Finished, count: int) -> None:
    """Raise where the audit failed, or did not count them all.

    Raises:
        CommandError: it did not do its job.
    """
    total = json.loads(audited.output)["total"] if audited.exit_code == 0 else None
    if total != count:
        raise CommandError(f"audit ended with {audited.exit_code}, {total}: {audited.errors}")


def _check_peer(peer: Finished, count: int) -> None:
    if peer.exit_code or int(peer.output.split()[0]) != count:
        raise CommandError(f"passlib ended with {peer.exit_code}: {peer.errors}")


def _table(
    found: dict[str, list[Finished]], sizes: dict[str, int], count: int, runs: int
) -> Table:
    rows: list[Sequence[str]] = []
    for what, every in found.items():
        wall = statistics.median(one.wall_seconds for one in every)
        peak = max(one.peak_bytes for one in every)
        met = wall < _LIMIT_SECONDS and peak < _LIMIT_BYTES
        peer = what == _PEER
        rows.append(
            (
                what,
                mebibytes(sizes[_FIRST if peer else what]),
                seconds(wall),
                f"{count / wall:,.0f}",
                mebibytes(peak),
                "" if peer or count < _HASHES else verdict(met=met),
            )
        )
    identified = int(found[_PEER][0].output.split()[1])
    return Table(
        title=f"audit: {count:,} mixed hashes of real programs, runs: {runs}",
        columns=("what", "size", "wall", "hashes a second", "peak", "verdict"),
        rows=rows,
        notes=(
            f"limit: {seconds(_LIMIT_SECONDS)} and {mebibytes(_LIMIT_BYTES)} for a million",
            "wall is the median, peak the largest",
            f"passlib names the handler and no cost, and none for {identified:,} of them",
        ),
    )
