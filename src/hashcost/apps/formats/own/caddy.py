"""Caddy: ``caddy hash-password``, whose hash goes into the Caddyfile."""

from collections.abc import Iterator

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import uncommented
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UntoldError
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read as read_hash

_HASHES = ("$2a$", "$2b$", "$2y$", "$argon2id$")
_FLAGS = (
    *("--algorithm", "--plaintext", "--bcrypt-cost"),
    *("--argon2id-time", "--argon2id-memory", "--argon2id-threads", "--argon2id-keylen"),
)


def read(app: App, text: str) -> tuple[Found, ...]:
    """The costs of commands in a script, and of hashes in a Caddyfile or its JSON."""
    found = [one for number, line in uncommented(text) for one in _of_hashes(line, number)]
    found += [
        _of_command(app, call)
        for call in commands(text, "caddy")
        if call.words[:1] == ("hash-password",)
    ]
    return with_ranges(found, app)


def _of_command(app: App, call: Command) -> Found:
    number = call.line
    known = {flag.removeprefix("--"): f"{flag}:" for flag in _FLAGS}
    flags = {name: value or "" for name, value in options(call, "a:p:", known)}
    scheme = app.scheme(flags.get("--algorithm", flags.get("a", "bcrypt")))
    if scheme is None:
        raise UntoldError(number, "Caddy does not know this algorithm")
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
