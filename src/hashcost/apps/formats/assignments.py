"""Lines such as ``NAME=value``, ``NAME value`` and ``name: value``: dotenv and kin."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from hashcost.apps.files.assignments import assignments
from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.formats.settings import NamedSettings, setting_of
from hashcost.apps.interface import App, Found, joined


class Format(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``by`` is what stands between name and value; ``comment`` begins a line without any.

    If several lines have one name, the last counts, or the ``first``; ``why`` says so.
    """

    by: Literal["=", ":", " "] = "="
    comment: str = "#"
    counts: Literal["first", "last"] = "last"
    why: str

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the lines set."""
        lines = [setting_of(each) for each in assignments(text, by=self.by, comment=self.comment)]
        return self.costs(app, tuple(one_winner(lines, self.counts, self.why)))


def one_winner(
    found: Sequence[Scalar], counts: Literal["first", "last"], why: str
) -> Iterator[Scalar]:
    """The values, of which the first or the last with one name wins."""
    in_order = found if counts == "last" else found[::-1]
    winners = {each.name: each for each in in_order}
    names = [each.name for each in found]
    for each in found:
        winner = winners[each.name]
        if winner is not each:
            does = "sets it again" if counts == "last" else "has set it already"
            yield replace(each, wins=False, why=f"line {winner.line} {does}")
        elif names.count(each.name) > 1:
            yield replace(each, why=joined(each.why, why))
        else:
            yield each
