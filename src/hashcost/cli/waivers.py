"""The waivers of a run: those in the files that it read, and those in the settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from hashcost.checks.judgement import STANDARD_INPUT, CostOrVerdict
from hashcost.checks.waivers import Waivers
from hashcost.cli.inputs import Gathered, shown
from hashcost.core.errors import UnavailableError, UnreadError
from hashcost.core.machine import Notice
from hashcost.core.waiver_comments import NO_COMMENTS, Comments
from hashcost.storage.gate import Gate
from hashcost.storage.settings import ListedWaiver, Settings


def waivers_in(settings: Settings, gathered: Gathered, gate: Gate) -> Waivers:
    """Find the waivers that may be about the costs that were found."""
    commented: list[tuple[str, Comments]] = []
    notices: list[Notice] = []
    read: set[str] = set()
    partly: set[str] = set()
    if gathered.files:
        # Other checks read no files, and do without what reads them.
        from hashcost.apps.comments import comments_in_file
        from hashcost.source_code.rules import by_suffix

        lines = _lines_of(gathered.rows)
        texts = [(files.app, *text) for files in gathered.files for text in files.texts]
        for app, file, text in texts:
            path = gathered.shown(file)
            read.add(path)
            try:
                with gate.timed(path):
                    commented.append((path, comments_in_file(app, file, text, lines[path])))
            except (UnavailableError, UnreadError) as error:
                message = f"{path}: its waivers are not read: {error}"
                notices.append(Notice(code="unread-waivers", message=message))
        # An application's reader looks for none but its own costs in source code.
        partly = {path for path in read if PurePath(path).suffix.lower() in by_suffix()}
    if gathered.source is not None:
        scanned = gathered.source.scanned
        whole = set(map(shown, scanned.read))
        read |= whole
        partly -= whole
        if not gathered.files:
            # Nor does a scan look for the settings of applications.
            partly |= {shown(path) for _, paths in settings.app for path in paths}
        commented += [(shown(path), in_file) for path, in_file in scanned.comments.items()]
    comments: dict[str, Comments] = {}
    for path, in_file in commented:
        comments[path] = _together(comments.get(path, NO_COMMENTS), in_file)
    if gathered.is_listed:
        comments[shown(settings.path)] = settings.comments
    return Waivers(
        comments=comments,
        files=frozenset(read),
        partly=frozenset(partly),
        typed=frozenset({STANDARD_INPUT, shown(settings.path)}),
        notices=tuple(notices),
        listed=listed_waivers(settings),
    )


def listed_waivers(settings: Settings) -> tuple[tuple[ListedWaiver, str | None], ...]:
    """The waivers of the settings, with their paths as findings have them."""
    listed = []
    for waiver in settings.accept:
        path = None
        if waiver.where is not None:
            path = shown(waiver.where)
        listed.append((waiver, path))
    return tuple(listed)


def _lines_of(rows: Iterable[CostOrVerdict]) -> Mapping[str, set[int]]:
    """The lines of findings, by the paths of their files."""
    lines: Mapping[str, set[int]] = defaultdict(set)
    for row in rows:
        if row.place is not None and row.place.line is not None:
            lines[row.place.path].add(row.place.line)
    return lines


def _together(one: Comments, other: Comments) -> Comments:
    """The waivers of a file that was read for several applications."""
    waivers = tuple(dict.fromkeys((*one.waivers, *other.waivers)))
    return Comments(waivers, {**one.reach, **other.reach})
