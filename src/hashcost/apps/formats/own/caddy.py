"""Caddy: ``caddy hash-password``, whose hash goes into the Caddyfile."""

import shlex
from collections.abc import Iterator, Sequence

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import uncommented
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UntoldError, at_line
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read as read_hash

_HASHES = ("$2a$", "$2b$", "$2y$", "$argon2id$")


def read(app: App, text: str) -> tuple[Found, ...]:
    """The costs of commands in a script, and of hashes in a Caddyfile or its JSON."""
    found = []
    for number, line in uncommented(text):
        words = _words(line, number) if "hash-password" in line else []
        if "hash-password" in words:
            found.append(_of_command(app, words, number))
        else:
            found += _of_hashes(line, number)
    return with_ranges(found, app)


def _words(line: str, number: int) -> list[str]:
    try:
        return shlex.split(line.rstrip("\\"), comments=True)
    except ValueError as error:
        raise at_line(number, f"no command: {str(error).lower()}") from error


def _of_command(app: App, words: Sequence[str], number: int) -> Found:
    flags: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, has_value, value = word.partition("=")
        flags[name] = value if has_value else following
    scheme = app.scheme(flags.get("--algorithm", flags.get("-a", "bcrypt")))
    if scheme is None:
        raise UntoldError(number, "Caddy has no such algorithm")
    params = {
        name: whole_number(flags[flag], flag, number)
        for name, flag in scheme.keys.items()
        if flag in flags
    }
    return Found(hasher=scheme.hasher, params=params, line=number)


def _of_hashes(line: str, number: int) -> Iterator[Found]:
    for word in line.replace('"', " ").split():
        reading = read_hash(word) if word.startswith(_HASHES) else None
        if reading is not None and reading.kind is Kind.HASHED and reading.hasher:
            why = "the cost of a hash that is there"
            yield Found(hasher=reading.hasher, params=reading.params, line=number, why=why)
