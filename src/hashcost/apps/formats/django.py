"""Django's settings: the hasher that PASSWORD_HASHERS names first, and classes with a cost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from hashcost.apps.facts import Facts
from hashcost.apps.formats.python_settings import GivenSetting, in_production, settings_named
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.refusals import MAXMEM_DEFAULT, hashlib_refusal
from hashcost.apps.text import costs_apart, only_verified
from hashcost.core.errors import UndeterminedError
from hashcost.core.measurement import Params
from hashcost.core.text import joined, printable
from hashcost.source_code.python.file import PythonFile, read_python
from hashcost.source_code.python.values import Assigned, Class
from hashcost.source_code.values import (
    Value,
    described,
    dotted,
    number_of,
    shown,
    variable_of,
    whole,
)

_MODULE: Final = "django.contrib.auth.hashers"
_LIST: Final = "PASSWORD_HASHERS"
_LOOK: Final = "pass a hash that Django made to `calibrate explain`"
_PRODUCTION: Final = re.compile(
    r"(?i)(?:environ|getenv)(?:(?!environ|getenv).)*?(?:prod|live|release)"
)


class OlderHasher(Facts, frozen=True):
    """The hasher of a class ``until`` a release, with its default."""

    until: str
    hasher: str
    params: dict[str, int]


class StockHasher(Facts, frozen=True):
    """A class of Django: the hasher of its cost, and the params of its ``attributes``.

    ``digests`` are the hashers by the function that its attribute ``digest`` names. In a release
    before ``older`` the class is of that hasher.
    """

    hasher: str
    attributes: dict[str, str]
    digests: dict[str, str] = {}
    older: OlderHasher | None = None

    def at(self, app: App) -> StockHasher:
        """The class as the application's release has it."""
        if self.older is None or not app.is_before(self.older.until):
            return self
        return msgspec.structs.replace(self, hasher=self.older.hasher)


class Django(Facts, frozen=True):
    """Django's classes that have a cost (``stock``), and those that are not a password hash.

    The latter, ``unfit``, come with the digest that they compute.
    """

    stock: dict[str, StockHasher]
    unfit: dict[str, str]

    def read(self, app: App, text: str) -> Costs:
        """The cost of the first of PASSWORD_HASHERS, or those of the classes of a module."""
        older = [
            stock.older
            for stock in self.stock.values()
            if stock.older is not None and app.is_before(stock.older.until)
        ]
        for cost in self._costs(app, read_python(text), text):
            yield _completed(cost, older)

    def _costs(self, app: App, source: PythonFile, text: str) -> Costs:
        stock = {name: hasher.at(app) for name, hasher in self.stock.items()}
        settings = _Settings(source, stock, self.unfit, app.usual("scrypt"))
        lists = settings_named(source, _LIST)
        used = [given for given in lists if given.wins]
        yield from costs_apart(lambda given: [settings.of_list(given)], used)
        for given in lists:
            # A condition that names production sets apart the list that production uses.
            if given.condition and _PRODUCTION.search(text.splitlines()[given.condition - 1]):
                why = f"it counts unless the environment says otherwise on line {given.condition}"
                yield Found.undetermined(given.line, why)
        if not used:
            why = f"where {_LIST}, in another file, names it first"
            for cost in settings.defined():
                yield replace(cost, why=joined(why, cost.why))


@dataclass(frozen=True)
class _Settings:
    """A file, what Django has, and its default of scrypt, where a class is silent."""

    source: PythonFile
    stock: Mapping[str, StockHasher]
    unfit: Mapping[str, str]
    scrypt: Params

    def of_list(self, given: GivenSetting) -> Found:
        """The hasher that a list of hashers begins with; it hashes new passwords."""
        listed = given.value.data
        if not isinstance(listed, tuple) or not listed:
            raise UndeterminedError(given.value.line, f"{_LIST} is not a list that can be read")
        first = listed[0]
        path = ""
        if isinstance(first.data, str):
            path = first.data
        cost = self._of_path(path, first.line or given.value.line)
        others = [str(other.data).rpartition(".")[2] for other in listed[1:]]
        older = only_verified(name for name in others if name in self.unfit)
        return replace(cost, why=joined(given.why, cost.why, older))

    def defined(self) -> Costs:
        """The hashers that the file defines, and those of Django that it changes."""
        kinds = [
            kind
            for kind in self.source.classes.values()
            if self._stock_of(kind) is not None and not kind.apart
        ]
        for cost in costs_apart(lambda kind: [self._of_class(kind)], kinds):
            # A class without a cost of its own changes nothing.
            if cost.params or cost.is_undetermined:
                yield cost

        def of_stock(name: str) -> Costs:
            patched = self._patched(name)
            if patched is not None:
                yield patched

        yield from costs_apart(of_stock, self.stock)

    def _of_path(self, path: str, line: int) -> Found:
        module, _, name = path.rpartition(".")
        if module == _MODULE:
            return self._of_stock(name, line)
        # A class of the file may be listed under the path of another module.
        own = self.source.classes.get(name)
        if own is not None:
            return self._of_class(own)
        if path:
            what = f"{_LIST} begins with {shown(path)!r}, which this file does not define"
            cure = ""
            if module:
                file = printable(f"{shown(module).replace('.', '/')}.py")
                cure = f"name {file} together with it, or {_LOOK}"
            raise UndeterminedError(line, printable(what), cure=cure)
        raise UndeterminedError(line, f"the first of {_LIST} is known only at run time")

    def _of_stock(self, name: str, line: int) -> Found:
        """The cost of a class of Django's own."""
        if name in self.unfit:
            return Found.unfit(self.unfit[name], line, f"{_LIST} begins with {name}")
        if name not in self.stock:
            what = f"{_LIST} begins with {name}, which has no cost"
            raise UndeterminedError(line, printable(what))
        patched = self._patched(name)
        if patched is not None:
            return patched
        why = f"{name} has Django's default"
        return Found(hasher=self.stock[name].hasher, params={}, line=line, why=why)

    def _patched(self, name: str) -> Found | None:
        """The cost that is assigned to the attributes of Django's own class, if any."""
        stock = self.stock[name]
        values = {}
        for stored in in_production(self.source.stored):
            if stored.base.rpartition(".")[2] == name and stored.name in stock.attributes:
                values[stored.name] = stored.value
        if not values:
            return None
        return _cost(stock, values, line=0)

    def _stock_of(self, kind: Class) -> str | None:
        """The hasher of Django that a class descends from."""
        for ancestor in self.source.ancestry(kind.name):
            name = ancestor.rpartition(".")[2]
            if name in self.stock and ancestor not in self.source.classes:
                return name
        return None

    def _with_digest(self, kind: Class, stock: StockHasher) -> StockHasher:
        """The stock hasher of a class, with the digest that the class or an ancestor sets.

        Raises:
            UndeterminedError: it names no known function.
        """
        assigned = self.source.attribute(kind.name, "digest")
        if not stock.digests or assigned is None:
            return stock
        digest = _value(assigned)
        function = dotted(digest.data).rpartition(".")[2]
        if function not in stock.digests:
            what = f"the digest of {shown(kind.name)} is {described(digest.data)}"
            raise UndeterminedError(digest.line, printable(what))
        return msgspec.structs.replace(stock, hasher=stock.digests[function])

    def _of_class(self, kind: Class) -> Found:
        name = self._stock_of(kind)
        if name is None:
            what = f"{shown(kind.name)} descends from no hasher of Django that has a cost"
            raise UndeterminedError(kind.line, printable(what))
        stock = self._with_digest(kind, self.stock[name])
        values = {}
        for attribute in (*stock.attributes, "maxmem"):
            assigned = self.source.attribute(kind.name, attribute)
            if assigned is not None:
                values[attribute] = _value(assigned)
        maxmem = values.pop("maxmem", None)
        cost = _cost(stock, values, line=kind.line)
        completed = {**self.scrypt, **cost.params}
        # What no maxmem suffices for is refused by the rule of the application's scheme.
        if "n" not in cost.params or min(completed.values()) <= 0 or hashlib_refusal(completed):
            return cost
        limit = MAXMEM_DEFAULT
        if maxmem is not None:  # OpenSSL takes its default for 0.
            limit = whole(maxmem, "maxmem") or MAXMEM_DEFAULT
        return replace(cost, refused=hashlib_refusal(completed, limit))


def _completed(cost: Found, older: Sequence[OlderHasher]) -> Found:
    """The cost of a class as older releases have it, with their default for what is not set."""
    for other in older:
        if cost.hasher == other.hasher and cost.flaw is None:
            why = joined(cost.why, f"before {other.until} it makes {other.hasher}")
            return replace(cost, params={**other.params, **cost.params}, why=why)
    return cost


def _cost(stock: StockHasher, values: Mapping[str, Value], *, line: int) -> Found:
    """The cost that the attributes of a class set; ``line`` is that of none.

    Raises:
        UnreadableInputError: only running the file tells.
    """
    counts = {}
    lines = {}
    whys: list[str] = []
    for name, value in values.items():
        param = stock.attributes[name]
        counts[param] = whole(value, name)
        whys += value.whys
        if value.line:
            lines[param] = value.line
    return Found(
        hasher=stock.hasher,
        params=counts,
        line=next(iter(lines.values()), line),
        lines=lines,
        why=joined(*whys),
        environment=variable_of(whys),
    )


def _value(assigned: Sequence[Assigned]) -> Value:
    """One value of several: the lowest, as a condition decides."""
    values = [assignment.value for assignment in assigned]
    numbers = [value for value in values if number_of(value.data) is not None]
    if len(values) == 1 or not numbers:
        return values[-1]
    lowest = min(numbers, key=lambda value: number_of(value.data) or 0)
    return lowest.because("the lowest of several that a condition decides between")
