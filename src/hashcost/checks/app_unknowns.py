"""Judgements of what tells no cost, with what to do about it."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from hashcost.apps.interface import App
from hashcost.checks.judgement import Judgement, Outcome
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UnreadError
from hashcost.core.text import either
from hashcost.recommend.emission import emit_command

_VALUES_OF_HELM: Final = re.compile(r"(?i)values(?:[._-].*)?\.ya?ml|.*[._-]values\.ya?ml")
"""The name of a file that a chart turns into settings."""
_ARGON2ID: Final = "argon2id"
_OF_CODE: Final = frozenset({"source_code.SourceCode", "java.spring"})
"""Formats that are source code: any file of a project may set the cost."""


def unknown_cost(app: App, named: str, place: Place, why: str, cure: str = "") -> Judgement:
    """Judge a place whose cost the file does not tell; the advice is usual without a ``cure``."""
    usual = look_at_a_hash(app)
    # Where the place names an algorithm that is unknown here, no other file tells its cost.
    if not named or app.scheme(named) is not None:
        usual = f"{_find_what_sets(app, place)}, or {usual}"
    advice = cure or usual
    return Judgement.without_cost(Outcome.UNKNOWN, named or "unknown", place, why, advice)


def _find_what_sets(app: App, read: Place) -> str:
    """Say how to find what sets the cost, with another place where an application has it."""
    reads = app.reading["format"]
    # Any script may call the program, so that it has no usual name.
    if reads == "command_line.CommandLine" and not app.reading.get("hashes"):
        programs = [program for program in app.reading["programs"] if len(program) > 1]
        return f"name the script that runs {either(programs)}"
    # Only the project as a whole shows which setting comes to the call.
    if reads in _OF_CODE and not app.places:
        return "run `calibrate scan` on the whole project"
    name = PurePath(read.path or "").name
    if _VALUES_OF_HELM.fullmatch(name):
        return "render its chart with `helm template`, and name the file that this makes"
    # To name the file that was read, or one of its name, would be no help.
    usual = [place for place in app.places if PurePath(place).name != name]
    return f"name the file that sets it{usual_place(usual)}"


def usual_place(places: Sequence[str]) -> str:
    """Name the first place of an application that is not a pattern."""
    for place in places:
        if "*" not in place:
            return f" (often {place})"
    return ""


def look_at_a_hash(app: App) -> str:
    """Say how to see the cost that an application used."""
    return app.look or f"pass a hash that {app.title} made to `calibrate explain`"


def another_hasher(app: App, hasher: str) -> str:
    """Advise another hasher that an application has, and say when passwords get it."""
    other = app.schemes[0].hasher
    # The settings of one variant of Argon2 are those of the others.
    if hasher.startswith("argon2") and app.scheme(_ARGON2ID) is not None:
        other = _ARGON2ID
    change = f"hash with {other}"
    command = emit_command(app, other)
    # The words of the application for it are those of the snippet.
    if command:
        change = f"{change}, as `{command}` writes it"
    elif app.choice_of(other):
        change = app.choice_of(other)
    return app.for_stored_hashes(change)


def unread_file(path: str, error: UnreadableInputError) -> Judgement:
    """Judge a file that cannot be read, beside others."""
    cure = "shorten" if isinstance(error, UnreadError) else "mend"
    advice = f"{cure} the file, or look for the cost yourself and accept it"
    message = f"not read: {error.why}"
    place = Place(path=path)
    return Judgement.without_cost(Outcome.UNREAD, "unknown", place, message, advice)


def only_for_tests(app: App, path: str) -> Judgement:
    """Judge a file that only tests read, which sets no cost of production."""
    why = "by its path, only tests read it"
    # The file that production reads may have the same name in another folder.
    often = usual_place(app.places)
    cure = f"name the file that production reads{often}, or {look_at_a_hash(app)}"
    return unknown_cost(app, "", Place(path=path), why, cure)


def of_several_values(app: App, line: int) -> Judgement:
    """Judge settings with several values; ``line`` is the last of them."""
    why = "the file sets several values, and how it runs decides which one counts"
    return unknown_cost(app, "", Place(path="", line=line or None), why, look_at_a_hash(app))


def of_the_rest(app: App, path: str) -> Judgement:
    """Judge a part of a configuration that sets no cost without the rest."""
    why = f"it sets a part of {app.title}, whose cost depends on the rest of that file"
    return unknown_cost(app, "", Place(path=path), why)


def written_by_another(app: App, path: str, language: str, written: str) -> Judgement:
    """Send from a file that writes the configuration to the one that it writes."""
    why = f"hashcost does not read the settings of {app.title} in {language}"
    cure = f"name {written}, or {look_at_a_hash(app)}"
    return unknown_cost(app, "", Place(path=path), why, cure)
