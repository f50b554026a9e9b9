"""LUKS: ``--pbkdf`` and what goes with it on cryptsetup's command line."""

import msgspec

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Found


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of cryptsetup's ``actions`` that hash, and what these take by default.

    ``short`` and ``long`` are as `hashcost.apps.files.commands` takes them.
    """

    actions: frozenset[str]
    short: str
    long: dict[str, str]
    memory_kib: int
    parallelism: int

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The parameters that each call forces; without any, cryptsetup calibrates itself."""
        return tuple(one for call in commands(text, "cryptsetup") for one in self._of(call))

    def _of(self, call: Command) -> list[Found]:
        if self.actions.isdisjoint(call.words):
            return []
        given = dict(options(call, self.short, self.long))
        forced = given.get("T")
        is_first = (given.get("t") or "").lower() == "luks1"  # It has only PBKDF2.
        pbkdf = (given.get("f") or ("pbkdf2" if is_first else "argon2id")).lower()
        if forced is None or pbkdf not in {"argon2id", "argon2i", "pbkdf2"}:
            return []
        count = whole_number(forced, "--pbkdf-force-iterations", call.line)
        if pbkdf == "pbkdf2":
            hasher = f"pbkdf2-{(given.get('h') or 'sha256').lower()}"[:40]
            return [Found(hasher=hasher, params={"iterations": count}, line=call.line)]
        params = {
            "memory_kib": self.memory_kib,
            "time_cost": count,
            "parallelism": self.parallelism,
        }
        for letter, param in (("M", "memory_kib"), ("P", "parallelism")):
            written = given.get(letter)
            if written is not None:
                params[param] = whole_number(written, f"cryptsetup -{letter}", call.line)
        found = Found(hasher=pbkdf, params=params, line=call.line)
        if "M" not in given:
            found = found.because(f"no --pbkdf-memory: {self.memory_kib}, or half of the memory")
        if params["parallelism"] > 1:
            found = found.because(
                f"cryptsetup uses {params['parallelism']} threads, or as many as there are CPUs"
            )
        return [found]
