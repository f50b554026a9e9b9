"""One call, read by one rule: the cost that it sets, or why the file does not tell it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from hashcost.core.measurement import Params
from hashcost.source_code.project.elsewhere import Elsewhere
from hashcost.source_code.project.versions import is_before
from hashcost.source_code.rules import Param, Release, Rule, When, Where, Which
from hashcost.source_code.sites import Site
from hashcost.source_code.translation import without_brackets
from hashcost.source_code.values import (
    SPREAD,
    Call,
    Data,
    Function,
    Prefix,
    Unknown,
    Value,
    described,
    dotted,
    number_of,
)

_SALT: Final = re.compile(r"salt(?:_?a?sync)?\W*$", re.IGNORECASE)
_HIGHEST: Final = 2**62
_HIGHEST_LOG2: Final = 62


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A call that sets a cost; ``why`` says why the file does not tell which."""

    line: int
    call: str
    why: str = ""
    in_tests: bool = False
    path: Path = Path()
    """Of the file, where it is one of several."""
    library: str = field(default="", compare=False)
    """Whose call it is."""
    hasher: str = ""
    """Empty if that is not told either."""
    sets: str = field(default="", compare=False)
    """The setting of the whole project that it makes, if any."""
    follows: tuple[str, ...] = field(default=(), compare=False)
    """The settings of the project that decide what the call leaves out."""


@dataclass(frozen=True, kw_only=True)
class SetCost(Setting):
    """A cost that a file sets; ``why`` says what is not simply as it is written."""

    hasher: str
    params: Params
    told: tuple[str, ...] = field(default=(), compare=False)
    """The params that are written there; the others are defaults."""
    why_default: str = field(default="", compare=False)
    """The part of ``why`` that explains the defaults."""


@dataclass(frozen=True)
class Around:
    """What other calls of a file are given, by their names, and where the file is."""

    calls: Mapping[str, list[Data]]
    path: str
    elsewhere: Elsewhere | None

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the packages that the project uses, as far as its files tell."""
        return {} if self.elsewhere is None else self.elsewhere.versions(self.path)


class Untold(Exception):  # noqa: N818 - no error: the file does not say it
    """Why a cost is not known; ``follows`` are the settings of the project that tell it."""

    def __init__(self, why: str, follows: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.follows = follows


@dataclass(kw_only=True)
class _Given:
    """What a call gives: the params, which of them it tells itself, and what is to be said."""

    line: int
    params: Params = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Reading:
    """One form of a call, read by a rule."""

    call: Call
    site: Site
    rule: Rule
    around: Around

    def cost(self) -> SetCost | None:
        """The cost that is set; ``None`` if there is none."""
        rule = self.rule
        if rule.when is not None and not self._holds(rule.when):
            return None
        written = self._written()
        if written is None:
            return None
        defaults = self._defaults()
        given = _Given(line=self.site.line)
        for name, param in rule.params.items():
            value = written.get(name) or self._number(name, param)
            if value is not None:
                number = number_of(value.data)
                given.params[name] = _in_unit(param, 0 if number is None else number)
                given.notes += value.whys
                if self.site.is_whole and not given.told:
                    given.line = value.line
                given.told.append(name)
            elif name in defaults and not self._is_salt(param):
                given.params[name] = _in_unit(param, defaults[name])
        if not self._is_whole(given) or (self.site.verifies and not given.told):
            return None
        return SetCost(
            hasher=self._named_hasher(written),
            params=self._clamped(given),
            line=given.line,
            call=self.site.shown,
            library=rule.library,
            why="; ".join(dict.fromkeys(given.notes)),
            sets=rule.sets,
            follows=rule.follows,
            told=tuple(given.told),
            why_default=self._why if rule.why else "",
            in_tests=self.site.in_tests,
        )

    def _is_whole(self, given: _Given) -> bool:
        """Whether it is a cost; none if nothing that is about one is given."""
        rule = self.rule
        missing = [name for name in rule.params if name not in given.params]
        if missing and given.told:
            raise Untold(f"{' and '.join(missing)} not given")
        if missing or (self.site.is_class and not given.told):
            if rule.decides:
                raise Untold(rule.decides, rule.follows)
            return False
        left = [name for name in given.params if name not in given.told]
        if left and rule.why:
            given.notes.append(f"{' and '.join(left)}: {self._why}" if given.told else self._why)
        given.notes += [rule.note] if rule.note else []
        return True

    def _clamped(self, given: _Given) -> Params:
        """The params as the library takes them."""
        params = dict(given.params)
        for name, number in given.params.items():
            clamp = next((each for each in self.rule.clamp if number < each.below), None)
            if clamp is not None:
                params[name] = clamp.becomes
                given.notes.append(f"{number} is written, and {clamp.why}")
        return params

    def _named_hasher(self, written: Mapping[str, Value]) -> str:
        rule, release = self.rule, self._release
        if rule.which is None:
            return rule.hasher or ""
        if release is not None and release.hasher and not self._arguments(rule.which):
            return release.hasher
        return self._hasher(rule.which, written.get("which"))

    @cached_property
    def _release(self) -> Release | None:
        """What the installed version has by default, where it differs from the newest."""
        for each in self.rule.releases:
            version = self.around.versions.get(each.package)
            if version is None:
                continue
            if (each.below and is_before(version, each.below)) or (
                each.since and not is_before(version, each.since)
            ):
                return each
        return None

    @property
    def _why(self) -> str:
        """Why the defaults are what they are."""
        known = [
            f"{each.package} {self.around.versions[each.package]}"
            for each in self.rule.releases
            if each.package in self.around.versions
        ]
        return f"the default of {known[0]}" if known else self.rule.why

    def _defaults(self) -> Params:
        """The params that count where they are left out."""
        found = {
            name: each.default
            for name, each in self.rule.params.items()
            if each.default is not None
        }
        return found | self._preset() | ({} if self._release is None else self._release.params)

    def _preset(self) -> Params:
        """The params of options that are known by their name."""
        for position in self.rule.options if self.rule.presets else ():
            given = self.call.argument("options", position)
            name = "" if given is None else text_of(given.data).lower()
            for preset, params in self.rule.presets.items():
                if name == preset or name.endswith(f".{preset}"):
                    return params
        return {}

    def _written(self) -> Mapping[str, Value] | None:
        """The numbers in a text, by param; ``None`` if the text is about something else."""
        text = self.rule.text
        if text is None:
            return {}
        found = next(iter(self._arguments(text)), None)
        written = None if found is None else found.data
        if written is None:
            release = self._release
            written = text.default if release is None else release.text or text.default
        if isinstance(written, Prefix):
            written = written.text
        if not isinstance(written, str):
            if written is None and self.rule.decides:
                raise Untold(self.rule.decides, self.rule.follows)
            if text.only or written is None:
                return None
            raise Untold(f"its method is {described(written)}")
        match = re.match(text.pattern, written)
        if match is None:
            return None
        line, whys = (self.call.line, ()) if found is None else (found.line, found.whys)
        return {
            name: Value(part if name == "which" else int(part, text.base), line, whys)
            for name, part in match.groupdict().items()
            if part
        }

    def _number(self, name: str, param: Param) -> Value | None:
        """The number that a param is given; ``None`` if it is left out."""
        values = [*self.call.arguments] if self.site.assigns else self._arguments(param)
        for value in values:
            number = number_of(value.data)
            if number is not None and 0 <= number < _HIGHEST:
                return value
        if values and self._is_salt(param):
            return None
        left_out = values and (
            isinstance(values[0].data, Function)
            or (values[0].data is None and (param.none or param.default is None))
        )
        if values and not left_out:
            raise Untold(f"{name} is {described(values[0].data)}")
        if not values and not self.call.whole:
            raise Untold("its arguments are put together elsewhere")
        return None

    def _is_salt(self, param: Param) -> bool:
        """Whether a salt that was made elsewhere, with a cost of its own, stands there."""
        values = self._arguments(param) if param.salts else []
        return bool(values) and bool(_SALT.search(described(values[0].data).rstrip("(.)")))

    def _arguments(self, where: Where) -> list[Value]:
        """What may hold what is asked for, the likeliest first."""
        named = self._named(where)
        for position in () if named else self.rule.options:
            found = self._option(where.names, position)
            if found is not None:
                return [found]
        return named[:1] or self._at(where)

    def _named(self, where: Where) -> list[Value]:
        return [self.call.keywords[name] for name in where.names if name in self.call.keywords]

    def _at(self, where: Where) -> list[Value]:
        return [each for at in where.at for each in self.call.arguments[at : at + 1]]

    def _option(self, names: Sequence[str], position: int) -> Value | None:
        """The value of an option, in the mapping that stands at a position."""
        given = self.call.argument("options", position)
        if given is None or not names:
            return None
        data = given.data
        if self.rule.inside and isinstance(data, dict):
            data = data[self.rule.inside].data if self.rule.inside in data else None
        options = data.sets if isinstance(data, Function) and self.rule.deep else data
        if isinstance(options, dict):
            found = next((options[name] for name in options if name in names), None)
            if found is None and SPREAD in options:
                raise Untold(f"its options are {described(options[SPREAD].data)}")
            return found
        if self.rule.deep or data is None or isinstance(data, Function | int) or self._preset():
            return None
        raise Untold(f"its options are {described(data)}")

    def _holds(self, when: When) -> bool:
        values = [*self._named(when), *self._at(when)][:1]
        for position in self.rule.options:
            given = self.call.argument("options", position)
            if given is not None and isinstance(given.data, dict):
                values += [given.data[name] for name in when.names if name in given.data]
        return any(_word(text_of(each.data), when.values) for each in values)

    def _hasher(self, which: Which, written: Value | None = None) -> str:
        """The hasher that a word among the arguments names, or one in a text."""
        if written is not None:
            given = [written.data]
        elif which.near is not None:
            given = self.around.calls[which.near]
        elif which.generic:
            given = [Unknown(self.site.generic)] if self.site.generic else []
        else:
            given = [each.data for each in self._arguments(which)[:1]]
        if not given and which.default is not None:
            given = [which.default]
        found = {which.values.get(_word(text_of(data), tuple(which.values))) for data in given}
        hasher = found.pop() if len(found) == 1 else None
        if hasher is None:
            shown = ", ".join(sorted({described(data)[:40] for data in given}))
            raise Untold(f"its algorithm is {shown}" if shown else "its algorithm is unknown")
        return hasher


def text_of(data: Data) -> str:
    """Data as a word may stand for it."""
    if isinstance(data, Unknown):
        return data.text
    if isinstance(data, Call):
        return data.function
    if isinstance(data, dict) and "name" in data:
        return text_of(data["name"].data)
    if isinstance(data, tuple):
        return text_of(data[0].data) if data else ""
    return "null" if data is None else dotted(data) or str(data)


def _word(text: str, known: tuple[str, ...]) -> str:
    """The one of several words that a text is, or ends in; empty if it is none of them."""
    plain = without_brackets(text).lower()
    if plain in known:
        return plain
    last = re.split(r"\.|::|\\", plain)[-1]
    return last if last in known else ""


def _in_unit(param: Param, number: int) -> int:
    if param.unit == "count":
        return number
    if param.unit == "bytes":
        return number // 1024
    if param.unit == "exponent":
        return max(0, number.bit_length() - 1)
    if number > _HIGHEST_LOG2:
        raise Untold(f"it is 2 to the power of {number}")
    return 1 << number
