"""Symfony: ``security.password_hashers`` in ``config/packages/security.yaml``."""

from hashcost.apps.files.yaml_file import ANY, at, values
from hashcost.apps.interface import App, Found

_HASHERS = ("security", "password_hashers", ANY, "cost")
_PRODUCTION = ("when@prod", *_HASHERS)


def read(app: App, text: str) -> tuple[Found, ...]:
    """The cost of each class of users; what ``when@prod`` says wins over the rest."""
    found = values(text)
    overridden = {value.path[1:] for value in at(found, _PRODUCTION)}
    return tuple(
        Found(
            hasher="bcrypt",
            params={"cost": value.number()},
            line=value.line,
            wins=value.wins and value.path not in overridden,
            why="when@prod sets it again" if value.path in overridden else value.why,
            written=value.written,
        )
        for value in found
        if not value.is_null and (value.matches(_HASHERS) or value.matches(_PRODUCTION))
    )
