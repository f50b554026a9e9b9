"""GRUB: ``grub-mkpasswd-pbkdf2 -c N``, and the hashes of it in GRUB's configuration."""

import re

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import uncommented
from hashcost.apps.interface import App, Found, joined

_DIGEST_BYTES = 64

_PROGRAMS = ("grub-mkpasswd-pbkdf2", "grub2-mkpasswd-pbkdf2")
_LONG = {"iteration-count": "c:", "buflen": "l:", "salt": "s:"}
_STORED = re.compile(
    r"grub\.pbkdf2\.sha512\.(?P<count>[0-9]{1,18})\.[0-9A-Fa-f]+\.(?P<digest>[0-9A-Fa-f]+)"
)
_PLAIN = re.compile(r"\s*password\s+(?!=)[^\s=|;&]+\s+\S+\s*$")


def read(app: App, text: str) -> tuple[Found, ...]:
    """The count of each call, and of each hash that stands in the file."""
    default = app.newest("pbkdf2-sha512")["iterations"]
    found = [_of(call, default) for program in _PROGRAMS for call in commands(text, program)]
    found += [
        _found(int(match["count"]), number, len(match["digest"]) // 2)
        for number, line in uncommented(text)
        for match in _STORED.finditer(line)
    ]
    found += [
        Found.unfit("plain text", number, "`password` has the password itself")
        for number, line in uncommented(text)
        if _PLAIN.match(line)
    ]
    return tuple(sorted(found, key=lambda each: each.line))


def _of(call: Command, default: int) -> Found:
    given = dict(options(call, "c:l:s:", _LONG))
    written, length = given.get("c"), given.get("l")
    output = _DIGEST_BYTES if length is None else whole_number(length, "-l", call.line)
    if written is not None:
        return _found(whole_number(written, "-c", call.line), call.line, output)
    return _found(default, call.line, output, why=f"no -c: {default}")


def _found(count: int, line: int, output: int, *, why: str = "") -> Found:
    blocks = max(1, -(-output // _DIGEST_BYTES))
    if blocks > 1:
        why = joined(why, f"{output} bytes take {blocks} blocks, which costs you and no attacker")
    return Found(
        hasher="pbkdf2-sha512",
        params={"iterations": count},
        line=line,
        blocks=blocks,
        why=why,
    )
