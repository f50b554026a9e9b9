"""Command lines in scripts, and the hashes that programs made: options with a cost."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hashcost.apps.commands import Command, commands, options
from hashcost.apps.containers import Variable, begins_containers, settings_of_containers
from hashcost.apps.facts import Facts
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.text import blocks_of, costs_apart, uncommented, whole_number
from hashcost.core.errors import at_line
from hashcost.core.measurement import Params
from hashcost.core.text import joined
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read as read_hash

_METHOD: Final = re.compile(r"[a-z][a-z0-9_-]{1,30}")
_FIRST_WORDS: Final = 6
"""Most words before a subcommand."""
_SUBCOMMAND: Final = ""
"""Stands among the options of a call for its subcommand."""
_HASH: Final = re.compile(r"(?:\$2[abxy]\$|\$argon2|grub\.pbkdf2\.)[^\s\"'`,;]+")


class Method(Facts, frozen=True):
    """A method of the program, and the options with its params.

    ``rest`` are the params of a call that has not all of them, if these are not the
    application's default. With a ``digest`` the option names the one of the hasher.
    """

    hasher: str
    counts: dict[str, str]
    rest: Params = {}
    digest: str = ""


class Calibrated(Facts, frozen=True):
    """How a program sets a cost itself, so that it takes a time on the machine that it runs on.

    The option ``milliseconds``, which is ``shown`` so, has the time, or else it is the ``usual``
    one; the ``cure`` is what to do.
    """

    milliseconds: str
    shown: str
    usual: str
    cure: str


class CommandLine(Facts, frozen=True, kw_only=True):
    """Calls of a program, and of one of its ``subcommands`` if it has any.

    ``short`` and ``long`` are its options, as `hashcost.apps.commands` takes them.
    The ``methods`` are flags, or the words that the option ``method`` takes in any case;
    ``unnamed`` is the one without it, and ``flags`` stand for such words. ``unfit`` are those
    that are not a password hash, with what they are; another method that is named is not known.
    If ``short`` has ``all_options``, a call with another, or with no word, is not the program's.
    ``zero_is_default`` says what a count of zero means, and ``not_with`` which options a
    call has that hashes nothing; it needs those of ``only_with``, without which the program has
    ``calibrated`` the cost. What the option ``kind`` names decides the method if it is in
    ``of_kind``. ``length`` is the option
    with the bytes of PBKDF2's key, of which ``block`` take one block. ``hashes`` says that the
    hashes that it prints may be in the file.
    """

    programs: tuple[str, ...]
    subcommands: tuple[str, ...] = ()
    short: str
    long: dict[str, str] = {}
    method: str | None = None
    methods: dict[str, Method]
    flags: dict[str, str] = {}
    unfit: dict[str, str] = {}
    unnamed: str = ""
    all_options: bool = False
    zero_is_default: bool = False
    not_with: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    calibrated: Calibrated | None = None
    kind: str = ""
    of_kind: dict[str, str] = {}
    length: str = ""
    block: int = 1
    hashes: bool = False

    def read(self, app: App, text: str) -> Costs:
        """The cost of each call, and of each hash."""
        for program in self.programs:
            yield from costs_apart(lambda call: self._costs(app, call), commands(text, program))
        if self.hashes:
            yield from _of_hashes(text)

    def _costs(self, app: App, call: Command) -> Costs:
        """The cost of a call; none if it hashes nothing, or is prose."""
        if self.all_options and not self._is_its_own(call):
            return
        given = self._given(call)
        hashes_nothing = not given.keys().isdisjoint(self.not_with)
        lacks_an_option = not given.keys() >= set(self.only_with)
        if hashes_nothing:
            return
        if lacks_an_option:
            if self.calibrated is not None and given and call.called:
                yield self._calibrated(self.calibrated, given, call.line)
            return
        name = self._method_of(given, called=call.called)
        program = self.programs[0]
        if name in self.unfit:
            what = self.unfit[name]
            yield Found.unfit(what, call.line, f"{program} hashes with {what}")
        elif name in self.methods:
            yield self._counted(app, self.methods[name], given, call.line)
        # Anything but a word is prose in which the program is mentioned.
        elif _METHOD.fullmatch(name):
            why = f"{program} is given the method {name}, which hashcost does not know"
            first = next(iter(self.methods))
            cure = f"name one such as {first}, or pass a hash of it to `calibrate explain`"
            yield Found.undetermined(call.line, why, name, cure)
        elif "$" in name:
            yield Found.undetermined(call.line, f"{name[:40]} is known only at run time")

    def _is_its_own(self, call: Command) -> bool:
        """Tell whether a call is the program's: an image, for one, may have its name."""
        if any(word.startswith("--") and len(word) > 2 for word in call.words):
            return False
        letters = [letter for letter, _ in options(call.words, self.short, {})]
        return bool(call.words) and all(letter in self.short for letter in letters)

    def _given(self, call: Command) -> dict[str, str | None]:
        """The options of a call, the last of each; empty if it is of another subcommand."""
        if not self.subcommands:
            return dict(options(call.words, self.short, self.long))
        for index, word in enumerate(call.words[:_FIRST_WORDS]):
            if word in self.subcommands:
                words = call.words
                # The options that it needs may stand before the subcommand.
                if not self.only_with:
                    words = words[index + 1 :]
                given = dict(options(words, self.short, self.long))
                return {_SUBCOMMAND: None, **given}
        return {}

    def _method_of(self, given: Mapping[str, str | None], *, called: bool) -> str:
        """The method of a call; empty if it is prose that has the program's name."""
        if not given and (self.subcommands or not called):
            return ""
        kind = given.get(self.kind) or ""
        if kind in self.of_kind:
            return self.of_kind[kind]
        if self.method is None:
            name = self.unnamed
            # The last flag overrides the ones before it.
            for letter in given:
                if letter in self.methods or letter in self.unfit:
                    name = letter
            return name
        word = self.unnamed
        # The last one counts here, too.
        for option, named in given.items():
            word = self.flags.get(option, word)
            if option == self.method and named:
                word = named
        # Dovecot's names may end in an encoding, as SHA512-CRYPT.b64.
        return word.lower().partition(".")[0]

    def _calibrated(self, how: Calibrated, given: Mapping[str, str | None], line: int) -> Found:
        """Say that the program sets the cost, and by which time."""
        written = given.get(how.milliseconds) or how.usual
        takes = f"{written} ms"
        # A script fills it in.
        if not written.isdecimal():
            takes = f"the milliseconds of {how.shown}"
        why = (
            f"{self.programs[0]} sets the cost itself, so that a hash takes {takes} on the"
            " machine that runs it; another machine takes another time"
        )
        return Found.undetermined(line, why, cure=how.cure)

    def _counted(
        self, app: App, method: Method, given: Mapping[str, str | None], line: int
    ) -> Found:
        hasher = method.hasher
        program = self.programs[0]
        if method.digest:
            digest = given.get(method.digest) or "sha256"
            # It is shown in a message, and a script may have any text there.
            hasher = f"{hasher}-{digest.lower()}"[:40]
        params = {}
        whys = []
        for param, option in method.counts.items():
            written = given.get(option)
            letter = option.lstrip("-")
            flag = f"-{letter}"
            if written is not None:
                asked = whole_number(written, f"{program} {flag}", line)
                taken = self._taken(app, hasher, param, asked, line)
                params[param] = taken
                if taken != asked:
                    whys.append(f"{program} takes {taken} for {asked}")
            elif param in method.rest:
                params[param] = method.rest[param]
                whys.append(f"no {flag}: {method.rest[param]}")
        blocks = None
        if self.length:
            written = given.get(self.length) or str(self.block)
            blocks = blocks_of(whole_number(written, f"-{self.length}", line), self.block)
            if blocks > 1:
                whys.append(f"the key takes {blocks} blocks, which costs you and no attacker")
        why = joined(*whys)
        return Found(hasher=hasher, params=params, line=line, why=why, blocks=blocks)

    def _taken(self, app: App, hasher: str, param: str, asked: int, line: int) -> int:
        """The count that the program takes for one that it is asked for.

        Raises:
            UnreadableInputError: it takes none.
        """
        scheme = app.scheme(hasher)
        if scheme is None or param not in scheme.limits:
            return asked
        limits = scheme.limits[param]
        if not limits.enforced:
            return asked
        if not asked and self.zero_is_default:
            return app.usual(hasher)[param]
        taken = limits.nearest(asked)
        if taken != asked:
            words, is_useless = limits.consequence(asked)
            if is_useless:
                misfit = limits.misfit(asked)
                what = f"{param} {asked} {misfit} for {self.programs[0]}: {words}"
                raise at_line(line, f"{what}; set {taken}, the nearest it accepts")
        return taken


def _of_hashes(text: str) -> Costs:
    for number, line in uncommented(text):
        for match in _HASH.finditer(line):
            yield from of_hash(match[0], number)


def of_hash(text: str, line: int) -> Costs:
    """Read the cost of a stored hash, if the text is one and has a cost."""
    reading = read_hash(text)
    if reading.kind is not Kind.HASHED or not reading.hasher:
        return
    blocks = None
    if reading.blocks > 1:
        blocks = reading.blocks
    yield Found(
        hasher=reading.hasher,
        params=reading.params,
        line=line,
        why="the cost of a hash that is there",
        stored=True,
        blocks=blocks,
    )


class Patterns(Facts, frozen=True):
    """Expressions for a cost on a line, with a group for each param, by the hasher.

    A param that is not given is the application's default.
    """

    hashers: dict[str, str]

    def read(self, app: App, text: str) -> Costs:
        """The cost at each place that one of the expressions matches."""

        def of_match(place: tuple[int, str, re.Match[str]]) -> Costs:
            number, hasher, match = place
            params = {}
            for param, count in match.groupdict().items():
                if count is not None:
                    params[param] = whole_number(count, param, number)
            why = ""
            if not params:
                params = app.usual(hasher)
                why = "it has the default"
            yield Found(hasher=hasher, params=params, line=number, why=why)

        return costs_apart(of_match, self._matches(text))

    def _matches(self, text: str) -> Iterator[tuple[int, str, re.Match[str]]]:
        """Each match of an expression, with its line and its hasher."""
        settings: list[Variable] = []
        if begins_containers(text) is not None:
            settings = settings_of_containers(text)
        read = set()
        # The words of a command may be the items of a list, an option and its value on two lines.
        for number, hasher, match in self._on_lines(_assigned(settings)):
            read.add((number, hasher))
            yield number, hasher, match
        for number, hasher, match in self._on_lines(uncommented(text)):
            if (number, hasher) not in read:
                yield number, hasher, match

    def _on_lines(
        self, lines: Iterable[tuple[int, str]]
    ) -> Iterator[tuple[int, str, re.Match[str]]]:
        for number, line in lines:
            for hasher, mark in self.hashers.items():
                for match in re.finditer(mark, line):
                    yield number, hasher, match


def _assigned(settings: Iterable[Variable]) -> Iterator[tuple[int, str]]:
    """Write each setting on a line of its own."""
    for setting in settings:
        yield setting.line, f"{setting.name}={setting.value}"
