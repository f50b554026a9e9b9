"""Tomcat: its realms in XML, and the handler of passwords that each of them has."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final

from hashcost.apps.formats.settings import NamedSettings, last_of_each, setting
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.text import costs_apart
from hashcost.apps.xml_values import Element, xml_elements
from hashcost.apps.yaml_values import Scalars, setting_of
from hashcost.core.text import joined, printable

_REALM: Final = "Realm"
_HANDLER: Final = "CredentialHandler.className"
_NESTS_HANDLERS: Final = "NestedCredentialHandler"
"""A handler of others: the first of them makes new hashes (NestedCredentialHandler.java)."""
_AROUND_REALMS: Final = frozenset({"LockOutRealm", "CombinedRealm"})
"""Realms that ask others, and use no handler of their own (CombinedRealm.java)."""
_WITHOUT_HANDLER: Final = frozenset(
    {"UserDatabaseRealm", "MemoryRealm", "DataSourceRealm", "JDBCRealm"}
)
"""Realms of Tomcat's own that keep passwords (java/org/apache/catalina/realm)."""


class _Use(Enum):
    """An element's part in a nest of handlers."""

    ALONE = "in no nest"
    NEST = "a nest"
    MAKES = "makes new hashes"
    COMPARES = "only compares stored hashes"


class Realms(NamedSettings, frozen=True):
    """Each realm by itself, with the handler in it."""

    def read(self, app: App, text: str) -> Costs:
        """Find the cost of each realm's handler, or what the realm does without one."""
        return costs_apart(lambda realm: self._of_realm(app, realm), _realms(text))

    def _of_realm(self, app: App, realm: Scalars) -> Costs:
        named = setting(realm, f"{_REALM}.className")
        kind = ""
        if named is not None:
            kind = named.text.rpartition(".")[2]
        if kind in _AROUND_REALMS:
            return
        if setting(realm, _HANDLER) is not None:
            yield from self.costs(app, realm)
        elif kind in _WITHOUT_HANDLER and named is not None:
            why = "without a CredentialHandler the realm compares passwords in plain text"
            yield Found.unfit("plain text", named.line, why)
        elif named is not None:
            why = f"{printable(kind)[:40]} has no CredentialHandler, and passwords of its own"
            yield Found.undetermined(named.line, why)


def _realms(text: str) -> Iterator[Scalars]:
    """Group the settings by realm; those outside of all are a group, too."""
    elements = xml_elements(text)
    realms: list[int | None] = []
    settings = []
    for place, (element, use) in enumerate(zip(elements, _uses(elements), strict=True)):
        realm = None
        if element.name == _REALM:
            realm = place
        elif element.within is not None:
            realm = realms[element.within]
        realms.append(realm)
        if use in {_Use.NEST, _Use.COMPARES}:
            continue
        why = ""
        if use is _Use.MAKES:
            why = "the handlers behind it only compare stored hashes"
        for value in map(setting_of, element.entries):
            explained = replace(value, why=joined(value.why, why))
            settings.append((realm, explained))
    return last_of_each(settings)


def _uses(elements: Sequence[Element]) -> list[_Use]:
    """Tell of each element what it does in a nest of handlers, if it is in one."""
    uses: list[_Use] = []
    with_maker = set()
    for element in elements:
        around = element.within
        use = _Use.ALONE
        if around is not None:
            use = uses[around]
        if around is not None and use is _Use.NEST:
            use = _Use.COMPARES
            if around not in with_maker:
                use = _Use.MAKES
            with_maker.add(around)
        if use is not _Use.COMPARES and _nests_handlers(element):
            use = _Use.NEST
        uses.append(use)
    for place, use in enumerate(uses):
        # An empty nest is a handler that is not known.
        if use is _Use.NEST and place not in with_maker:
            uses[place] = _Use.ALONE
    return uses


def _nests_handlers(element: Element) -> bool:
    """Tell whether an element is a handler of others."""
    classes = [entry.value for entry in element.entries if entry.name == _HANDLER]
    return any(name.rpartition(".")[2] == _NESTS_HANDLERS for name in classes)
