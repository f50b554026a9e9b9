"""Source code: the costs that its calls and assignments set, by the rules of the scan."""

from __future__ import annotations

import msgspec

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.source_code import reader
from hashcost.apps.interface import App, Found


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Code in the first of some ``languages`` in which any cost is found.

    ``libraries`` are those of the scan's rules; with ``calls`` only calls that end in
    one of these count. ``last_wins`` says why only the last cost counts, if so.
    """

    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    calls: tuple[str, ...] | None = None
    last_wins: str = ""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the code sets."""
        found = reader(*self.languages, libraries=self.libraries, calls=self.calls)(text)
        return last_wins(found, self.last_wins) if self.last_wins else found
