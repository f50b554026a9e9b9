"""Command lines in scripts, and the hashes that programs made: options with a cost."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from hashcost.apps.commands import Command, commands, options
from hashcost.apps.interface import App, Found
from hashcost.apps.text import in_order, uncommented, whole_number
from hashcost.core.errors import at_line
from hashcost.core.measurement import Params
from hashcost.core.text import joined
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read as read_hash

_METHOD: Final = re.compile(r"[a-z][a-z0-9_-]{1,30}")
_FIRST_WORDS: Final = 6
"""Most words before a subcommand."""
_HASH: Final = re.compile(r"(?:\$2[abxy]\$|\$argon2|grub\.pbkdf2\.)[^\s\"'`,;]+")


class Method(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A method of the program, and the options with its params.

    ``rest`` are the params of a call that has not all of them, if these are not the
    application's default. With a ``digest`` the option names the one of the hasher.
    """

    hasher: str
    counts: dict[str, str]
    rest: Params = {}
    digest: str = ""


class CommandLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls of a program, and of one of its ``subcommands`` if it has any.

    ``short`` and ``long`` are its options, as `hashcost.apps.commands` takes them.
    The ``methods`` are flags, or the words that the option ``method`` takes in any case;
    ``unnamed`` is the one without it. ``unfit`` are those that are not a password hash, with
    what they are; another method that is named is not known.
    ``zero_is_default`` says what a count of zero means, and ``not_with`` which options a
    call has that hashes nothing; it needs those of ``only_with``. ``length`` is the option
    with the bytes of PBKDF2's key, of which ``block`` take one block. ``hashes`` says that the
    hashes that it prints may be in the file.
    """

    programs: tuple[str, ...]
    subcommands: tuple[str, ...] = ()
    short: str
    long: dict[str, str] = {}
    method: str | None = None
    methods: dict[str, Method]
    unfit: dict[str, str] = {}
    unnamed: str | None = None
    zero_is_default: bool = False
    not_with: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    length: str = ""
    block: int = 1
    hashes: bool = False

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of each call, and of each hash."""
        calls = (call for program in self.programs for call in commands(text, program))
        costs = [cost for call in calls if (cost := self._cost(app, call)) is not None]
        return in_order([*costs, *(_of_hashes(text) if self.hashes else ())])

    def _cost(self, app: App, call: Command) -> Found | None:
        given = self._given(call)
        if (
            given is None
            or set(self.not_with) & given.keys()
            or set(self.only_with) - given.keys()
        ):
            return None
        name, program = self._named(given, called=call.called), self.programs[0]
        if name in self.unfit:
            what = self.unfit[name]
            return Found.unfit(what, call.line, f"{program} hashes with {what}")
        method = None if name is None else self.methods.get(name)
        if method is not None:
            return self._counted(app, method, given, call.line)
        if name is not None and _METHOD.fullmatch(name):
            why = f"{program} hashes with {name}, whose cost hashcost does not know"
            return Found.untold(call.line, why, name)
        if name is not None and "$" in name:
            return Found.untold(call.line, f"{name[:40]} is known only at run time")
        return None

    def _given(self, call: Command) -> dict[str, str | None] | None:
        """The options of a call, the last of each; `None` if it is of another subcommand."""
        if not self.subcommands:
            return dict(options(call, self.short, self.long))
        subcommand = next((w for w in call.words[:_FIRST_WORDS] if w in self.subcommands), None)
        if subcommand is None:
            return None
        at = call.words.index(subcommand)
        words = call.words if self.only_with else call.words[at + 1 :]
        return {"": None, **dict(options(Command(words, call.line), self.short, self.long))}

    def _named(self, given: Mapping[str, str | None], *, called: bool) -> str | None:
        """The method of a call; `None` if it is prose that has the program's name."""
        if not given:
            return self.unnamed if called else None
        if self.method is None:
            flags = [letter for letter in given if letter in (*self.methods, *self.unfit)]
            return flags[-1] if flags else self.unnamed
        word = given.get(self.method)
        return word.lower().partition(".")[0] if word else self.unnamed

    def _counted(
        self, app: App, method: Method, given: Mapping[str, str | None], line: int
    ) -> Found:
        hasher, program = method.hasher, self.programs[0]
        if method.digest:
            hasher = f"{hasher}-{(given.get(method.digest) or 'sha256').lower()}"[:40]
        params: dict[str, int] = {}
        why = ""
        for param, option in method.counts.items():
            written = given.get(option)
            if written is None:
                if param in method.rest:
                    params[param] = method.rest[param]
                    why = joined(why, f"no -{option.lstrip('-')}: {method.rest[param]}")
                continue
            asked = whole_number(written, f"{program} -{option.lstrip('-')}", line)
            params[param], changed = self._taken(app, hasher, param, asked, line)
            why = joined(why, changed)
        blocks = None
        if self.length:
            written = given.get(self.length)
            output = whole_number(written, f"-{self.length}", line) if written else self.block
            blocks = max(1, -(-output // self.block))
        if blocks and blocks > 1:
            why = joined(why, f"the key takes {blocks} blocks, which costs you and no attacker")
        return Found(hasher=hasher, params=params, line=line, why=why, blocks=blocks)

    def _taken(self, app: App, hasher: str, param: str, asked: int, line: int) -> tuple[int, str]:
        """The count that the program takes for one, and why that is another."""
        scheme, program = app.scheme(hasher), self.programs[0]
        limits = None if scheme is None else scheme.limits.get(param)
        if limits is None or not limits.enforced:
            return asked, ""
        taken = limits.nearest(asked)
        if not asked and self.zero_is_default:
            taken = app.usual(hasher)[param]
        elif taken != asked:
            words, is_useless = limits.consequence(asked)
            if is_useless:
                what = f"{param} {asked} is out of range for {program}: {words}"
                raise at_line(line, f"{what}; set {taken}, the nearest it accepts")
        return taken, "" if taken == asked else f"{program} takes {taken} for {asked}"


def _of_hashes(text: str) -> Iterator[Found]:
    for number, line in uncommented(text):
        for match in _HASH.finditer(line):
            reading = read_hash(match[0])
            if reading.kind is Kind.HASHED and reading.hasher:
                yield Found(
                    hasher=reading.hasher,
                    params=reading.params,
                    line=number,
                    why="the cost of a hash that is there",
                    stored=True,
                    blocks=reading.blocks if reading.blocks > 1 else None,
                )


class Patterns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Expressions for a cost on a line, with a group for each param, by the hasher.

    A param that is not given is the application's default.
    """

    hashers: dict[str, str]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost at each place that one of the expressions matches."""
        costs = []
        for number, line in uncommented(text):
            for hasher, mark in self.hashers.items():
                for match in re.finditer(mark, line):
                    params = {
                        param: whole_number(count, param, number)
                        for param, count in match.groupdict().items()
                        if count is not None
                    }
                    why = "" if params else "it has the default"
                    params = params or app.usual(hasher)
                    costs.append(Found(hasher=hasher, params=params, line=number, why=why))
        return tuple(costs)
