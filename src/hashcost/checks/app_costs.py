"""The costs that an application is configured with, read from its file. Pure."""

import re
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Final, TypeAlias

import msgspec

from hashcost.apps.containers import env_files, own_services
from hashcost.apps.excerpts import Excerpt, excerpts
from hashcost.apps.found import Found
from hashcost.apps.interface import App
from hashcost.apps.registry import owners_of
from hashcost.apps.signs import first_elsewhere, is_for_tests, is_own, seen, without_comments
from hashcost.checks.app_effects import INTERPOLATED, SHOWN, in_effect
from hashcost.checks.app_releases import (
    AppRelease,
    at_release,
    release_of_image,
    shown_release,
    starts_containers,
)
from hashcost.checks.app_settings import cost_or_verdict, default_or_verdict
from hashcost.checks.app_text import AppText
from hashcost.checks.app_unknowns import (
    look_at_a_hash,
    of_several_values,
    of_the_rest,
    only_for_tests,
    unknown_cost,
    unread_file,
    usual_place,
    written_by_another,
)
from hashcost.checks.judgement import Configured, CostOrVerdict, Judgement
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UndeterminedError, UnreadableInputError, UnreadError
from hashcost.core.text import either, joined, path_name, printable
from hashcost.stored.formats.registry import read
from hashcost.stored.named import named_in

_BYTE_ORDER_MARK: Final = "\ufeff"


_COMMANDS: Final = "command_line.CommandLine"
"""The format of programs that are given the cost when they run."""
_USER: Final = re.compile(r"[^\s:=/]+:[^\s/]\S*")
"""A line of a list of users: a name, and a hash or a password."""


_OTHER_LANGUAGES: Final = frozenset((".hcl", ".nix", ".nomad", ".tf"))
_OF_SETTINGS: Final = frozenset(
    ("clickhouse", "couchdb", "directory_servers", "druid", "emqx", "settings", "system_files")
)
"""The modules of formats for files of settings, which other files may have inside."""


Texts: TypeAlias = Sequence[tuple[str, str]]
"""Files, each by its path and its text."""


class ForeignFileError(UnreadableInputError):
    """A file is another application's."""


def costs_in_files(app: App, files: Texts, release: AppRelease | None) -> list[CostOrVerdict]:
    """The costs of files, as `costs_in`.

    Files that the application reads one after the other count as one. One that cannot be read
    beside others is a judgement. Those that only tests read do not count beside others.

    Raises:
        ForeignFileError: there is only one file, and it is another application's.
        UnreadableInputError: all files are damaged.
    """
    live = live_files(app, files)
    if not live:
        return [only_for_tests(app, path) for path, _ in files]
    files = _with_their_variables(app, live)
    if count_as_one(app, files):
        return _costs_together(app, files, release)
    costs: list[CostOrVerdict] = []
    errors: list[UnreadableInputError] = []
    for path, text in files:
        try:
            costs += costs_in(app, text, path, release)
        except ForeignFileError as error:
            if len(files) < 2:
                raise
            costs.append(unknown_cost(app, "", Place(path=path), error.why))
        except UnreadableInputError as error:
            errors.append(error)
            costs.append(unread_file(path, error))
    # Nothing was read at all, so there is no result to put beside the error.
    if errors and len(errors) == len(files):
        raise errors[0]
    return _beside_containers(app, files, costs)


def variables_beside(app: App, text: str) -> tuple[str, ...]:
    """List the files with variables that the application's services in a Compose file get."""
    if not starts_containers(text):
        return ()
    return env_files(own_services(text, app.images)).names


def _with_their_variables(app: App, files: Texts) -> Texts:
    """Count a Compose file and the files of variables that its services get as one.

    The cost is in the file of variables, or if that sets none, the Compose file is read as if it
    had none.
    """
    dropped: set[str] = set()
    counting: list[tuple[str, str]] = []
    texts = {PurePath(path): (path, text) for path, text in files}
    for path, text in files:
        named = [PurePath(path).parent / name for name in variables_beside(app, text)]
        if not named or not all(place in texts for place in named):
            counting.append((path, text))
            continue
        with_variables = [texts[place] for place in named]
        rest = env_files(own_services(text, app.images)).rest
        setting = {other for other, variables in with_variables if _sets_a_cost(app, variables)}
        dropped |= {other for other, _ in with_variables} - setting
        # The variables that the Compose file has itself go before these.
        if not setting or _sets_a_cost(app, rest):
            counting.append((path, rest))
    return [(path, text) for path, text in counting if path not in dropped]


def _sets_a_cost(app: App, text: str) -> bool:
    """Tell whether a file sets a cost, or may set it in a way that is not read."""
    signs = (*app.signs.unfit, *app.signs.unread)
    if any(seen(signs, without_comments(text, app.comment))):
        return True
    try:
        return bool(app.read(text))
    except (UndeterminedError, UnreadError, UnreadableInputError):
        return True


def live_files(app: App, files: Texts) -> Texts:
    """Leave out the files that only tests read."""
    return [(path, text) for path, text in files if not is_for_tests(app.signs, path)]


def _beside_containers(
    app: App, files: Texts, costs: Sequence[CostOrVerdict]
) -> list[CostOrVerdict]:
    """The costs of files; unknown where the variables of a container set another one."""
    starting = {path for path, text in files if starts_containers(text)}
    set_there: dict[tuple[object, ...], str] = {}
    for cost in costs:
        if isinstance(cost, Configured) and cost.place is not None and cost.place.path in starting:
            set_there[cost.hasher, *cost.params.items()] = cost.place.path
    if not set_there:
        return [*costs]
    *_, container = set_there.values()
    why = f"the variables in {path_name(container)} set another cost, which may count instead"
    cure = f"set the same cost in both, or {look_at_a_hash(app)}"
    judged: list[CostOrVerdict] = []
    for cost in costs:
        place = cost.place
        is_same = (cost.hasher, *cost.params.items()) in set_there
        if is_same or place is None or place.path in starting or isinstance(cost, Judgement):
            judged.append(cost)
        else:
            judged.append(unknown_cost(app, cost.hasher, place, why, cure))
    return judged


def _costs_together(app: App, files: Texts, release: AppRelease | None) -> list[CostOrVerdict]:
    """The costs of files that count as one, each at its place in its own file."""
    # PHP comes last: what stands above it is the environment that it reads.
    files = sorted(files, key=lambda file: file[1].lstrip().startswith("<?php"))
    places = []
    lines = []
    for path, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            places.append(Place(path=path, line=number))
            # What it takes in is read here as well, so the line has nothing unknown.
            is_known = _takes_in_a_named_file(app, line, path, files)
            lines.append("\n" if is_known else f"{line}\n")
    costs = []
    for cost in costs_in(app, "".join(lines), files[0][0], release):
        if cost.place is None or cost.place.line is None:
            costs.append(cost)
        else:
            costs.append(msgspec.structs.replace(cost, place=places[cost.place.line - 1]))
    return costs


def count_as_one(app: App, files: Texts) -> bool:
    """Whether the application reads files one after the other."""
    if len(files) < 2 or any(starts_containers(text) for _, text in files):
        return False
    if app.together:
        return True
    mark = app.together_if_one_has
    if not mark:
        return False
    deciding = [path for path, text in files if re.search(mark, text, re.MULTILINE)]
    # Two of them would be the files of two services.
    return len(deciding) == 1


def _takes_in_a_named_file(app: App, line: str, path: str, files: Texts) -> bool:
    """Whether a line takes in another of the files that were named."""
    include = first_elsewhere(app.signs.elsewhere, line)
    if include is None:
        return False
    _, _, included = include
    # A pattern may match further files than those that are named.
    if "*" in included:
        return False
    name = PurePath(INTERPOLATED.sub("*", included)).name
    return any(fnmatch(PurePath(other).name, name) for other, _ in files if other != path)


def costs_in(app: App, text: str, path: str, release: AppRelease | None) -> list[CostOrVerdict]:
    """The costs that the application uses when it reads this file, and the unknown ones.

    A file that has configurations of the application inside stands for these.

    If the file sets nothing, the ``release`` decides, or if that is unknown, the weakest default
    of the supported releases. A default counts only if the file is the application's and all of
    it can be read.

    Raises:
        ForeignFileError: the file is another application's.
        UnreadableInputError: it is damaged.
    """
    text = own_services(text.removeprefix(_BYTE_ORDER_MARK), app.images)
    # The image that the file itself starts is nearer than a pin in a file beside it.
    if release is None or release.source:
        release = release_of_image(app, text) or release
    inside = _costs_inside(app, text, path, release)
    if inside:
        return inside
    if app.reading["format"].startswith("settings.") and PurePath(path).suffix == ".nix":
        return [written_by_another(app, path, "Nix", "the file that Nix makes of it")]
    return _costs_of_text(app, text, path, release)


def _costs_of_text(
    app: App, text: str, path: str, release: AppRelease | None, *, is_known: bool = False
) -> list[CostOrVerdict]:
    """The costs that a text sets, or the default; without those of texts inside it.

    With ``is_known``, something beside the text shows that it is the application's.
    """
    if release is None:
        release = shown_release(app, text, path)
    app = at_release(app, release)
    if app.signs.tests:
        text = _without_tests(text, app.signs.tests)
    file = AppText(app, path, text, release, is_known)
    try:
        settings = _settings(app, text)
    except UnreadableInputError as error:
        if text.startswith("#!") and not starts_containers(text):
            return [written_by_another(app, path, "a script", "the file that it writes")]
        # What starts containers has a format of its own, and its row says so.
        if not starts_containers(text):
            raise _perhaps_of_another(file, error) from error
        settings = []
    used = in_effect(file, settings)
    costs: list[CostOrVerdict] = []
    # A hash that is stored sets no cost of new ones.
    if file.is_own and all(cost.stored for cost in used):
        costs.append(default_or_verdict(file, settings))
    elif not used:
        used = [_of_another(file, settings)]
    used.sort(key=lambda cost: cost.line)
    costs += [cost_or_verdict(file, cost) for cost in used]
    return costs


def _costs_inside(
    app: App, text: str, path: str, release: AppRelease | None, *, is_outer: bool = True
) -> list[CostOrVerdict]:
    """The costs of the configurations that a file has inside, such as those of a shell script.

    One that is inside such a one counts as well, as of a script in a manifest, but none deeper.

    Returns:
        Nothing if the file sets a cost itself, or no configuration inside is the application's.
    """
    room, _, _ = app.reading["format"].partition(".")
    if room not in _OF_SETTINGS:
        return []
    inside: list[tuple[Excerpt, list[CostOrVerdict]]] = []
    covered: set[int] = set()
    for excerpt in excerpts(text, path, app.reading, app.name):
        # One way of writing a setting is enough, and so is the inner of two texts.
        if not covered.isdisjoint(excerpt.lines):
            continue
        costs: list[CostOrVerdict] = []
        if is_outer and excerpt.is_whole:
            costs = _costs_inside(app, excerpt.text, "", release, is_outer=False)
        settings = _settings_inside(at_release(app, release), excerpt.text)
        if not costs and _is_of(app, excerpt, settings):
            is_known = excerpt.is_known
            costs = _costs_of_text(app, excerpt.text, path, release, is_known=is_known)
            if _has_several_values(app, excerpt):
                costs = [of_several_values(app, max(one.line for one in settings))]
        elif not costs and settings and not excerpt.is_whole:
            costs = [of_the_rest(app, path)]
        if costs:
            covered.update(excerpt.lines)
            inside.append((excerpt, costs))
    rest = text.split("\n")
    for number in covered:
        rest[number - 1] = ""
    if any(setting.wins for setting in _settings_inside(app, "\n".join(rest))):
        return []
    moved: list[tuple[bool, CostOrVerdict]] = []
    for excerpt, costs in inside:
        moved += [(_has_line(cost), _outside(app, cost, excerpt, path)) for cost in costs]
    defaults = [cost for has_line, cost in moved if not has_line]
    set_there = [cost for has_line, cost in moved if has_line]
    # A default counts only where nothing sets a cost, and is one for several texts.
    return set_there or defaults[:1]


def _has_several_values(app: App, excerpt: Excerpt) -> bool:
    """Tell whether a text sets a cost to several values, of which a script decides."""
    readings: list[set[tuple[object, ...]]] = []
    for text in excerpt.either:
        settings = _settings_inside(app, text)
        readings.append({(one.hasher, *one.params.items()) for one in settings if one.wins})
    return bool(readings) and readings[0] != readings[-1]


def _has_line(cost: CostOrVerdict) -> bool:
    """Tell whether a line sets a cost."""
    return cost.place is not None and cost.place.line is not None


def _settings(app: App, text: str) -> Sequence[Found]:
    """The settings of a text; one that a reader could not make a cost of is one, too.

    Raises:
        UnreadableInputError: the text is damaged.
    """
    try:
        return app.read(text)
    except UndeterminedError as error:
        return [Found.of_error(error)]
    except UnreadError as error:
        return [Found.unread(0, str(error))]


def _settings_inside(app: App, text: str) -> Sequence[Found]:
    """The settings of a part of a file; none if it is in another format."""
    try:
        return _settings(app, text)
    except UnreadableInputError:
        return []


def _is_of(app: App, excerpt: Excerpt, settings: Sequence[Found]) -> bool:
    """Tell whether a text inside a file sets a cost of the application, or is its whole file."""
    # What only a part lacks, the rest of the file may set.
    if any(setting.wins and (setting.line or excerpt.is_whole) for setting in settings):
        return True
    is_its = excerpt.is_known or is_own(app.signs, excerpt.text, marks=2)
    return excerpt.is_whole and is_its


def _outside(app: App, cost: CostOrVerdict, excerpt: Excerpt, path: str) -> CostOrVerdict:
    """Move a cost of a text inside a file to its place in that file."""
    # A default is that of the text, and the reason for no cost that of the file.
    line: int | None = None
    if isinstance(cost, Configured):
        line = excerpt.lines[0]
    if cost.place is not None and cost.place.line is not None:
        line = excerpt.lines[min(cost.place.line, len(excerpt.lines)) - 1]
    place = Place(path=path, line=line)
    if excerpt.elsewhere and not _has_line(cost):
        named = printable(excerpt.elsewhere)[:SHOWN]
        why = f"it takes settings from {named}, which may set the cost"
        cure = f"name that file instead, or {look_at_a_hash(app)}"
        return unknown_cost(app, "", place, why, cure)
    if isinstance(cost, Configured) and not excerpt.is_whole:
        rest = "unless the rest of that configuration sets another"
        return msgspec.structs.replace(cost, place=place, note=joined(cost.note, rest))
    return msgspec.structs.replace(cost, place=place)


def _perhaps_of_another(file: AppText, error: UnreadableInputError) -> UnreadableInputError:
    """Say of a damaged file that nothing shows to be the application's what to name instead."""
    if file.is_own:
        return UnreadableInputError(str(error), file.path)
    usual = usual_place(file.app.places)
    instead = f"if it is not {file.app.title}'s, name the file that sets the cost{usual}"
    return UnreadableInputError(f"{error}; {instead}", file.path)


def _without_tests(text: str, tests: str) -> str:
    """Blank the lines that only tests run."""
    only_tests = re.compile(tests)
    lines = text.split("\n")
    for index, line in enumerate(lines):
        # Matched from a line's first word on: a search would begin at each of its characters.
        if only_tests.match(line.lstrip()):
            lines[index] = ""
    return "\n".join(lines)


def _of_another(file: AppText, settings: Sequence[Found]) -> Found:
    """Say that the file sets nothing, and that nothing shows that it is the application's.

    Raises:
        ForeignFileError: it is another application's.
    """
    title = file.app.title
    # It has them, but in a section or a branch that does not count.
    if settings:
        reasons = joined(*dict.fromkeys(setting.why for setting in settings if setting.why))
        why = f"none of its settings of {title} takes effect"
        if reasons:
            why = f"{why}: {reasons}"
        return Found.undetermined(0, why)
    why = f"it sets no cost of {title} that is known here"
    # People name the wrong file more often than they write a wrong setting.
    owners: list[str] = []
    # In another language, an assignment is no sign of whose file it is.
    if PurePath(file.path).suffix not in _OTHER_LANGUAGES:
        owners = [f"{other.title} (--app {other.name})" for other in owners_of(file.text)]
    if owners:
        seems = f"it seems to be a file of {either(owners)}"
        raise ForeignFileError(f"{why}; {seems}", file.path)
    # It may be the list of passwords itself, such as an htpasswd file.
    if any(named_in(file.text.encode(errors="replace"), read)):
        cure = f"count them with `calibrate audit {path_name(file.path)}`"
        return Found.undetermined(0, f"{why}, but stored hashes", cure=cure)
    if _lists_users(file.text):
        why = f"{why}; each line seems to begin with a user's name, and none holds a known hash"
        cure = ""
        # Such a program writes the lines of the list.
        if file.app.reading["format"] == _COMMANDS:
            command = f"`calibrate emit {file.app.name}`"
            cure = f"if it is the list of its users, write each line anew as {command} shows"
        return Found.undetermined(0, why, cure=cure)
    return Found.undetermined(0, why)


def _lists_users(text: str) -> bool:
    """Tell whether every line but the comments is a name and a word, as in an htpasswd file."""
    lines = [line.strip() for line in text.splitlines() if not line.startswith("#")]
    entries = [line for line in lines if line]
    return bool(entries) and all(_USER.fullmatch(entry) for entry in entries)
