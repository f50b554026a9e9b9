"""One call, read by one rule: the cost that it sets, or why the file does not tell it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hashcost.core.measurement import Params
from hashcost.core.text import joined, printable
from hashcost.core.units import format_setting, parse_release
from hashcost.source_code.costs import SetCost, Setting, Unresolved
from hashcost.source_code.derived_keys import may_make_key
from hashcost.source_code.names import excerpt, is_of_settings, type_argument
from hashcost.source_code.reading.arguments import GivenArguments, hasher_named, text_of, word_of
from hashcost.source_code.reading.beside_cost import BesideCost
from hashcost.source_code.reading.hashed import Hashed
from hashcost.source_code.reading.salts import (
    cost_in_salt,
    is_salt,
    is_salt_of_settings,
    may_be_salt,
    names_method,
)
from hashcost.source_code.rules import (
    ArgumentPlace,
    Clamp,
    Param,
    Release,
    Rule,
    Text,
    When,
    Which,
    last_word,
)
from hashcost.source_code.sites import Site
from hashcost.source_code.values import (
    LARGEST_BITS,
    Call,
    Data,
    Function,
    Prefix,
    Unknown,
    Unset,
    Value,
    described,
    in_one,
    is_resolved,
    number_of,
    variable_of,
)
from hashcost.source_code.versions import Pin


def _may_derive_keys(hasher: str) -> bool:
    """Tell whether a hasher, or one that is unknown, makes keys for encryption, too."""
    return not hasher or hasher.startswith(("pbkdf2", "scrypt", "argon2"))


@dataclass(frozen=True)
class CallReading:
    """A call, read by a rule.

    ``near`` holds the first arguments of other calls of the file, by the names of these and by
    their text; ``pins`` are those of the packages that the project uses, and ``makers`` the names
    of all calls that have a row. ``replaced`` names the files whose classes implement interfaces.
    A call ``is_decided`` if the project has a file of settings for it. The manifest that it is
    ``without`` names no package of the rule.
    """

    site: Site
    rule: Rule
    near: Mapping[str, Mapping[str, Value]]
    pins: Mapping[str, Pin]
    makers: frozenset[str]
    replaced: Mapping[str, str] = field(default_factory=dict)
    is_decided: bool = field(default=False, kw_only=True)
    without: str = field(default="", kw_only=True)

    def setting(self) -> Setting | None:
        """Read the cost that the call sets, or why it is unknown; ``None`` if it sets none."""
        rule = self.rule
        site = self.site
        if rule.first_in and site.behind.endswith(rule.first_in):
            return None
        if rule.arity and len(site.call.arguments) not in rule.arity:
            return None
        if any(name in site.call.keywords for name in rule.unless):
            return None
        if rule.given and not self._is_given(rule.given):
            return None
        if rule.typed and not self._has_type_arguments:
            return None
        if rule.hashed is not None and self._leaves_out(rule.hashed):
            return None
        if any(map(self._has_own_row, self._given.options)):
            return None
        unread = Setting(
            line=site.line,
            call=excerpt(site.name),
            in_tests=site.in_tests,
            library=rule.library,
            sets=rule.sets or _class(site.defines),
            follows=rule.follows,
            replaces=rule.replaces,
            ignores=rule.ignores,
            is_dummy=site.makes_dummy,
        )
        if site.makes_no_hash or self._hashed.is_no_password:
            return replace(unread, is_of_no_password=True)
        setting = self._read(unread)
        # A client that derived a key makes one more iteration for what it shows to the server.
        if isinstance(setting, SetCost) and setting.params == {"iterations": 1}:
            if self._hashed.is_derived_key:
                return None
            # A hasher of passwords that is set up takes no key.
            is_call = not (rule.sets or site.assigns or site.is_whole)
            setting = replace(setting, may_be_step=is_call and not self._hashed.is_called_password)
        # What goes into a cipher is no key if only password hashers make it, such as bcrypt: it
        # is a hash that is encrypted where it is stored.
        makes_key = site.makes_key or self._hashed.is_key
        if makes_key and setting is not None:
            # A digest that a library repeats is a poor hash, and makes keys as well.
            may_be_key = bool(rule.unfit) or _may_derive_keys(setting.hasher)
            return replace(setting, is_key=may_be_key)
        return setting

    @cached_property
    def _given(self) -> GivenArguments:
        return GivenArguments(self.site.call, self.rule)

    @cached_property
    def _hashed(self) -> Hashed:
        return Hashed(self.site, self.rule)

    @property
    def _has_type_arguments(self) -> bool:
        """Whether the name of the call ends in angle brackets: ``AddIdentity<User, Role>``."""
        return bool(type_argument(" ".join(self.site.name.split())))

    def _is_given(self, names: Sequence[str]) -> bool:
        """Tell whether the first argument is, or is made by a call of, one of these names."""
        if not self.site.call.arguments:
            return False
        first = self.site.call.arguments[0].data
        return self.site.first in names or text_of(first) in names

    def _leaves_out(self, where: ArgumentPlace) -> bool:
        """Tell whether an argument is known not to be given, or to be nothing or false."""
        value = self._given.value(where)
        if value is None:
            return self.site.call.whole
        # A default of nothing is what nobody passes who has a password.
        return (value.data is None or value.data is False) and not value.whys

    def _read(self, setting: Setting) -> Setting | None:
        """Complete the setting of a call with its cost, or the reason why that is unknown."""
        rule = self.rule
        try:
            if rule.unfit:
                return self._unfit(setting)
            return self._cost(setting)
        except Unresolved as unresolved:
            # The cost is that of the hash that it is compared with.
            if self.site.helps_verify:
                return None
            hasher = unresolved.hasher
            if hasher is None:
                hasher = self._hasher_without_cost()
            return replace(setting, why=str(unresolved), hasher=hasher, follows=unresolved.follows)

    def _hasher_without_cost(self) -> str:
        """Name the algorithm of a call whose cost is unknown; empty if that is unknown, too."""
        # A text names the algorithm together with the cost.
        if self.rule.text is not None:
            return self.rule.hasher or ""
        try:
            return self._hasher({})
        except Unresolved:
            return self._hasher_in_place()

    def _hasher_in_place(self) -> str:
        """Name the algorithm in its place, whatever the options are; empty without one."""
        which = self.rule.which
        if which is None:
            return ""
        value = self._given.at(which)
        if value is None:
            return ""
        return hasher_named(which, value.data) or ""

    def _unfit(self, setting: Setting) -> Setting | None:
        """Say that the call makes no password hash, if it is the one that the rule is about.

        Raises:
            Unresolved: an argument is not known that tells.
        """
        if not self._hashes_a_password() or self._in_text() is None:
            return None
        made = self.rule.unfit
        if "rounds" in self.rule.params:
            made = self._rounds_of(made)
        return replace(setting, hasher=made, is_unfit=True)

    def _rounds_of(self, digest: str) -> str:
        """Say how often a digest is repeated, which a call may name."""
        which = self.rule.which
        if which is not None:
            for word in self._words_for(which, {}):
                digest = hasher_named(which, word) or digest
        rounds = self._given.value(self.rule.params["rounds"])
        count = None
        if rounds is not None:
            count = number_of(rounds.data)
        if count is None:
            return f"some rounds of {digest}"
        if count == 1:
            return f"one {digest}"
        return f"{count:,} rounds of {digest}"

    def _has_own_row(self, options: Data) -> bool:
        """Tell whether options are made by a call that sets a cost itself."""
        if not isinstance(options, Call):
            return False
        return ".".join(options.function.split(".")[-2:]) in self.makers

    def _cost(self, setting: Setting) -> SetCost | None:
        """Read the cost; ``None`` if the call sets none.

        Raises:
            Unresolved: the cost is unknown.
        """
        rule = self.rule
        site = self.site
        if not self._hashes_a_password():
            return None
        in_text = self._in_text()
        if in_text is None:
            return None
        params = {}
        values = {}
        for name, param in rule.params.items():
            value = in_text.get(name) or self._number(name, param)
            if value is not None:
                values[name] = value
                params[name] = _in_unit(param, number_of(value.data) or 0)
                continue
            default = self._default(name, param)
            if default is not None:
                params[name] = _in_unit(param, default)
        missing = [name for name in rule.params if name not in params]
        if missing and values:
            raise Unresolved(f"{' and '.join(missing)} not given")
        # A class that sets none of the params may be about something else.
        if missing or (not values and site.is_whole):
            self._check_it_sets_a_cost(missing)
            return None
        left = [name for name in rule.params if name not in values]
        notes: list[str] = []
        for value in values.values():
            notes += value.whys
        # Only what is written depends on these: the notes that follow are about the library.
        depends = joined(*notes)
        environment = variable_of(notes)
        notes += self._whys_of_words(in_text)
        notes = in_one(notes)
        notes += self._notes_on_defaults(left)
        for name, number in params.items():
            clamp = self._clamp(number)
            if clamp is not None:
                params[name] = clamp.becomes
                notes.append(f"{number} is written, and {clamp.why}")
        written = {name: params[name] for name in values}
        hasher = self._hasher_at(written, in_text)
        notes += self._notes_on_key(hasher)
        beside = BesideCost(self._given)
        blocks = beside.blocks(hasher)
        notes += beside.notes(params)
        notes += filter(None, [beside.note_on_length(hasher)])
        if blocks is not None and blocks > 1:
            notes.append(
                f"its output has {blocks} blocks, each of which takes all iterations; this costs"
                " you and no attacker"
            )
        line = site.line
        # The cost of a class, or of a map that a file returns, is on the line of its number.
        if site.is_whole:
            line = next(iter(values.values())).line
        return SetCost(
            line=line,
            call=setting.call,
            why="; ".join(dict.fromkeys(notes)),
            in_tests=setting.in_tests,
            library=setting.library,
            hasher=hasher,
            sets=setting.sets,
            follows=setting.follows,
            params=params,
            written=tuple(values),
            lines={name: value.line for name, value in values.items() if value.line},
            depends=depends,
            environment=environment,
            memory_limit=beside.memory_limit(),
            blocks=blocks,
            is_dummy=setting.is_dummy,
            named=self._named_params(),
        )

    def _hasher_at(self, params: Params, in_text: Mapping[str, Value]) -> str:
        """Tell the algorithm of a cost.

        Raises:
            Unresolved: it is unknown; the message has the cost.
        """
        try:
            return self._hasher(in_text)
        except Unresolved as unresolved:
            if not params:
                raise
            why = f"{unresolved} ({format_setting(params)})"
            raise Unresolved(why, unresolved.follows, unresolved.hasher) from None

    def _whys_of_words(self, in_text: Mapping[str, Value]) -> list[str]:
        """Say what the algorithm and the length of the hash depend on."""
        values = [*in_text.values()]
        which = self.rule.which
        if which is not None and which.near is not None:
            values += self.near[which.near].values()
        elif which is not None:
            values += filter(None, [self._given.value(which)])
        when = self.rule.when
        if when is not None:
            values += filter(None, [self._given.named(when) or self._given.at(when)])
        output = self.rule.output
        if output is not None:
            values += filter(None, [self._given.value(output)])
        whys: list[str] = []
        for value in values:
            whys += value.whys
        return whys

    def _named_params(self) -> dict[str, str]:
        """Tell what the call names the params; empty if one has another unit, or a place."""
        named = {}
        # A setting is given the number itself: ``config.stretches = 12``.
        is_setting = self.site.assigns and self.rule.text is None and self.rule.which is None
        for name, param in self.rule.params.items():
            is_fixed = not param.names and not param.at
            if is_setting and is_fixed and param.unit == "count" and param.default is None:
                named[name] = last_word(self.site.name)
                continue
            if is_fixed:
                continue
            if param.unit != "count" or not param.names or self._given.at(param) is not None:
                return {}
            named[name] = self._given.name_of(param)
        return named

    def _default(self, name: str, param: Param) -> int | None:
        """Tell the default of a param that the call leaves out, if that decides.

        Raises:
            Unresolved: a class of the project has the default.
        """
        # A file of settings that is there replaces the default of any release.
        if self.is_decided:
            return None
        default = param.default
        for release in self._releases:
            default = release.params.get(name, default)
        if default is None or self._is_salt(param):
            return None
        older = self._older_package(name, param.default)
        if older:
            raise Unresolved(f"the default of {older} is not known")
        if self.without and self._names_no_package:
            packages = " or ".join(sorted(self.rule.packages))
            raise Unresolved(f"{name} is not given, and {self.without} lists no {packages}")
        # A copy of a library takes the same numbers, and may have another default.
        if self.site.own_file:
            raise Unresolved(f"{name} is not given, and {self.site.own_file} has the default")
        return default

    def _older_package(self, name: str, default: int | None) -> str:
        """Name a package whose release is older than all that the rule lists, with their defaults.

        Where the default is that of no release in the list, it is the one of older releases.
        """
        for package, pin in self.pins.items():
            listed = [one for one in self.rule.releases if one.package == package and one.params]
            is_listed = any(one.params.get(name) == default for one in listed)
            if not is_listed or not all(one.since for one in listed):
                continue
            number = parse_release(pin.version)
            if all(number < parse_release(one.since) for one in listed):
                return f"{package} {pin.version}"
        return ""

    @property
    def _names_no_package(self) -> bool:
        """Whether neither its name nor what it is given first is of a package of the rule."""
        names = self.rule.calls
        if self.site.assigns:
            names = self.rule.assigns
        if any(self.site.is_named(name) for name in names if not self.rule.is_bare(name)):
            return False
        first = ""
        if self.site.call.arguments:
            first = text_of(self.site.call.arguments[0].data)
        return not any(f"{package}." in first for package in self.rule.packages)

    def _notes_on_key(self, hasher: str) -> list[str]:
        """Say what holds if a function that is named so makes a key, which nothing here shows."""
        function = self.site.inside
        if not (_may_derive_keys(hasher) and may_make_key(function)):
            return []
        name = printable(function)[:40]
        return [f"if {name} makes a key for encryption, another cost makes another key"]

    def _clamp(self, number: int) -> Clamp | None:
        """Find what the library makes of a number that is too small for it."""
        for clamp in self.rule.clamp:
            if number < clamp.below:
                return clamp
        return None

    def _check_it_sets_a_cost(self, missing: Sequence[str]) -> None:
        """Leave out a call that tells nothing of its cost unless that is a gap.

        Raises:
            Unresolved: it hashes, at a cost that is unknown.
        """
        rule = self.rule
        if rule.decides:
            raise Unresolved(rule.decides, rule.follows)
        salted = any(self._is_salt(rule.params[name]) for name in missing)
        if not (self.site.is_whole or rule.sets or salted):
            raise Unresolved("its cost is not given", rule.follows)

    def _notes_on_defaults(self, left: Sequence[str]) -> list[str]:
        """Say why params that are left out have the values that they have."""
        rule = self.rule
        if not left or not rule.why:
            return []
        why = rule.why
        # What only changes the algorithm has no part in the numbers.
        with_numbers = [release for release in rule.releases if release.params]
        for release in with_numbers or rule.releases:
            if release.package in self.pins:
                pin = self.pins[release.package]
                why = f"the default of {release.called or release.package} {pin.version}"
                if pin.is_lowest:
                    why = f"{why}, {pin.source}"
                break
        otherwise = rule.otherwise
        for release in self._releases:
            if release.otherwise is not None:
                otherwise = release.otherwise
        if otherwise:
            why = f"{why}, unless {otherwise}"
        if len(left) < len(rule.params):
            why = f"{' and '.join(left)}: {why}"
        notes = [why]
        if rule.text is not None:
            text = self._given.value(rule.text)
            # An option that the program may leave out says what gives it.
            if text is not None and isinstance(text.data, Unset):
                notes += text.whys
        return notes

    def _holds(self, when: When) -> bool:
        """Tell whether an argument has the word that the rule is about.

        Raises:
            Unresolved: the argument is not known.
        """
        value = self._given.named(when) or self._given.at(when)
        values = []
        if value is not None:
            values.append(value.data)
        for options in self._given.options:
            if isinstance(options, dict):
                values += [options[name].data for name in when.names if name in options]
        if any(word_of(text_of(data), when.values) for data in values):
            return True
        if self.rule.sets or (when.only and all(map(is_resolved, values))):
            return False
        algorithm = "not given"
        if values:
            algorithm = described(values[0])
        raise Unresolved(f"its algorithm is {algorithm}", hasher="")

    @cached_property
    def _releases(self) -> Sequence[Release]:
        """The releases of the rule that the project uses, one of each package."""
        used: dict[str, Release] = {}
        for release in self.rule.releases:
            if release.package in used or release.package not in self.pins:
                continue
            number = parse_release(self.pins[release.package].version)
            is_older = release.below and number < parse_release(release.below)
            is_newer = release.since and number >= parse_release(release.since)
            if is_older or is_newer:
                used[release.package] = release
        return list(used.values())

    def _in_text(self) -> Mapping[str, Value] | None:
        """Read the params in a text; ``None`` if the rule is not about such a text.

        Raises:
            Unresolved: the text is not known, or of another method.
        """
        text = self.rule.text
        if text is None:
            return {}
        value = self._given.value(text) or Value(None, self.site.call.line)
        written = _written_text(value.data)
        if written is None:
            written = next((one.text for one in self._releases if one.text is not None), None)
        if written is None:
            written = text.default
        if written is None and self.rule.decides and not text.only:
            raise Unresolved(self.rule.decides, self.rule.follows)
        if not isinstance(written, str):
            self._check_unknown_text(text, value, written)
            return None
        match = re.match(text.pattern, written)
        if match is None:
            self._check_other_text(text, value, written)
            return None
        params = {}
        for name, part in match.groupdict().items():
            if name == "which":
                params[name] = replace(value, data=part)
            elif part:
                params[name] = replace(value, data=_number_in(part, text.base))
        return params

    def _check_unknown_text(self, text: Text, value: Value, written: Data) -> None:
        """Leave out a call with a text that is not known if it hashes no password anew.

        Raises:
            Unresolved: it may.
        """
        if text.maker and is_salt_of_settings(value):
            raise Unresolved(f"its cost is in its salt, {described(value.data)}")
        # A stored hash would not be called a salt.
        is_given_salt = bool(text.mark) and not text.maker and is_salt(value)
        if is_given_salt and not self._has_own_row(value.data):
            why = f"{described(value.data)} names its method, and is put together elsewhere"
            raise Unresolved(why, hasher="")
        if not text.only and written is not None:
            raise Unresolved(f"its method is {described(written)}", hasher="")

    def _check_other_text(self, text: Text, value: Value, written: str) -> None:
        """Leave out a call with a text of another pattern if that is about something else.

        Raises:
            Unresolved: it names another method, or not all of it is known.
        """
        # Of a hash that is put together the beginning names the method.
        is_of_method = bool(text.mark) and names_method(written)
        is_made_here = is_of_method and isinstance(value.data, Prefix)
        if is_made_here and re.match(text.mark, written):
            raise Unresolved(f"the cost behind {described(written)} is put together elsewhere")
        if not self.rule.sets and (is_made_here or not text.only):
            raise Unresolved(f"its method is {described(written)}", hasher="")

    def _number(self, name: str, param: Param) -> Value | None:
        """Find the number of a param; ``None`` if it is left out.

        Raises:
            Unresolved: it is given, and not known.
        """
        call = self.site.call
        value = self._given.value(param)
        # An assignment without a number in it names a hasher that has a default.
        if self.site.assigns and param.default is None:
            value = call.arguments[0]
        # A default counts only if nothing is spread into the call that may replace it.
        if value is None:
            if self._may_be_given(param) and not call.whole:
                raise Unresolved("its arguments are put together elsewhere")
            return None
        number = number_of(value.data)
        if number is not None and (number >= 0 or self._clamp(number)):
            return value
        if value.data is None and (param.none or param.default is None):
            return None
        if param.salts and isinstance(value.data, str):
            return replace(value, data=cost_in_salt(value.data))
        if isinstance(value.data, Function) or self._is_salt(param):
            return None
        given = described(value.data)
        if given == name:
            given = "a variable"
        if param.salts and may_be_salt(given):
            given += ", unless that is a salt, which has its own cost"
        raise Unresolved(f"{name} is {given}")

    def _may_be_given(self, param: Param) -> bool:
        """Tell whether any argument may decide about a param."""
        rule = self.rule
        has_place = bool(param.at or param.names)
        return has_place or rule.text is not None or rule.which is not None

    def _is_salt(self, param: Param) -> bool:
        """Tell whether a salt that is made elsewhere, which has a cost, is in its place.

        Programs call the number of rounds a salt, too, and read it from their settings.
        """
        if not param.salts:
            return False
        value = self._given.value(param)
        if value is None or is_of_settings(described(value.data)):
            return False
        return is_salt(value)

    def _hasher(self, in_text: Mapping[str, Value]) -> str:
        """Tell the algorithm.

        Raises:
            Unresolved: it is unknown.
        """
        which = self.rule.which
        for release in self._releases:
            if release.hasher and (which is None or not self._given.value(which)):
                return release.hasher
        if which is None:
            return self.rule.hasher or ""
        words = self._words_for(which, in_text)
        if not words and which.default is not None:
            words = [which.default]
        hashers = {hasher_named(which, word) for word in words}
        if len(hashers) == 1:
            hasher = hashers.pop()
            if hasher is not None:
                return hasher
        # A function that is called back stands in its place where it is left out.
        if words and all(isinstance(word, Function) for word in words):
            raise Unresolved("its algorithm is not given", hasher="")
        shown = ", ".join(sorted({described(_first_of(word)) for word in words}))
        classes: tuple[str, ...] = ()
        if self.rule.sets:
            # The cost of a setting of the project may be that of a class of the project.
            classes = tuple(_class(last_word(text_of(word))) for word in words)
        raise Unresolved(f"its algorithm is {shown or 'unknown'}", classes, hasher="")

    def _hashes_a_password(self) -> bool:
        """Tell whether the call is one that the rule is about, by what names its algorithm.

        Raises:
            Unresolved: the argument is not known, or a class of the project hashes instead.
        """
        if self.replaced.get(self.rule.replaced_by):
            interface = self.rule.replaced_by
            file = self.replaced[interface]
            raise Unresolved(f"{file} has an {interface} that may hash instead", hasher="")
        when = self.rule.when
        which = self.rule.which
        if when is not None and not self._holds(when):
            return False
        if which is None or not which.encrypts:
            return True
        words = [text_of(word).lower() for word in self._words_for(which, {})]
        return not words or not all(word.startswith(which.encrypts) for word in words)

    def _words_for(self, which: Which, in_text: Mapping[str, Value]) -> Sequence[Data]:
        """Find the words that name the algorithm."""
        if "which" in in_text:
            return [in_text["which"].data]
        if which.near is not None:
            return [value.data for value in self.near[which.near].values()]
        if which.generic:
            first = type_argument(self.site.name)
            if first:
                return [Unknown(first)]
            return []
        value = self._given.value(which)
        if value is None:
            return []
        # A number that means nothing is another argument.
        if number_of(value.data) is not None and str(value.data) not in which.values:
            return []
        return [value.data]


def _written_text(data: Data) -> Data:
    """Take what is known of a text, and nothing of one that the program may leave out."""
    match data:
        case Prefix(text=beginning):
            return beginning
        case Unset():
            return None
        case _:
            return data


def _first_of(data: Data) -> Data:
    """Take the first of a list, which is the word of the rule."""
    match data:
        case (Value(data=first), *_):
            return first
        case _:
            return data


def _class(name: str) -> str:
    """Name what the definition of a class sets; empty for no class."""
    if not name:
        return ""
    return f"class {name}"


def _number_in(digits: str, base: int) -> int:
    try:
        return int(digits, base)
    except ValueError:  # Python reads no more than some thousands of digits.
        raise Unresolved(f"its method is {described(digits)}", hasher="") from None


def _in_unit(param: Param, number: int) -> int:
    """Convert a number as it is written to the unit of the hasher's param."""
    match param.unit:
        case "bytes":
            return number // 1024
        case "exponent":
            return max(0, number.bit_length() - 1)
        case "log2":
            if number > LARGEST_BITS:
                raise Unresolved(f"it is 2 to the power of {number}")
            return 1 << number
        case "count":
            return number
