"""CouchDB: its settings, and the hashes of its administrators beside them."""

from dataclasses import replace
from typing import Final

from hashcost.apps.formats.command_line import of_hash
from hashcost.apps.formats.settings import Ini
from hashcost.apps.found import Costs, Found
from hashcost.apps.ini import entries
from hashcost.apps.interface import App
from hashcost.core.text import joined

_ADMINISTRATORS: Final = "admins"
_OPENSSL_SINCE: Final = "3.4"
"""The first release that hashes with OpenSSL, and that has pbkdf2_prf (couch_passwords.erl)."""


class CouchDb(Ini, frozen=True, kw_only=True):
    """The settings of new hashes, and the hash of each administrator."""

    def read(self, app: App, text: str) -> Costs:
        """Find every cost in the settings and the hashes."""
        costs = super().read(app, text)
        if app.is_before(_OPENSSL_SINCE):
            costs = map(_with_sha1, costs)
        yield from costs
        for line in entries(text):
            if line.section == _ADMINISTRATORS:
                yield from of_hash(line.value, line.line)


def _with_sha1(cost: Found) -> Found:
    """The cost as a CouchDB before 3.4 has it, whose own Erlang code computes it."""
    if cost.flaw is not None:
        return cost
    why = joined(cost.why, "before 3.4 CouchDB counts iterations of HMAC-SHA1")
    return replace(cost, hasher="pbkdf2-sha1", why=why, library="CouchDB's own Erlang code")
