"""CouchDB: its settings, and the hashes of its administrators beside them."""

from hashcost.apps.formats.command_line import of_hash
from hashcost.apps.formats.settings import Ini
from hashcost.apps.ini import entries
from hashcost.apps.interface import App, Costs

_ADMINISTRATORS = "admins"


class CouchDb(Ini, frozen=True, kw_only=True):
    """The settings of new hashes, and the hash of each administrator."""

    def read(self, app: App, text: str) -> Costs:
        """Find every cost in the settings and the hashes."""
        yield from super().read(app, text)
        for line in entries(text):
            if line.section == _ADMINISTRATORS:
                yield from of_hash(line.value, line.line)
