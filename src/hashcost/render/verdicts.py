"""The texts on each verdict of a check: what it means, how to mend it, how to accept it."""

from functools import cache
from typing import Final

import msgspec

from hashcost.checks.judgement import Outcome
from hashcost.core.package_data import data_table

_DATA: Final = "render/data/verdicts.toml"


class VerdictPage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The text on one verdict, in Markdown."""

    title: str
    ends: str
    """The exit code of a check with this verdict."""
    means: str
    example: str
    mend: str
    waiver: str = ""
    """The words of a waiver for the example; empty if none is possible, or needed."""
    accept: str = ""
    """The thing to do in place of a waiver."""

    @property
    def accepting(self) -> str:
        """How to accept the finding."""
        if not self.waiver:
            return self.accept
        return (
            "If it has to stay for a time, say why in a comment where it stands:"
            f" `hashcost: accept {self.waiver} until YYYY-MM-DD: REASON`."
        )

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The whole text, in Markdown."""
        return (
            self.means,
            f"**Example:** {self.example}",
            f"**Mend it:** {self.mend}",
            f"**Accept it:** {self.accepting}",
        )

    @property
    def text(self) -> str:
        """The meaning and the cures, for those who do not."""
        return f"{self.means} {self.mend} {self.accepting}".replace("`", "")


@cache
def verdict_pages() -> dict[str, VerdictPage]:
    """The texts by the names of the verdicts, the worst first."""
    pages = msgspec.convert(data_table(_DATA), dict[str, VerdictPage])
    return {outcome.value: pages[outcome.value] for outcome in Outcome}
