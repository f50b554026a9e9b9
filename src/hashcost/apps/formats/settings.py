"""Settings by their names, some of which say which algorithm the others are for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Final, Literal, TypeAlias

from hashcost.apps.containers import begins_containers, settings_of_containers
from hashcost.apps.facts import Facts
from hashcost.apps.found import Costs, Found
from hashcost.apps.ini import entries
from hashcost.apps.interface import App
from hashcost.apps.php_values import is_whole_file, php_values, unopened
from hashcost.apps.schemes import ReleaseDefault
from hashcost.apps.text import (
    Entry,
    assignments,
    blocks_of,
    costs_apart,
    power_of_two,
    whole_number,
)
from hashcost.apps.xml_values import xml_values
from hashcost.apps.yaml_values import Scalar, Scalars, of_first_document, setting_of
from hashcost.core.algorithms import DIGEST_BYTES
from hashcost.core.errors import UndeterminedError
from hashcost.core.text import joined, printable

Unit: TypeAlias = Literal["log2", "MiB", "size"]

_BLOCK_BYTES: Final = DIGEST_BYTES["sha256"]
"""The digest of every word that has the bytes of a key."""
_SIZE: Final = re.compile(
    r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,6})?)\s*(?P<unit>[KMGT]?B|[KMGT]?)", re.IGNORECASE
)


class Choice(Facts, frozen=True):
    """A setting whose value is one of some words; ``default`` is what it is if not set.

    ``otherwise`` is the setting that counts if it is not set, and ``formerly`` has the default
    before a release.
    """

    key: str
    default: str
    otherwise: str = ""
    aliases: dict[str, str] = {}
    """Synonyms, each with its word."""
    formerly: dict[str, str] = {}
    before: dict[str, dict[str, str]] = {}
    """Synonyms that mean another word before a release."""
    unfit: tuple[str, ...] = ()
    """The words for what is not a password hash."""
    unjudged: dict[str, str] = {}
    """Further words that the application knows, each with why its cost is unknown."""

    def word(self, written: str, app: App) -> str:
        """The word that a synonym means."""
        aliases = dict(self.aliases)
        for release, older in self.before.items():
            if app.is_before(release):
                aliases |= older
        word = written.strip("`\"'").lower()
        # A name of an older release may stand for a synonym of today's.
        while word in aliases:
            word = aliases[word]
        return word

    def made(self, settings: Scalars, words: Collection[str], app: App) -> str:
        """The word that counts.

        Raises:
            UndeterminedError: it is not one of the ``words``.
        """
        value = setting(settings, self.key)
        if value is None:
            return self._default_of(app)
        word = self.word(value.text, app)
        if word in words:
            return word
        named = printable(word)[:40]
        instead = f"hash with {app.schemes[0].hasher} instead, or accept this"
        if word in self.unjudged:
            what = f"{self.key} is {named}: {self.unjudged[word]}"
            raise UndeterminedError(value.line, what, named=named, cure=instead)
        # The application may know it, or refuse it.
        what = f"{self.key} is {shown(value)!r}; hashcost knows only {', '.join(words)} there"
        raise UndeterminedError(value.line, what, named=named, cure=instead)

    def _default_of(self, app: App) -> str:
        """Tell the word of the release if none is set; of an unknown one, today's."""
        if app.release is None:
            return self.default
        for release, older in self.formerly.items():
            if app.is_before(release):
                return older
        return self.default


class CostSettings(Facts, frozen=True):
    """The settings of one algorithm: the ``keys`` of its params.

    ``units`` are those that differ from the hasher's own. ``variants`` are the hashers
    that the words of ``variant`` mean; the cost of an empty one is unknown. ``defaults``, from the
    oldest release to the newest, are a group's own, or of a hasher without a scheme. ``beside``
    are those of what a group leaves out if it sets another param, where the code has other
    defaults than the file that it ships.
    """

    keys: dict[str, str]
    hasher: str = ""
    units: dict[str, Unit] = {}
    variant: Choice | None = None
    variants: dict[str, str] = {}
    defaults: tuple[ReleaseDefault, ...] = ()
    beside: tuple[ReleaseDefault, ...] = ()

    def hasher_of(self, settings: Scalars, app: App, *, used: bool, line: int | None) -> str:
        """The hasher that the settings choose; empty if its cost is not known and it is not used.

        ``line`` names the algorithm, if a line does.

        Raises:
            UndeterminedError: its cost is not known and it is used.
        """
        variant = self.variant
        if variant is None:
            return self.hasher
        hasher = self.variants[variant.made(settings, self.variants, app)]
        if hasher or not used:
            return hasher
        value = setting(settings, variant.key)
        if value is None:
            raise UndeterminedError(line or 0, f"{variant.key} is not set")
        what = f"{variant.key} is {shown(value)}, whose cost hashcost does not judge"
        raise UndeterminedError(value.line, what, named=shown(value))


class Switch(Facts, frozen=True):
    """A setting by which a server asks for no password, if it has the value ``off``.

    Before the release ``on_since``, it is off where nothing sets it.
    """

    key: str
    off: str
    on: str
    on_since: str = ""

    def found_in(self, settings: Scalars, app: App) -> Found | None:
        """Say that it is off, so that no cost is in force."""
        value = setting(settings, self.key)
        if value is None:
            return self._by_default(app)
        if value.text.lower() != self.off:
            return None
        why = f"{self.key} is {self.off}, so it asks for no password and hashes none"
        return Found.undetermined(value.line, why, cure=self._cure)

    def _by_default(self, app: App) -> Found | None:
        """Say that the release has it off where nothing sets it."""
        if app.release is None or not self.on_since or not app.is_before(self.on_since):
            return None
        why = (
            f"before {self.on_since} {self.key} is {self.off} by default, so it asks for no "
            "password and hashes none"
        )
        return Found.undetermined(0, why, cure=self._cure)

    @property
    def _cure(self) -> str:
        return f"set {self.key} to {self.on}, or accept this"


class NamedSettings(Facts, frozen=True):
    """Groups of settings, each under the word that ``algorithm`` has if it counts.

    Without an ``algorithm`` all of them count, and none if the ``switch`` is off. If the cost is
    in its word, ``words`` has an expression for the words of each hasher, with a group for each
    param; ``key`` is the group of the bytes of PBKDF2's key. Where an application reads its
    settings in another way, ``function`` names what does so in
    `hashcost.apps.formats.own_settings`.
    """

    groups: dict[str, CostSettings] = {}
    algorithm: Choice | None = None
    words: dict[str, str] = {}
    function: str = ""
    switch: Switch | None = None

    def costs(self, app: App, settings: Scalars) -> Costs:
        """The cost that each group sets, and whether the application uses it.

        Raises:
            UndeterminedError: the application does not take a word or a number.
        """
        if self.switch is not None:
            is_off = self.switch.found_in(settings, app)
            if is_off is not None:
                return (is_off,)
        costs_in = usual_costs
        if self.function:
            module = import_module("hashcost.apps.formats.own_settings")
            costs_in = getattr(module, self.function)
        return costs_in(self, app, settings)


CostsIn: TypeAlias = Callable[[NamedSettings, App, Scalars], Costs]
"""How an application reads its settings: every cost that they set, in any order."""


def usual_costs(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The cost that each group sets; the application uses those of the algorithm that is chosen.

    Raises:
        UndeterminedError: the application does not take a word or a number.
    """
    word = None
    line = None
    why_chosen = ""
    own_keys: Collection[str] = ()
    if named.algorithm is not None:
        # The word has the cost in it, so that no other setting counts.
        if named.words:
            yield from _word_costs(named.algorithm, named.words, app, settings)
            return
        chosen = setting(settings, named.algorithm.key)
        if chosen is not None:
            line = chosen.line
            if chosen.variable:
                why_chosen = f"{shown(chosen)} is {chosen.why}"
            unfit = named.algorithm.word(chosen.text, app)
            if unfit in named.algorithm.unfit:
                cure = _choice_of_hasher(app, chosen.name, named.groups)
                yield Found.unfit(unfit, line, f"{chosen.name} is {unfit}", cure)
                return
        word = named.algorithm.made(settings, named.groups, app)
        # Algorithms may share a setting: then it is the chosen one's.
        if word in named.groups:
            own_keys = named.groups[word].keys.values()

    def of_group(name: str) -> Costs:
        group = named.groups[name]
        used = word in {None, name}
        if not used and set(own_keys).issuperset(group.keys.values()):
            return  # The same settings, for the algorithm that is used.
        hasher = group.hasher_of(settings, app, used=name == word, line=line)
        if not hasher:
            return
        costs = costs_of(settings, hasher, group.keys, group.units, used=used, line=line)
        costs = _with_those_beside(app, costs, group.beside)
        if app.default_of(hasher) is None:
            costs = with_defaults(app, costs, group.defaults, app.title)
        why = why_chosen
        if name == word and line is None and named.algorithm is not None:
            why = joined(why, _chosen_by_release(app, named.algorithm.key, hasher))
        if not used and named.algorithm is not None and line is None:
            why = f"what is set for {hasher} counts only if {named.algorithm.key} is {name}"
        for cost in costs:
            yield replace(cost, why=joined(cost.why, why))

    yield from costs_apart(of_group, named.groups)


def _chosen_by_release(app: App, key: str, hasher: str) -> str:
    """Say that older releases take another hasher where nothing names one; empty if none does."""
    since = app.usual_since(hasher)
    if app.release is not None or not since or app.hasher_before(since) in {None, hasher}:
        return ""
    return f"{key} is not set, and before {since} that means another hasher: give --app-version"


def _with_those_beside(app: App, costs: Costs, defaults: Sequence[ReleaseDefault]) -> Costs:
    """Add what a group leaves out that sets something, by the default of the code."""
    for cost in costs:
        if cost.params:
            yield from with_defaults(app, (cost,), defaults, f"{app.title}'s code")
        else:
            yield cost


def with_defaults(app: App, costs: Costs, defaults: Sequence[ReleaseDefault], owner: str) -> Costs:
    """Add what the file leaves out, by the release's default of its ``owner``."""
    for cost in costs:
        default = app.current(cost.hasher, defaults)
        if default is None or not cost.wins or default.params.keys() <= cost.params.keys():
            yield cost
            continue
        why = joined(cost.why, f"by default of {owner} since {default.since}")
        yield replace(cost, params={**default.params, **cost.params}, why=why)


def _word_costs(algorithm: Choice, words: Mapping[str, str], app: App, settings: Scalars) -> Costs:
    """The cost in each word for the algorithm, such as ``pbkdf2$50000$50``."""
    values = named_values(settings, algorithm.key)
    other = setting(settings, algorithm.otherwise)
    if not values and other is not None:
        values = [other]
    yield from costs_apart(
        lambda value: [_of_word(algorithm.word(value.text, app), words, app, value)], values
    )


def _of_word(word: str, words: Mapping[str, str], app: App, value: Scalar) -> Found:
    for hasher, pattern in words.items():
        match = re.fullmatch(pattern, word)
        if match is None:
            continue
        params = {}
        for name, count in match.groupdict().items():
            if count is not None:
                params[name] = whole_number(count, value.name, value.line)
        key_bytes = params.pop("key", _BLOCK_BYTES)
        why = value.why
        blocks = None
        if "key" in match.groupdict():
            blocks = blocks_of(key_bytes, _BLOCK_BYTES)
        if blocks is not None and blocks > 1:
            cure = f"${_BLOCK_BYTES} at the end takes one"
            why = joined(why, f"{longer_key(key_bytes, blocks)}; {cure}")
        return Found(
            hasher=hasher,
            params=params,
            line=value.line,
            wins=value.wins,
            why=why,
            environment=value.variable,
            blocks=blocks,
        )
    what = f"{value.name} is {shown(value)!r}, which {app.title} does not know"
    cure = f"write one that it knows, as `calibrate emit {app.name}` does"
    raise UndeterminedError(value.line, what, cure=cure)


def longer_key(key_bytes: int, blocks: int) -> str:
    """Say what a key of PBKDF2 costs that takes several blocks."""
    # An attacker needs only the first block.
    price = f"which costs you {blocks} times and an attacker once"
    return f"its key of {key_bytes} bytes takes {blocks} blocks, {price}"


class Assignments(NamedSettings, frozen=True, kw_only=True):
    """Lines such as ``NAME=value``, ``NAME value`` and ``name: value``: dotenv and kin.

    ``by`` has what may stand between name and value. If several lines have one name, the
    last counts, or the ``first``; ``why`` says so. Names know no case if ``folded``. The
    value of ``nested`` is such a line itself: ``nested.NAME`` is what it sets.
    """

    by: str = "="
    nested: str = ""
    counts: Literal["first", "last"] = "last"
    why: str
    folded: bool = False

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the lines set."""
        settings = []
        lines = assignments(text, by=self.by)
        if begins_containers(text) is not None:
            lines = (Entry(*variable) for variable in settings_of_containers(text))
        for line in lines:
            name = line.name
            value = line.value
            if name == self.nested:
                inner, _, value = value.partition("=")
                name = f"{name}.{inner.strip()}"
            if self.folded:
                name = name.lower()
            settings.append(setting_of(replace(line, name=name, value=value.strip())))
        return self.costs(app, one_winner(settings, self.counts, self.why))


class Ini(NamedSettings, frozen=True, kw_only=True):
    """The keys of the sections whose names match ``section``; the last of each is used.

    As in an option file of MySQL, dashes and underscores are alike if ``dashed``, and the command
    of a container may have the same settings as options.
    """

    section: str
    dashed: bool = False

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the section sets."""
        lines = [line for line in entries(text) if re.fullmatch(self.section, line.section)]
        why = f"the last one in [{self.section}] counts"
        if self.dashed and begins_containers(text) is not None:
            given = [Entry(*one) for one in settings_of_containers(text)]
            lines = [replace(one, name=one.name[2:]) for one in given if one.name.startswith("--")]
            why = "the last option counts"
        settings = [setting_of(replace(line, name=self._name(line))) for line in lines]
        return self.costs(app, one_winner(settings, "last", why))

    def _name(self, line: Entry) -> str:
        if not self.dashed:
            return line.name
        return line.name.lower().replace("-", "_").removeprefix("loose_")


class Yaml(NamedSettings, frozen=True):
    """Keys such as ``hashers.bcrypt.cost``, nested or written with dots.

    The values of a Helm chart have all of them below one of the keys in ``charts``; those of a
    chart that has that one as its dependency have one more key above. With ``in_upper_case`` a
    variable of a container sets the key of its name in upper case, with ``_`` for each dot. What
    its command sets as ``NAME=value`` is a key below ``nested``.
    """

    charts: tuple[str, ...] = ()
    in_upper_case: bool = False
    nested: str = ""

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the first document sets, or variables of containers."""
        settings = [self._outside_chart(value) for value in of_first_document(text)]
        if begins_containers(text) is not None:
            given = [setting_of(Entry(*one)) for one in settings_of_containers(text)]
            settings += given
            if self.nested:
                settings += [replace(one, path=(self.nested, *one.path)) for one in given]
            if self.in_upper_case:
                settings += self._by_variables(app, given)
        return self.costs(app, settings)

    def _by_variables(self, app: App, variables: Scalars) -> Scalars:
        """The settings that variables make; none if a file may have the rest of the cost."""
        algorithm = self.algorithm
        if algorithm is None:
            return []
        chosen = setting(variables, _in_upper_case(algorithm.key))
        if chosen is None or algorithm.word(chosen.text, app) not in self.groups:
            return []
        keys = [algorithm.key, *self.groups[algorithm.word(chosen.text, app)].keys.values()]
        made = []
        for key in keys:
            value = setting(variables, _in_upper_case(key))
            # The file that is read besides may set it.
            if value is None:
                return []
            made.append(replace(value, path=tuple(key.split("."))))
        return made

    def _outside_chart(self, value: Scalar) -> Scalar:
        for chart in self.charts:
            path = tuple(chart.split("."))
            for above in (0, 1):
                below = above + len(path)
                if value.path[above:below] == path:
                    return replace(value, path=value.path[below:])
        return value


def _in_upper_case(key: str) -> str:
    """The variable of a container that sets a key."""
    return key.upper().replace(".", "_")


class Xml(NamedSettings, frozen=True):
    """Attributes as ``Element.attribute`` and texts as ``Element``, wherever the element is."""

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the elements set; none if the text is not XML."""
        settings = [setting_of(entry) for entry in xml_values(text)]
        return self.costs(app, one_winner(settings, "last", "the last one counts"))


class PhpArray(NamedSettings, frozen=True):
    """PHP's arrays and variables; ``constants`` are PHP's, with the numbers they stand for.

    Lines above the PHP set variables of the environment.
    """

    constants: dict[str, int] = {}

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the file sets."""
        nothing_runs = unopened(text)
        if nothing_runs is not None and is_whole_file(text):
            return (nothing_runs,)
        above, begins, _ = text.partition("<?php")
        if not begins:
            above = ""
        variables = {line.name: line for line in assignments(above)}
        # The lines above stay, empty, so that those of the PHP keep their numbers.
        php = "\n" * above.count("\n") + text[len(above) :]
        settings = []
        for entry in php_values(php):
            value = setting_of(entry)
            if value.variable in variables:
                value = setting_of(replace(variables[value.variable], name=entry.name))
            if value.text in self.constants:
                value = replace(value, text=str(self.constants[value.text]))
            settings.append(value)
        return self.costs(app, one_winner(settings, "last", ""))


def last_of_each(settings: Iterable[tuple[Hashable, Scalar]]) -> Iterator[list[Scalar]]:
    """Group settings by their owners; in each group, the last one with a name wins."""
    groups: dict[Hashable, list[Scalar]] = {}
    for owner, value in settings:
        groups.setdefault(owner, []).append(value)
    for group in groups.values():
        yield one_winner(group, "last", "the last one counts")


def one_winner(settings: Scalars, counts: Literal["first", "last"], why: str) -> list[Scalar]:
    """Let the first or the last of the values with one name win, unless it has lost before."""
    places: dict[str, list[int]] = {}
    for place, value in enumerate(settings):
        if value.wins:
            places.setdefault(value.name, []).append(place)
    settled = list(settings)
    for several in places.values():
        if len(several) < 2:
            continue
        for place in several:
            settled[place] = replace(settings[place], wins=False)
        winner = several[-1]
        if counts == "first":
            winner = several[0]
        won = settings[winner]
        settled[winner] = replace(won, why=joined(won.why, why))
    return settled


def named_values(settings: Iterable[Scalar], name: str) -> list[Scalar]:
    """The values of a dotted name that are set, whether nested or written with dots.

    If it is written both ways, the last counts; an application may refuse such a file.
    """
    values = [value for value in settings if value.name == name and not value.is_null]
    winning = [index for index, value in enumerate(values) if value.wins]
    if len(winning) > 1:
        *lost, last = winning
        for index in lost:
            values[index] = replace(values[index], wins=False)
        why = "written twice, which an application may refuse"
        values[last] = replace(values[last], why=why)
    return values


def setting(settings: Iterable[Scalar], name: str) -> Scalar | None:
    """The one of this name that is used."""
    for value in named_values(settings, name):
        if value.wins:
            return value
    return None


def shown(value: Scalar) -> str:
    """The beginning of a value, for a message."""
    return printable(value.text)[:40]


def _choice_of_hasher(app: App, key: str, groups: Mapping[str, CostSettings]) -> str:
    """Advise the word that chooses the application's first hasher.

    Returns:
        An empty text if no word does.
    """
    for word, group in groups.items():
        if group.hasher == app.schemes[0].hasher:
            return app.for_stored_hashes(f"set {key} to {word}")
    return ""


def costs_of(
    settings: Scalars,
    hasher: str,
    keys: Mapping[str, str],
    units: Mapping[str, Unit],
    *,
    used: bool,
    line: int | None = None,
) -> Costs:
    """The cost that the file sets for one hasher, after each value that it overrides.

    ``keys`` are the dotted names of its params. If the application uses this hasher and the
    file sets no cost, the ``line`` that names the hasher stands for its default.
    """
    won = {}
    for param, name in keys.items():
        # What is overridden has a row too, so that nobody wonders why it does not count.
        for value in named_values(settings, name):
            if value.wins:
                won[param] = value
            else:
                yield replace(cost_of(hasher, {param: value}, units), wins=False)
    if won:
        yield replace(cost_of(hasher, won, units), wins=used)
    elif used and line is not None:
        yield Found(hasher=hasher, params={}, line=line)


_WRITTEN_IN: Final[Mapping[Unit, str]] = {"MiB": "in MiB", "log2": "as log2"}
"""How a setting has a param in a unit that its number does not name."""


def cost_of(hasher: str, values: Mapping[str, Scalar], units: Mapping[str, Unit]) -> Found:
    """The cost that settings make, by their params; ``units`` are those that are not its own."""
    params = {}
    lines = {}
    whys = []
    environment = ""
    for param, value in values.items():
        unit = units.get(param)
        params[param] = _number(value, unit)
        lines[param] = value.line
        whys.append(value.why)
        # Whoever follows a row's advice must not write the hasher's unit there.
        if unit is not None and unit in _WRITTEN_IN:
            whys.append(f"{value.name.rpartition('.')[2]} is written {_WRITTEN_IN[unit]}")
        environment = environment or value.variable
    return Found(
        hasher=hasher,
        params=params,
        line=min(lines.values(), default=0),
        lines=lines,
        why=joined(*whys),
        environment=environment,
    )


def _number(value: Scalar, unit: Unit | None) -> int:
    """A param in the hasher's own unit.

    Raises:
        UndeterminedError: it is not a number, or only the environment knows it.
        UnreadableInputError: it is beyond any cost.
    """
    if unit == "size":
        return _kibibytes(value)
    number = value.number()
    if unit == "log2":
        return power_of_two(number, value.name, value.line)
    if unit == "MiB":
        return number * 1024
    return number


def _kibibytes(value: Scalar) -> int:
    """Read a size as go-bytesize does, by which a KB is 1024 bytes; without a unit it is in KiB.

    Ory Kratos reads such a number before 0.6, and refuses it since.
    """
    match = _SIZE.fullmatch(value.text.strip())
    if match is None:
        what = f"{value.name} is {shown(value)!r}, which is not a size"
        raise UndeterminedError(value.line, what, cure="write a size, such as 64MB")
    unit = match["unit"].upper() or "K"
    power = "BKMGT".index(unit[0])
    # A size may have a fraction, as in 1.5GB.
    size_bytes = int(float(match["number"]) * 1024**power)
    return size_bytes // 1024
