"""ClickHouse: its settings, and the passwords of the users that a file has."""

from typing import Final

from hashcost.apps.formats import settings
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.xml_values import xml_elements
from hashcost.apps.yaml_values import of_first_document

_USERS: Final = "users"
_UNFIT: Final = {
    "password": ("plain text", "it keeps the password itself"),
    "password_sha256_hex": ("SHA-256", "it is one SHA-256 without a salt"),
    "password_double_sha1_hex": ("SHA-1", "it is two SHA-1 without a salt"),
}
"""The settings of a user's password in a file.

Source: ClickHouse/ClickHouse at 0197627f3f, src/Access/UsersConfigAccessStorage.cpp.
"""
_CURE: Final = (
    "remove the user there, and as another one run CREATE USER …"
    " IDENTIFIED WITH bcrypt_password BY …"
)


class XmlWithUsers(settings.Xml, frozen=True):
    """The settings of a file of XML, and the users in it."""

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the elements set, and each password without a cost."""
        yield from super().read(app, text)
        in_users: list[bool] = []
        for element in xml_elements(text):
            is_inside = element.name == _USERS
            if element.within is not None:
                is_inside |= in_users[element.within]
            in_users.append(is_inside)
            if is_inside:
                yield from _password(element.name, element.line, is_empty=not element.entries)


class YamlWithUsers(settings.Yaml, frozen=True):
    """The settings of a file of YAML, and the users in it."""

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the keys set, and each password without a cost."""
        yield from super().read(app, text)
        for value in of_first_document(text):
            if len(value.path) == 3 and value.path[0] == _USERS:
                is_empty = value.is_null or not value.text
                yield from _password(str(value.path[2]), value.line, is_empty=is_empty)


def _password(name: str, line: int, *, is_empty: bool) -> Costs:
    """The password of a user, by the name of its setting."""
    if name == "no_password" or (name == "password" and is_empty):
        why = f"{name}: this user needs no password"
        yield Found.unfit("no password", line, why, cure=_CURE)
    elif name in _UNFIT and not is_empty:
        algorithm, why = _UNFIT[name]
        yield Found.unfit(algorithm, line, f"{name}: {why}", cure=_CURE)
