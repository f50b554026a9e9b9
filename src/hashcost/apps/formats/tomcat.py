"""Tomcat: its realms in XML, and the handler of passwords that each of them has."""

from collections.abc import Iterator
from typing import Final

from hashcost.apps.formats.settings import NamedSettings, last_of_each, setting
from hashcost.apps.interface import App, Costs, Found
from hashcost.apps.text import costs_apart
from hashcost.apps.xml_values import xml_values
from hashcost.apps.yaml_values import Scalars, setting_of
from hashcost.core.text import printable

_REALM: Final = "Realm"
_HANDLER: Final = "CredentialHandler.className"
_AROUND_REALMS: Final = frozenset({"LockOutRealm", "CombinedRealm"})
"""Realms that ask others, and use no handler of their own (CombinedRealm.java)."""
_WITHOUT_HANDLER: Final = frozenset(
    {"UserDatabaseRealm", "MemoryRealm", "DataSourceRealm", "JDBCRealm"}
)
"""Realms of Tomcat's own that keep passwords (java/org/apache/catalina/realm)."""


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
    values = xml_values(text, _REALM)
    return last_of_each((value.section, setting_of(value)) for value in values)
