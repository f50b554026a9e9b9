"""The release of an application that reads a file, by what shows it."""

from typing import NamedTuple

from hashcost.apps.containers import begins_containers
from hashcost.apps.interface import App
from hashcost.apps.signs import dated_by, stated_release
from hashcost.source_code.versions import fixed_in


class AppRelease(NamedTuple):
    """The release of an application, which decides its defaults, and the source of that.

    If it is only the ``newest`` that a file was written for, a newer one may still read the file.
    """

    version: str
    source: str = ""
    newest: bool = False

    def __str__(self) -> str:
        """``version``, ``version (source)`` or ``version or older``."""
        if self.newest:
            return f"{self.version} or older"
        if not self.source:
            return self.version
        return f"{self.version} ({self.source})"

    @property
    def says(self) -> str:
        """Say which it is, and on what condition."""
        if self.newest:
            return f"{self.source} is of {self}; {self.unless}"
        return f"its version is {self}"

    @property
    def unless(self) -> str:
        """The advice for a file that a newer release reads."""
        return "if a newer release reads the file, give it as --app-version"


def at_release(app: App, release: AppRelease | None) -> App:
    """Set the release of an application, if that is known."""
    version = None
    if release is not None:
        version = release.version
    return app.at(version)


def shown_release(app: App, text: str, path: str) -> AppRelease | None:
    """The release that a file states, or the newest that it can be of, if it shows either."""
    stated = stated_release(app.signs, text)
    if stated is not None:
        release, number = stated
        return AppRelease(release, f"line {number}")
    shown = dated_by(app.signs, text, path)
    if shown is None:
        return None
    dated, line = shown
    where = f"line {line}" if line else "its name"
    return AppRelease(dated.newest, where, newest=True)


def release_of_image(app: App, text: str) -> AppRelease | None:
    """Tell the release by the tag of the image that a file starts; `None` if it tells none."""
    if not starts_containers(text):
        return None
    tags = {name: tag for name, tag, _ in fixed_in("compose.yaml", text)}
    for name in app.pins:
        tag = tags.get(name)
        # A tag such as 1 moves on within its releases, and these may differ.
        if tag is not None and not app.changed_within(tag):
            return AppRelease(tag, "the tag of its image")
    return None


def starts_containers(text: str) -> bool:
    """Whether it is a file of Docker Compose or Kubernetes."""
    return begins_containers(text) is not None
