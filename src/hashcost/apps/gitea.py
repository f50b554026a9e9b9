"""Gitea: ``PASSWORD_HASH_ALGO`` in ``app.ini``.

Read in go-gitea/gitea: modules/auth/password/hash/setting.go at 4bf7da92 (the aliases),
pbkdf2.go, scrypt.go, argon2.go and bcrypt.go (2026).
"""

from __future__ import annotations

from dataclasses import replace

from hashcost.apps.factors import GO
from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.ini_entries import Entry, entries
from hashcost.apps.interface import App, Default, Found, Limits, Scheme
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params

_KEY = "PASSWORD_HASH_ALGO"
_HASH = "go-gitea/gitea, modules/auth/password/hash"
_SETTING = f"{_HASH}/setting.go"
_EMPTY = "Go refuses it, the hash is empty and nobody can log in"
_DIGEST_BYTES = 32

_ALIASES = {
    "": "pbkdf2_v2",
    "pbkdf2": "pbkdf2_v2",
    "argon2": "argon2$2$65536$8$50",
    "bcrypt": "bcrypt$10",
    "scrypt": "scrypt$65536$16$2$50",
    "pbkdf2_v1": "pbkdf2$10000$50",
    "pbkdf2_v2": "pbkdf2$50000$50",
    "pbkdf2_hi": "pbkdf2$320000$50",
}
_FORMS = {
    "pbkdf2": ("pbkdf2-sha256", ("iterations", "key")),
    "bcrypt": ("bcrypt", ("cost",)),
    "scrypt": ("scrypt", ("n", "r", "p", "key")),
    "argon2": ("argon2id", ("time_cost", "memory_kib", "parallelism", "key")),
}
"""The hasher and the numbers behind its name, between dollar signs."""


def _write(specification: str) -> str:
    return f"[security]\n{_KEY} = {specification}\n"


def _write_pbkdf2(params: Params) -> str:
    return _write(f"pbkdf2${params['iterations']}${_DIGEST_BYTES}")


def _write_bcrypt(params: Params) -> str:
    return _write(f"bcrypt${params['cost']}")


def _write_scrypt(params: Params) -> str:
    return _write(f"scrypt${params['n']}${params['r']}${params['p']}${_DIGEST_BYTES}")


def _write_argon2(params: Params) -> str:
    return _write(
        f"argon2${params['time_cost']}${params['memory_kib']}${params['parallelism']}"
        f"${_DIGEST_BYTES}"
    )


def _found(entry: Entry) -> Found:
    written = entry.value.strip("`\"'")
    specification = written
    while specification in _ALIASES:
        specification = _ALIASES[specification]
    name, *numbers = specification.split("$")
    hasher, names = _FORMS.get(name, ("", ()))
    if not hasher or len(numbers) != len(names):
        shown = printable(written)[:40]
        raise UnreadableInputError(
            f"line {entry.line}: {_KEY} is {shown!r}, which Gitea does not know"
        )
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
    blocks = _blocks(key_bytes)
    if blocks == 1:
        return replace(found, blocks=1)
    why = (
        f"its key of {key_bytes} bytes takes {blocks} blocks, which costs you {blocks} times"
        f" and an attacker once; ${_DIGEST_BYTES} at the end takes one"
    )
    return replace(found, blocks=blocks, why="; ".join(filter(None, (found.why, why))))


def _blocks(key_bytes: int) -> int:
    """How many digests of SHA-256 a key takes."""
    return max(1, -(-key_bytes // _DIGEST_BYTES))


def _read(text: str) -> tuple[Found, ...]:
    found = [
        _found(each)
        for each in entries(text, folded=False, bare_keys=True)
        if each.section == "security" and each.name == _KEY
    ]
    chosen = last_wins(found, "the last one in [security] counts")
    return with_ranges(chosen, APP.schemes, APP.title)


def _defaults(params: Params, *, key_bytes: int = _DIGEST_BYTES) -> tuple[Default, ...]:
    blocks = _blocks(key_bytes)
    return (Default(since="1.19", params=params, source=_SETTING, blocks=blocks),)


APP = App(
    name="gitea",
    title="Gitea",
    schemes=(
        Scheme(
            hasher="pbkdf2-sha256",
            library="Go's x/crypto",
            timing=GO["pbkdf2-sha256"],
            keys={"iterations": f"[security] {_KEY} (pbkdf2$iterations$bytes)"},
            limits={"iterations": Limits(minimum=1, maximum=2**31 - 1)},
            write=_write_pbkdf2,
            defaults=_defaults({"iterations": 50_000}, key_bytes=50),
            note="the key has 32 bytes; the 50 of Gitea's own settings take two blocks, of which"
            " an attacker computes one",
        ),
        Scheme(
            hasher="bcrypt",
            library="Go's x/crypto",
            timing=GO["bcrypt"],
            keys={"cost": f"[security] {_KEY} (bcrypt$cost)"},
            limits={
                "cost": Limits(minimum=4, maximum=31, beyond="taken as 10", above=_EMPTY),
            },
            write=_write_bcrypt,
            defaults=_defaults({"cost": 10}),
        ),
        Scheme(
            hasher="scrypt",
            library="Go's x/crypto",
            timing=GO["scrypt"],
            keys={
                "n": f"[security] {_KEY} (scrypt$n$r$p$bytes)",
                "r": "its r",
                "p": "its p",
            },
            limits={
                "n": Limits(minimum=2, maximum=1 << 32, beyond=_EMPTY),
                "r": Limits(minimum=1, maximum=1 << 20, beyond=_EMPTY),
                "p": Limits(minimum=1, maximum=1 << 20, beyond=_EMPTY),
            },
            write=_write_scrypt,
            defaults=_defaults({"n": 65536, "r": 16, "p": 2}),
        ),
        Scheme(
            hasher="argon2id",
            library="Go's x/crypto",
            timing=GO["argon2id"],
            keys={
                "time_cost": f"[security] {_KEY} (argon2$time$KiB$threads$bytes)",
                "memory_kib": "its KiB",
                "parallelism": "its threads",
            },
            limits={
                "time_cost": Limits(minimum=1, maximum=2**32 - 1),
                "memory_kib": Limits(minimum=8, maximum=2**32 - 1, beyond="raised to 8 a thread"),
                "parallelism": Limits(minimum=1, maximum=255),
            },
            write=_write_argon2,
            defaults=_defaults({"time_cost": 2, "memory_kib": 65536, "parallelism": 8}),
        ),
    ),
    comment="; {}",
    read=_read,
    places=("custom/conf/app.ini", "/etc/gitea/app.ini", "/data/gitea/conf/app.ini"),
    rehashes="on login, whenever the specification differs",
    sources=(_SETTING, f"{_HASH}/pbkdf2.go"),
    note="GITEA__security__PASSWORD_HASH_ALGO in the environment overrides the file.",
)
