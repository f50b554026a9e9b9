"""Gitea: ``PASSWORD_HASH_ALGO`` in ``app.ini``."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.ini_entries import entries
from hashcost.apps.files.lines import Entry
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

_KEY = "PASSWORD_HASH_ALGO"
_DIGEST_BYTES = 32

_FORMS = {
    "pbkdf2": ("pbkdf2-sha256", ("iterations", "key")),
    "bcrypt": ("bcrypt", ("cost",)),
    "scrypt": ("scrypt", ("n", "r", "p", "key")),
    "argon2": ("argon2id", ("time_cost", "memory_kib", "parallelism", "key")),
}
"""The hasher and the numbers behind its name, between dollar signs."""


def _found(entry: Entry, aliases: Mapping[str, str]) -> Found:
    written = entry.value.strip("`\"'")
    specification = written
    while specification in aliases:
        specification = aliases[specification]
    name, *numbers = specification.split("$")
    hasher, names = _FORMS.get(name, ("", ()))
    if not hasher or len(numbers) != len(names):
        shown = printable(written)[:40]
        raise UntoldError(entry.line, f"{_KEY} is {shown!r}, which Gitea does not know")
    params = {
        param: whole_number(number, _KEY, entry.line)
        for param, number in zip(names, numbers, strict=True)
    }
    key_bytes = params.pop("key", 0)
    found = Found(hasher=hasher, params=params, line=entry.line)
    if written != specification:
        found = replace(found, written=written or "nothing", why=f"stands for {specification}")
    if name != "pbkdf2":
        return found
    blocks = max(1, -(-key_bytes // _DIGEST_BYTES))
    why = (
        ""
        if blocks == 1
        else (
            f"its key of {key_bytes} bytes takes {blocks} blocks, which costs you {blocks} times"
            f" and an attacker once; ${_DIGEST_BYTES} at the end takes one"
        )
    )
    return replace(found, blocks=blocks).because(why)


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``aliases`` are names of whole specifications, or of other names."""

    aliases: dict[str, str]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the file sets."""
        found = [
            _found(each, self.aliases)
            for each in entries(text, folded=False, bare_keys=True)
            if each.section == "security" and each.name == _KEY
        ]
        chosen = last_wins(found, "the last one in [security] counts")
        return with_ranges(chosen, app)
