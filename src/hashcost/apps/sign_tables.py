"""Signs that tell an application's file from others, and what else it shows; see `signs`."""

from __future__ import annotations

import msgspec

from hashcost.apps.facts import Facts


class Sign(Facts, frozen=True):
    """A regular expression to look for in each line, and what it says where it is found.

    ``hasher`` is what the line names, and ``params`` are its cost, if it has one. ``cure`` is what
    to do, if that is not the usual advice; with ``elsewhere`` another file sets the cost.
    ``always`` says that it counts although a cost was read on that line, ``unset`` that it counts
    only where the file sets none, and ``until`` from which release on it does not; an older line
    of releases has one of ``backports`` instead. With ``instead`` it decides how passwords are
    hashed, so that no cost that was read counts. If it is ``of_file``, the line only shows whose
    file it is, and what the sign says is true of all of it.
    """

    mark: str
    says: str
    cure: str = ""
    hasher: str = ""
    params: dict[str, int] = msgspec.field(default_factory=dict)
    always: bool = False
    elsewhere: bool = False
    unset: bool = False
    instead: bool = False
    of_file: bool = False
    until: str = ""
    backports: tuple[str, ...] = ()


class OfImage(Facts, frozen=True):
    """Words for an image whose application has no default cost without any setting."""

    says: str
    cure: str = ""


class Dated(Facts, frozen=True):
    """A sign of an application's old releases, of which ``newest`` is the last.

    ``mark`` is in a line, comments included, or ``path`` in the path of the file; neither
    tells anything if a line has ``unless``.
    """

    newest: str
    mark: str = ""
    path: str = ""
    unless: str = ""


class Signs(Facts, frozen=True):
    """Regular expressions that tell an application's file from another.

    ``own`` show that a file is the application's, so that its default counts where the
    file sets nothing; without any, the default never counts by itself. ``images`` are those of
    an application whose container takes its settings from variables: a file that starts one is
    its own, too, and ``of_image`` says what such a container does without any setting, if that
    is not a default cost. ``unfit`` name an algorithm that is not a password hash, or set a cost
    by their presence, whatever else is set; ``unread`` set a cost that no reader here can read,
    and ``elsewhere`` take in another file, the group ``path`` or the Python module of the group
    ``module``, that may set it. ``given`` start the application with its file, the group
    ``path``, as a unit or a script does. ``stated`` and ``dated`` tell the release where
    nothing else does: it is the group ``release`` of the former, which counts only in a paragraph
    that has a line with ``stated_in``, if that is given. Comments are left out, but for
    ``own`` and those three. ``tests`` are lines that only tests run, and ``test_files`` the paths
    of files that only tests read, beside those that their language names so.
    """

    own: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    of_image: OfImage | None = None
    unfit: tuple[Sign, ...] = ()
    unread: tuple[Sign, ...] = ()
    elsewhere: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    stated: str = ""
    stated_in: str = ""
    dated: tuple[Dated, ...] = ()
    tests: str = ""
    test_files: str = ""
