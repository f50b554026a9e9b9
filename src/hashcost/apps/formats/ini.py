"""INI: settings of one section."""

from hashcost.apps.files.ini_entries import entries
from hashcost.apps.formats.assignments import one_winner
from hashcost.apps.formats.settings import NamedSettings, setting_of
from hashcost.apps.interface import App, Found


class Format(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a ``section``, in which case counts; the last of each is used."""

    section: str

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the section sets."""
        lines = [setting_of(each) for each in entries(text) if each.section == self.section]
        why = f"the last one in [{self.section}] counts"
        return self.costs(app, tuple(one_winner(lines, "last", why)))
