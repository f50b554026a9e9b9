"""LUKS: ``--pbkdf`` and what goes with it on cryptsetup's command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Found

_ACTIONS: Final = (
    "luksFormat",
    "luksAddKey",
    "luksChangeKey",
    "luksConvertKey",
    "reencrypt",
    "format",
)
_LONG: Final[Mapping[str, str]] = {
    "pbkdf": "f:",
    "hash": "h:",
    "iter-time": "i:",
    "pbkdf-force-iterations": "T:",
    "pbkdf-memory": "M:",
    "pbkdf-parallel": "P:",
    "type": "t:",
    "key-file": "d:",
}


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What cryptsetup takes if the call does not say it."""

    memory_kib: int
    parallelism: int

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The parameters that each call forces; without any, cryptsetup calibrates itself."""
        return tuple(one for call in commands(text, "cryptsetup") for one in self._of(call))

    def _of(self, call: Command) -> list[Found]:
        if not set(call.words) & set(_ACTIONS):
            return []
        given = dict(options(call, "h:i:t:d:c:s:S:l:", _LONG))
        forced = given.get("T")
        pbkdf = (given.get("f") or "argon2id").lower()
        if forced is None or pbkdf not in {"argon2id", "argon2i", "pbkdf2"}:
            return []
        count = whole_number(forced, "--pbkdf-force-iterations", call.line)
        if pbkdf == "pbkdf2":
            digest = (given.get("h") or "sha256").lower()
            return [
                Found(
                    hasher=f"pbkdf2-{digest}"[:40],
                    params={"iterations": count},
                    line=call.line,
                )
            ]
        memory = _number(given, "M", "--pbkdf-memory", call.line, self.memory_kib)
        lanes = _number(given, "P", "--pbkdf-parallel", call.line, self.parallelism)
        why = []
        if "M" not in given:
            why.append(f"no --pbkdf-memory: {self.memory_kib}, or half of the memory")
        if lanes > 1:
            why.append(f"of {lanes} threads cryptsetup uses no more than there are CPUs")
        return [
            Found(
                hasher=pbkdf,
                params={"memory_kib": memory, "time_cost": count, "parallelism": lanes},
                line=call.line,
                why="; ".join(why),
            )
        ]


def _number(
    given: Mapping[str, str | None], letter: str, name: str, line: int, default: int
) -> int:
    value = given.get(letter)
    return default if value is None else whole_number(value, name, line)
