"""The text of a file as its application reads it."""

from dataclasses import dataclass
from functools import cached_property

from hashcost.apps.interface import App
from hashcost.apps.sign_tables import Sign
from hashcost.apps.signs import is_own, without_comments
from hashcost.checks.app_releases import AppRelease
from hashcost.core.cost_expressions import Place


@dataclass(frozen=True)
class AppText:
    """A file as its application reads it: without the lines that only tests run."""

    app: App
    path: str
    text: str
    release: AppRelease | None
    is_known: bool = False
    """Whether something beside the text shows that it is the application's."""

    @cached_property
    def plain(self) -> str:
        """The text without comments, on as many lines."""
        return without_comments(self.text, self.app.comment)

    @cached_property
    def is_own(self) -> bool:
        """Whether anything shows that it is the application's."""
        return self.is_known or is_own(self.app.signs, self.text)

    def at(self, line: int) -> Place:
        """The place of a line; of the whole file if that is 0."""
        return Place(path=self.path, line=line or None)

    def holding(self, signs: tuple[Sign, ...]) -> tuple[Sign, ...]:
        """The signs that hold for the release; for the oldest supported one if it is unknown."""
        is_before = self.app.is_before
        return tuple(
            sign for sign in signs if not sign.until or is_before(sign.until, sign.backports)
        )
