"""GRUB: ``grub-mkpasswd-pbkdf2 -c N``, and the hashes of it in GRUB's configuration."""

from __future__ import annotations

import re

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing
from hashcost.core.model import Params

_SOURCE = "rhboot/grub2, util/grub-mkpasswd-pbkdf2.c"
_TRIED = "tried with grub-mkpasswd-pbkdf2 2.06 (Debian 12)"
_DIGEST_BYTES = 64
_HIGHEST = 2**32 - 1

_PROGRAMS = ("grub-mkpasswd-pbkdf2", "grub2-mkpasswd-pbkdf2")
_LONG = {"iteration-count": "c:", "buflen": "l:", "salt": "s:"}
_STORED = re.compile(
    r"grub\.pbkdf2\.sha512\.(?P<count>[0-9]{1,18})\.[0-9A-Fa-f]+\.(?P<digest>[0-9A-Fa-f]+)"
)


def _write(params: Params) -> str:
    return f"grub-mkpasswd-pbkdf2 -c {params['iterations']} -l 64 -s 64\n"


def _read(text: str) -> tuple[Found, ...]:
    """The count of each call, and of each hash that stands in the file."""
    found = [_of(call) for program in _PROGRAMS for call in commands(text, program)]
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        found += [
            _found(int(match["count"]), number, len(match["digest"]) // 2)
            for match in _STORED.finditer(line)
        ]
    return tuple(sorted(found, key=lambda each: each.line))


def _of(call: Command) -> Found:
    given = dict(options(call, "c:l:s:", _LONG))
    written, length = given.get("c"), given.get("l")
    output = _DIGEST_BYTES if length is None else whole_number(length, "-l", call.line)
    if written is not None:
        return _found(whole_number(written, "-c", call.line), call.line, output)
    return _found(10000, call.line, output, why="no -c: 10000")


def _found(count: int, line: int, output: int, *, why: str = "") -> Found:
    reasons = [why]
    blocks = max(1, -(-output // _DIGEST_BYTES))
    if blocks > 1:
        reasons.append(f"{output} bytes take {blocks} blocks, which costs you and no attacker")
    return Found(
        hasher="pbkdf2-sha512",
        params={"iterations": count},
        line=line,
        blocks=blocks,
        why="; ".join(filter(None, reasons)),
    )


APP = App(
    name="grub",
    title="GRUB",
    schemes=(
        Scheme(
            hasher="pbkdf2-sha512",
            library="GRUB's own PBKDF2 and SHA-512",
            timing=Timing(
                implementation="hashlib",
                factor=3.4,
                source="measured 2026-11-20 with grub-mkpasswd-pbkdf2 2.06 at 20000, 50000 and"
                " 100000 iterations, medians of seven, Intel Xeon, beside OpenSSL 3.0.22: 3.45,"
                " 3.43 and 3.42; at boot GRUB runs it itself, at a speed that was not measured",
            ),
            keys={"iterations": "grub-mkpasswd-pbkdf2 -c"},
            limits={"iterations": Limits(minimum=1, maximum=_HIGHEST)},
            write=_write,
            defaults=(Default(since="", params={"iterations": 10000}, source=_SOURCE),),
            note="the firmware may leave the processor slower at boot than it is here",
        ),
    ),
    comment="# {}",
    read=_read,
    places=("/etc/grub.d/40_custom", "/boot/grub/grub.cfg", "/boot/grub2/user.cfg"),
    rehashes="never",
    sources=(_SOURCE, _TRIED),
)
