"""YAML: settings by the dotted path to them."""

from hashcost.apps.files.yaml_costs import of_first_document
from hashcost.apps.formats.settings import NamedSettings
from hashcost.apps.interface import App, Found


class Format(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys such as ``hashers.bcrypt.cost``, nested or written with dots."""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the first document sets."""
        return self.costs(app, of_first_document(text))
