"""LUKS: ``--pbkdf`` and what goes with it on cryptsetup's command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcost.apps.factors import LIBARGON2
from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Found, Limits, Scheme, Timing, Write
from hashcost.core.model import Params

_CHECK = "mbroz/cryptsetup, lib/crypto_backend/pbkdf_check.c"
_TRIED = "tried with cryptsetup 2.6.1 (Debian 12)"
_CALIBRATES = (
    "cryptsetup calibrates itself, to --iter-time 2000, on the machine that formats; force the"
    " parameters where another one unlocks"
)
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


def _writer(pbkdf: str, words: Mapping[str, str]) -> Write:
    def write(params: Params) -> str:
        given = " ".join(f"--{option} {params[name]}" for name, option in words.items())
        return f'cryptsetup luksConvertKey --pbkdf {pbkdf} {given} "$DEVICE"\n'

    return write


def _read(text: str) -> tuple[Found, ...]:
    """The parameters that each call forces; none where cryptsetup calibrates itself."""
    return tuple(one for call in commands(text, "cryptsetup") for one in _of(call))


def _of(call: Command) -> list[Found]:
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
    memory = _number(given, "M", "--pbkdf-memory", call.line, 1_048_576)
    lanes = _number(given, "P", "--pbkdf-parallel", call.line, 4)
    why = [] if "M" in given else ["no --pbkdf-memory: 1048576, or half of the memory"]
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


def _pbkdf2(digest: str, blocks: int) -> Scheme:
    return Scheme(
        hasher=f"pbkdf2-{digest}",
        library="OpenSSL",
        timing=Timing(implementation="hashlib"),
        keys={"iterations": f"--pbkdf pbkdf2 --hash {digest} --pbkdf-force-iterations"},
        limits={"iterations": Limits(minimum=1000, maximum=2**31 - 1)},
        write=_writer(f"pbkdf2 --hash {digest}", {"iterations": "pbkdf-force-iterations"}),
        blocks=blocks,
        note=f"the key of aes-xts has 64 bytes; {_CALIBRATES}",
    )


APP = App(
    name="luks",
    title="LUKS",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="libargon2",
            timing=LIBARGON2,
            keys={
                "time_cost": "--pbkdf-force-iterations",
                "memory_kib": "--pbkdf-memory",
                "parallelism": "--pbkdf-parallel",
            },
            limits={
                "time_cost": Limits(minimum=4, maximum=2**32 - 1),
                "memory_kib": Limits(minimum=32, maximum=4_194_304),
                "parallelism": Limits(
                    minimum=1, maximum=4, beyond="cut to it, and to the CPUs there are,"
                ),
            },
            write=_writer(
                "argon2id",
                {
                    "time_cost": "pbkdf-force-iterations",
                    "memory_kib": "pbkdf-memory",
                    "parallelism": "pbkdf-parallel",
                },
            ),
            note=_CALIBRATES,
        ),
        _pbkdf2("sha512", 1),
        _pbkdf2("sha256", 2),
    ),
    comment="# {}",
    read=_read,
    places=("Makefile",),
    rehashes="never",
    sources=(_CHECK, "cryptsetup-luksFormat(8)", _TRIED),
    note="luksFormat and luksAddKey take the same options; DEVICE is the encrypted device",
)
