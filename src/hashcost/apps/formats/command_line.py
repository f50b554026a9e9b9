"""Command lines in scripts: the option with the cost that a program is given."""

import re
from dataclasses import replace

import msgspec

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Found, Scheme
from hashcost.core.errors import at_line


class Method(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A method of the program, and the letter of the option with its ``count``."""

    hasher: str
    count: str


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls of a ``program``, and of its ``subcommand`` if it has any.

    ``short`` and ``long`` are its options, as `hashcost.apps.files.commands` takes them.
    The ``methods`` are flags, or the words that the option ``method`` takes in any case;
    ``unnamed`` is the one without it. ``unfit`` are those that are no password hash, with
    what they are; another method that is named is not known.
    ``zero_is_default`` says what a count of zero means, and ``not_with`` which options a
    call has that hashes nothing.
    """

    program: str
    subcommand: str = ""
    short: str
    long: dict[str, str] = {}
    method: str | None = None
    methods: dict[str, Method]
    unfit: dict[str, str] = {}
    unnamed: str | None = None
    zero_is_default: bool = False
    not_with: tuple[str, ...] = ()

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """What each call hashes with."""
        found = (self._cost(app, call) for call in commands(text, self.program))
        return tuple(each for each in found if each is not None)

    def _cost(self, app: App, call: Command) -> Found | None:
        if self.subcommand and self.subcommand not in call.words[:_FIRST_WORDS]:
            return None
        given = self._given(call)
        if set(self.not_with) & {each for each, _ in given}:
            return None
        name = self._named(given, called=call.called)
        if name in self.unfit:
            return self._without_cost(call, self.unfit[name])
        method = None if name is None else self.methods.get(name)
        scheme = None if method is None else app.scheme(method.hasher)
        if name is not None and method is None and _METHOD.fullmatch(name):
            why = f"{self.program} hashes with {name}, whose cost hashcost does not know"
            return Found.untold(call.line, why, name)
        if name is not None and "$" in name:
            return Found.untold(call.line, f"{name[:40]} is known only at run time")
        if method is None or scheme is None:
            return None
        counts = [value for letter, value in given if letter == method.count]
        return self._counted(scheme, method.count, counts[-1] if counts else None, call.line)

    def _given(self, call: Command) -> list[tuple[str, str | None]]:
        words = call.words
        if self.subcommand:
            words = words[words.index(self.subcommand) + 1 :]
            return [("", None), *options(Command(words, call.line), self.short, self.long)]
        return list(options(call, self.short, self.long))

    def _without_cost(self, call: Command, named: str) -> Found:
        return Found.unfit(named, call.line, f"{self.program} hashes with {named}")

    def _named(self, given: list[tuple[str, str | None]], *, called: bool) -> str | None:
        """The method of a call; `None` if it is prose that has the program's name."""
        if not given:
            return self.unnamed if called else None
        if self.method is None:
            flags = [letter for letter, _ in given if letter in (*self.methods, *self.unfit)]
            return flags[-1] if flags else self.unnamed
        words = [value for letter, value in given if letter == self.method and value]
        return words[-1].lower().partition(".")[0] if words else self.unnamed

    def _counted(self, scheme: Scheme, letter: str, written: str | None, line: int) -> Found:
        ((param, limits),) = scheme.limits.items()
        default = scheme.defaults[-1].params
        if written is None:
            why = f"no -{letter}: {default[param]}"
            return Found(hasher=scheme.hasher, params=default, line=line, why=why)
        called = " ".join(filter(None, (self.program, self.subcommand)))
        asked = whole_number(written, f"{called} -{letter}", line)
        held = limits.nearest(asked)
        if not asked and self.zero_is_default:
            held = default[param]
        elif held != asked:
            beyond = limits.above if limits.above and asked > limits.maximum else limits.beyond
            if beyond.startswith("refused"):
                raise at_line(
                    line, f"{called} refuses -{letter} {asked}; the nearest it takes is {held}"
                )
        found = Found(hasher=scheme.hasher, params={param: held}, line=line)
        if held == asked:
            return found
        why = f"{self.program} takes {held} for it"
        return replace(found, why=why, written=f"-{letter} {asked}")


_METHOD = re.compile(r"[a-z][a-z0-9_-]{1,30}")
_FIRST_WORDS = 6
"""How many words may stand before a subcommand."""
