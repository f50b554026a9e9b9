"""Applications whose configuration sets no cost."""

from __future__ import annotations

import datetime as dt

from hashcost.apps.facts import Facts, SourcedFigure
from hashcost.core.text import joined, printable
from hashcost.core.units import parse_release


class Earlier(SourcedFigure, frozen=True, kw_only=True):
    """The hashing of an application without a cost ``before`` a release, as far as to ``since``.

    ``instead`` is what can be done there, if that is another thing than in new releases.
    """

    before: str
    what: str
    since: str = ""
    instead: str = ""


class Untunable(Facts, frozen=True):
    """An application whose configuration sets no cost, and what can be done instead.

    ``earlier`` is how older releases hash, from the newest of these to the oldest.
    """

    name: str
    title: str
    what: str
    instead: str
    sources: tuple[str, ...]
    checked: dt.date
    earlier: tuple[Earlier, ...] = ()

    @property
    def all_sources(self) -> tuple[str, ...]:
        """The sources of what it says of all releases."""
        return (*self.sources, *(earlier.source for earlier in self.earlier))

    @property
    def what_of_all(self) -> str:
        """How it hashes in all releases that are known."""
        olders = [f"before {earlier.before}, {earlier.what}" for earlier in self.earlier]
        return joined(self.what, *olders)

    def says(self, release: str | None = None) -> str:
        """Tell how it hashes, or how one release does, as of when, and what to do instead."""
        if release is None:
            return self._no_cost(self.title, self.what_of_all, self.checked, self.instead)
        number = parse_release(release)
        named = printable(release)[:40]
        program = f"{self.title} {named}"
        # The last of those that came after the release is the one that it is older than.
        newer = [row for row in self.earlier if number < parse_release(row.before)]
        if not newer:
            if self.earlier:
                return self._no_cost(program, self.what, self.checked, self.instead)
            doubt = f"hashcost does not know whether {named} differs. {self.instead}"
            return self._no_cost(self.title, self.what, self.checked, doubt)
        row = newer[-1]
        instead = row.instead or self.instead
        if row.since and number < parse_release(row.since):
            return f"hashcost does not know how {self.title} before {row.since} hashes. {instead}"
        return self._no_cost(program, row.what, row.checked or self.checked, instead)

    def _no_cost(self, program: str, what: str, day: dt.date, instead: str) -> str:
        return f"{program} has no cost in its configuration: {what}, as of {day}. {instead}"
