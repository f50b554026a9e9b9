"""The costs that an application is configured with, read from its file. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import PurePath
from typing import Final, NamedTuple, TypeAlias

import msgspec

from hashcost.apps.containers import (
    begins_containers,
    env_files,
    mounted_settings,
    own_services,
    without_known_maps,
)
from hashcost.apps.excerpts import Excerpt, excerpts
from hashcost.apps.found import Flaw, Found
from hashcost.apps.interface import CHECK_WHAT_IS_MADE, FILLED_IN, App
from hashcost.apps.registry import owners_of
from hashcost.apps.schemes import ReleaseDefault, Scheme
from hashcost.apps.sign_tables import Sign
from hashcost.apps.signs import (
    UNNAMED,
    dated_by,
    first_elsewhere,
    is_for_tests,
    is_own,
    seen,
    starts_image,
    stated_release,
    without_comments,
)
from hashcost.apps.templates import without_template
from hashcost.checks.judgement import Configured, CostKind, CostOrVerdict, Judgement, Outcome
from hashcost.checks.stored_only import without_library
from hashcost.core.algorithms import has_known_cost
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UndeterminedError, UnreadableInputError, UnreadError
from hashcost.core.measurement import Params
from hashcost.core.text import IF_AT_EACH_REQUEST, either, joined, path_name, printable
from hashcost.core.units import format_setting, parse_release
from hashcost.recommend.emission import emit_command
from hashcost.source_code.versions import fixed_in
from hashcost.stored.formats.registry import read
from hashcost.stored.formats.typed import is_stored_only, missing_params, reading_at
from hashcost.stored.named import named_in

_INTERPOLATED: Final = re.compile(r"#\{[^{}]*\}")
_BYTE_ORDER_MARK: Final = "\ufeff"
_VARIABLES_ELSEWHERE: Final = re.compile(
    r"\b(?:env_file|envFrom|extends|include|configs)[ \t]?:|<<[ \t]?:|\benvironment[ \t]?:[ \t]?\*"
    r"|\.env\b|--config\b"
)
"""Signs that a container takes variables or settings from elsewhere than its own file."""

_GIVEN: Final = re.compile(r"--config[ \t=\"',]+([^\s\"',\[\]]+)")
"""A file of settings on the command line of a container, which is a list or one text."""

_COMMANDS: Final = "command_line.CommandLine"
"""The format of programs that are given the cost when they run."""
_USER: Final = re.compile(r"[^\s:=/]+:[^\s/]\S*")
"""A line of a list of users: a name, and a hash or a password."""

_BRANCH: Final = r"\b(?:if|unless|elsif|case)\b"
_STAGE: Final = re.compile(
    rf"{_BRANCH}\s*+\(?+(?:(?!{_BRANCH}).){{0,80}}?"
    r"(?:\b(?:Rails|Mix)\.env\b|\bconfig_env\(\)|\bwp_get_environment_type"
    r"|\b(?:RAILS|RACK|NODE|APP|GO|MIX)_ENV\b|\.Is(?:Development|Production|Staging|Environment)\("
    r"|\benvironment\(|->env\(\))|@Profile\("
)
"""A condition on the environment that the code runs in."""


_FOLDER: Final = re.compile(r"(?i)\binclude_?dir\b")
"""A line that takes in all files of a folder."""
_VALUES_OF_HELM: Final = re.compile(r"(?i)values(?:[._-].*)?\.ya?ml|.*[._-]values\.ya?ml")
"""The name of a file that a chart turns into settings."""
_ARGON2ID: Final = "argon2id"
_OF_CODE: Final = frozenset({"source_code.SourceCode", "java.spring"})
"""Formats that are source code: any file of a project may set the cost."""

_OTHER_LANGUAGES: Final = frozenset((".hcl", ".nix", ".nomad", ".tf"))
_OF_SETTINGS: Final = frozenset(
    ("clickhouse", "couchdb", "directory_servers", "druid", "emqx", "settings", "system_files")
)
"""The modules of formats for files of settings, which other files may have inside."""

_SHOWN: Final = 60
"""Characters of a line that a message quotes."""

Texts: TypeAlias = Sequence[tuple[str, str]]
"""Files, each by its path and its text."""


class ForeignFileError(UnreadableInputError):
    """A file is another application's."""


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


@dataclass(frozen=True)
class _File:
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
        return [_for_tests(app, path) for path, _ in files]
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
            costs.append(_unknown(app, "", Place(path=path), error.why))
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


def _for_tests(app: App, path: str) -> Judgement:
    """Judge a file that only tests read, which sets no cost of production."""
    why = "by its path, only tests read it"
    # The file that production reads may have the same name in another folder.
    often = _often(app.places)
    cure = f"name the file that production reads{often}, or {_look_at_a_hash(app)}"
    return _unknown(app, "", Place(path=path), why, cure)


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
    cure = f"set the same cost in both, or {_look_at_a_hash(app)}"
    judged: list[CostOrVerdict] = []
    for cost in costs:
        place = cost.place
        is_same = (cost.hasher, *cost.params.items()) in set_there
        if is_same or place is None or place.path in starting or isinstance(cost, Judgement):
            judged.append(cost)
        else:
            judged.append(_unknown(app, cost.hasher, place, why, cure))
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


def starts_containers(text: str) -> bool:
    """Whether it is a file of Docker Compose or Kubernetes."""
    return begins_containers(text) is not None


def _takes_in_a_named_file(app: App, line: str, path: str, files: Texts) -> bool:
    """Whether a line takes in another of the files that were named."""
    include = first_elsewhere(app.signs.elsewhere, line)
    if include is None:
        return False
    _, _, included = include
    # A pattern may match further files than those that are named.
    if "*" in included:
        return False
    name = PurePath(_INTERPOLATED.sub("*", included)).name
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
        release = _release_of_image(app, text) or release
    inside = _costs_inside(app, text, path, release)
    if inside:
        return inside
    if app.reading["format"].startswith("settings.") and PurePath(path).suffix == ".nix":
        return [_written_by_another(app, path, "Nix", "the file that Nix makes of it")]
    return _costs_of_text(app, text, path, release)


def _costs_of_text(
    app: App, text: str, path: str, release: AppRelease | None, *, is_known: bool = False
) -> list[CostOrVerdict]:
    """The costs that a text sets, or the default; without those of texts inside it.

    With ``is_known``, something beside the text shows that it is the application's.
    """
    if release is None:
        release = _shown_release(app, text, path)
    app = at_release(app, release)
    if app.signs.tests:
        text = _without_tests(text, app.signs.tests)
    file = _File(app, path, text, release, is_known)
    try:
        settings, unread = _read(file)
    except UnreadableInputError as error:
        if not text.startswith("#!"):
            raise _perhaps_of_another(file, error) from error
        return [_written_by_another(app, path, "a script", "the file that it writes")]
    used = _used(file, settings, unread)
    costs: list[CostOrVerdict] = []
    # A hash that is stored sets no cost of new ones.
    if file.is_own and all(cost.stored for cost in used):
        costs.append(_unset(file, settings))
    elif not used:
        used = [_of_another(file, settings)]
    used.sort(key=lambda cost: cost.line)
    costs += [_cost_or_verdict(file, cost) for cost in used]
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
        settings = _settings(at_release(app, release), excerpt.text)
        if not costs and _is_of(app, excerpt, settings):
            is_known = excerpt.is_known
            costs = _costs_of_text(app, excerpt.text, path, release, is_known=is_known)
        elif not costs and settings and not excerpt.is_whole:
            costs = [_of_the_rest(app, path)]
        if costs:
            covered.update(excerpt.lines)
            inside.append((excerpt, costs))
    rest = text.split("\n")
    for number in covered:
        rest[number - 1] = ""
    if any(setting.wins for setting in _settings(app, "\n".join(rest))):
        return []
    moved: list[tuple[bool, CostOrVerdict]] = []
    for excerpt, costs in inside:
        moved += [(_has_line(cost), _outside(app, cost, excerpt, path)) for cost in costs]
    defaults = [cost for has_line, cost in moved if not has_line]
    set_there = [cost for has_line, cost in moved if has_line]
    # A default counts only where nothing sets a cost, and is one for several texts.
    return set_there or defaults[:1]


def _has_line(cost: CostOrVerdict) -> bool:
    """Tell whether a line sets a cost."""
    return cost.place is not None and cost.place.line is not None


def _settings(app: App, text: str) -> Sequence[Found]:
    """The settings of a text; one that a reader could not make a cost of is one, too."""
    try:
        return app.read(text)
    except UndeterminedError as error:
        return [Found.of_error(error)]
    except UnreadError as error:
        return [Found.unread(0, str(error))]
    except UnreadableInputError:
        return []


def _is_of(app: App, excerpt: Excerpt, settings: Sequence[Found]) -> bool:
    """Tell whether a text inside a file sets a cost of the application, or is its whole file."""
    # What only a part lacks, the rest of the file may set.
    if any(setting.wins and (setting.line or excerpt.is_whole) for setting in settings):
        return True
    is_its = excerpt.is_known or is_own(app.signs, excerpt.text, marks=2)
    return excerpt.is_whole and is_its


def _of_the_rest(app: App, path: str) -> Judgement:
    """Judge a part of a configuration that sets no cost without the rest."""
    why = f"it sets a part of {app.title}, whose cost depends on the rest of that file"
    return _unknown(app, "", Place(path=path), why)


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
        named = printable(excerpt.elsewhere)[:_SHOWN]
        why = f"it takes settings from {named}, which may set the cost"
        cure = f"name that file instead, or {_look_at_a_hash(app)}"
        return _unknown(app, "", place, why, cure)
    if isinstance(cost, Configured) and not excerpt.is_whole:
        rest = "unless the rest of that configuration sets another"
        return msgspec.structs.replace(cost, place=place, note=joined(cost.note, rest))
    return msgspec.structs.replace(cost, place=place)


def _perhaps_of_another(file: _File, error: UnreadableInputError) -> UnreadableInputError:
    """Say of a damaged file that nothing shows to be the application's what to name instead."""
    if file.is_own:
        return error
    usual = _often(file.app.places)
    instead = f"if it is not {file.app.title}'s, name the file that sets the cost{usual}"
    return UnreadableInputError(f"{error.why}; {instead}", file.path)


def _written_by_another(app: App, path: str, language: str, written: str) -> Judgement:
    """Send from a file that writes the configuration to the one that it writes."""
    why = f"hashcost does not read the settings of {app.title} in {language}"
    cure = f"name {written}, or {_look_at_a_hash(app)}"
    return _unknown(app, "", Place(path=path), why, cure)


def at_release(app: App, release: AppRelease | None) -> App:
    """Set the release of an application, if that is known."""
    version = None
    if release is not None:
        version = release.version
    return app.at(version)


def _shown_release(app: App, text: str, path: str) -> AppRelease | None:
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


def _release_of_image(app: App, text: str) -> AppRelease | None:
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


def _without_tests(text: str, tests: str) -> str:
    """Blank the lines that only tests run."""
    only_tests = re.compile(tests)
    lines = text.split("\n")
    for index, line in enumerate(lines):
        # Matched from a line's first word on: a search would begin at each of its characters.
        if only_tests.match(line.lstrip()):
            lines[index] = ""
    return "\n".join(lines)


def _read(file: _File) -> tuple[tuple[Found, ...], list[Found]]:
    """The settings of a file, or why they cannot be told."""
    try:
        return file.app.read(file.text), []
    except UndeterminedError as error:
        return (), [Found.of_error(error)]
    except UnreadError as error:
        return (), [Found.unread(0, str(error))]
    except UnreadableInputError as error:
        # What starts containers has a format of its own, and says so below.
        if starts_containers(file.text):
            return (), []
        raise UnreadableInputError(str(error), file.path) from error


def _used(file: _File, settings: Sequence[Found], unread: list[Found]) -> list[Found]:
    """The costs that take effect, with what makes them uncertain."""
    app = file.app
    used = [setting for setting in settings if setting.wins] + unread
    is_its = bool(used) or file.is_own
    # Old releases ignore the settings that newer ones read.
    unfit = app.unfit
    if is_its and unfit is not None and unfit.is_so(app, file.plain):
        line = used[0].line if used else 0
        cure = ""
        # No setting of such a release chooses another, or another that is better.
        if not unfit.unless or app.default_of(app.schemes[0].hasher) is None:
            cure = app.for_stored_hashes(f"upgrade to {app.supported_from(unfit.before)}")
        says = unfit.says
        if file.release is not None and file.release.newest:
            says = joined(says, file.release.says)
        used = [Found.unfit(unfit.hasher, line, says, cure)]
    used = _with_signs(file, used, {setting.line for setting in settings})
    used = _guarded(file, used, [*settings, *used])
    # Once something is unknown or unfit, a further hasher changes nothing.
    if (used or file.is_own) and all(cost.flaw is None for cost in used):
        used += _every(file, used)
    return used


def _of_another(file: _File, settings: Sequence[Found]) -> Found:
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


def _with_signs(file: _File, used: list[Found], setting_lines: set[int]) -> list[Found]:
    """Add what the application's signs show: unfit algorithms, and costs that nothing here reads.

    ``setting_lines`` are the lines whose settings were read, also those without an effect.
    """
    signs = file.app.signs
    read_lines = setting_lines | {cost.line for cost in used}
    for number, sign in seen(file.holding(signs.unfit), file.plain):
        if sign.unset and used:
            continue
        if sign.params:
            # It sets the cost by its presence, whatever else is set.
            read_lines.add(number)
            used = [cost for cost in used if cost.flaw is not None]
            used.append(
                Found(
                    hasher=sign.hasher,
                    params=sign.params,
                    line=number,
                    why=sign.says,
                    cure=sign.cure,
                )
            )
        else:
            read_lines.add(number)
            used = _without_replaced(used, sign)
            used.append(Found.unfit(sign.hasher, number, sign.says, sign.cure))
    if any(cost.is_undetermined for cost in used):
        return used
    is_set = bool(setting_lines or used)
    for number, sign in seen(file.holding(signs.unread), file.plain):
        if (sign.unset and is_set) or (number in read_lines and not sign.always):
            continue
        if sign.until:
            # An old release reads the line in its own way: the cost that was read there is not it.
            used = [cost for cost in used if cost.flaw is not None or cost.line != number]
        used = _without_replaced(used, sign)
        cure = sign.cure
        # What is set here is in no other file.
        if not cure and not sign.elsewhere:
            cure = _look_at_a_hash(file.app)
            if sign.until and file.app.release is None:
                cure = f"give its release as --app-version, or {cure}"
            elif sign.until:
                cure = f"upgrade to {file.app.supported_from(sign.until)}, or {cure}"
        used.append(Found.undetermined(number, sign.says, sign.hasher, cure=cure))
        is_set = True
    return used


def _without_replaced(used: list[Found], sign: Sign) -> list[Found]:
    """Leave out the costs that do not count where a sign says what hashes instead."""
    if not sign.instead:
        return used
    return [cost for cost in used if cost.flaw is not None]


def _guarded(file: _File, used: list[Found], settings: Sequence[Found]) -> list[Found]:
    """Add an unknown if a line below takes in another file, or the environment may decide.

    ``settings`` are all that were read, used or not.
    """
    if any(cost.is_undetermined for cost in used):
        return used
    costs = {(cost.hasher, *cost.params.items()) for cost in settings if not cost.apart}
    is_overridden = len(costs) > 1 and not all(cost.wins for cost in settings)
    container = begins_containers(file.plain)
    # The file of the application itself may come to the container from elsewhere.
    if container is not None and (
        is_overridden or not (used or is_own(file.app.signs, file.plain))
    ):
        line = file.plain.count("\n", 0, container.start()) + 1
        title = file.app.title
        why = "it starts containers; check the configuration and the variables that they get"
        if not is_overridden and not any(
            starts_image(name, file.text) for name in file.app.images
        ):
            unknown = f"it starts containers, and none is known to run {title}"
            why = f"{unknown}; check the configuration and the variables of the one that does"
        return [Found.undetermined(line, why)]
    if container is not None and not used:
        deciding = _decides_beside_the_image(file, container)
        if deciding is not None:
            return [deciding]
    branch = _deciding_branch(file.plain, used, is_one=len(costs) <= 1)
    if branch is not None:
        why = "the environment decides which cost counts; look at a hash that it made"
        return [Found.undetermined(branch, why)]
    return used + _taken_in(file, used)


def _taken_in(file: _File, used: Sequence[Found]) -> list[Found]:
    """The first line that takes in another file, or starts the application with it, as unknown."""
    starts = first_elsewhere(file.app.signs.given, file.plain)
    if starts is not None and not used and not file.is_own:
        number, line_text, name = starts
        why = f"`{_quoted(line_text)}` names {printable(name)[:_SHOWN]}, which may set the cost"
        cure = f"name that file instead, or {_look_at_a_hash(file.app)}"
        return [Found.undetermined(number, why, cure=cure)]
    # What is taken in above a setting is overridden by it.
    last = max((cost.line for cost in used), default=0)
    include = first_elsewhere(file.app.signs.elsewhere, file.plain, after=last)
    if include is None:
        return []
    number, line_text, name = include
    named = printable(name)[:_SHOWN]
    possible = printable(_INTERPOLATED.sub("*", name))[:_SHOWN]
    if possible != named:
        named = f"the one of {possible} that production reads"
    them = "that file"
    if name.endswith("/") or _FOLDER.search(line_text):
        named = f"the files in {named}"
        them = "those files"
    why = f"`{_quoted(line_text)}` may take in a file that sets the cost"
    cure = ""
    # Its usual name is no help where the line shows the one that it has.
    if name != UNNAMED:
        why = f"`{_quoted(line_text)}` takes in {named}, which may set the cost"
        is_one = bool(file.app.together or file.app.together_if_one_has)
        too = "too" if is_one else "instead"
        cure = f"name {them} {too}, or {_look_at_a_hash(file.app)}"
    return [Found.undetermined(number, why, cure=cure)]


def _quoted(line_text: str) -> str:
    """The beginning of a line."""
    shown = printable(line_text)
    if len(shown) <= _SHOWN:
        return shown
    return f"{shown[:_SHOWN]}…"


def _decides_beside_the_image(file: _File, container: re.Match[str]) -> Found | None:
    """Say what sets the cost of a container that nothing in its own file sets.

    Returns:
        `None` if the default of its image counts.
    """
    taken_in = _VARIABLES_ELSEWHERE.search(without_known_maps(file.plain))
    if taken_in is not None:
        line = file.plain.count("\n", 0, taken_in.start()) + 1
        why = "the container takes variables or settings from a file that may set the cost"
        if taken_in[0].startswith("envFrom"):
            why = "the container takes variables from a Secret or ConfigMap that may set the cost"
        cure = ""
        given = dict.fromkeys(_GIVEN.findall(file.plain))
        if given:
            paths = ", ".join(printable(path)[:_SHOWN] for path in given)
            why = f"the container is given {paths}, which may set the cost"
            cure = f"check what is mounted there, or {_look_at_a_hash(file.app)}"
        return Found.undetermined(line, why, cure=cure)
    for mount in mounted_settings(file.plain):
        why = f"what is mounted at {printable(mount.target)[:_SHOWN]} may set the cost"
        cure = f"name the file of it that does, or {_look_at_a_hash(file.app)}"
        return Found.undetermined(mount.line, why, cure=cure)
    of_image = file.app.signs.of_image
    if of_image is not None:
        line = file.plain.count("\n", 0, container.start()) + 1
        return Found.undetermined(line, of_image.says, cure=of_image.cure)
    return None


def _deciding_branch(plain: str, used: Sequence[Found], *, is_one: bool) -> int | None:
    """The line of a condition on the environment that may decide which cost counts, if any.

    A condition elsewhere in the file decides nothing where ``is_one`` cost is all that it sets.
    """
    if not used:
        return None
    branches = [number for number, line in enumerate(plain.splitlines(), 1) if _STAGE.search(line)]
    cost_lines = {cost.line for cost in used if not cost.apart}
    for branch in branches:
        if branch in cost_lines:
            return branch
    return None if is_one or not branches else branches[0]


def _every(file: _File, used: Sequence[Found]) -> list[Found]:
    """The hashers that the application hashes each password with besides."""
    named = {cost.hasher for cost in used}
    besides: list[Found] = []
    for every in file.app.every:
        if every.hasher in named or re.search(every.unless, file.plain):
            continue
        # Its release may be older than the hasher's first.
        if file.app.default_of(every.hasher) is None:
            continue
        also = ""
        if named or besides:
            also = "also "
        why = f"{file.app.title} {also}hashes each password with it by default"
        besides.append(Found(hasher=every.hasher, params={}, line=0, why=why))
    return besides


def _cost_or_verdict(file: _File, setting: Found) -> CostOrVerdict:
    """A setting as a cost to judge, or the judgement of one that has a flaw."""
    app = file.app
    place = file.at(setting.line)
    hasher = setting.hasher
    if setting.flaw is Flaw.UNSUITABLE:
        advice = setting.cure or _another_hasher(app, hasher)
        return Judgement.without_cost(Outcome.UNSUITABLE, hasher, place, setting.why, advice)
    if setting.flaw is Flaw.UNKNOWN:
        return _unknown(app, hasher, place, setting.why, setting.cure)
    if setting.flaw is Flaw.UNREAD:
        message = f"not read: {setting.why}"
        advice = "shorten it, or look for the cost yourself and accept it"
        return Judgement.without_cost(Outcome.UNREAD, "unknown", place, message, advice)
    scheme = app.scheme(hasher)
    if scheme is not None:
        return _configured(file, scheme, setting)
    # It has no limits or library of its own here, but its cost can be judged.
    if has_known_cost(hasher, setting.params):
        return Configured(
            hasher=hasher,
            params=setting.params,
            place=place,
            note=setting.why,
            refused=setting.refused,
            kind=_kind_of(setting),
            cure=setting.cure,
        )
    if is_stored_only(hasher):
        return _uncomputed(app, setting, place)
    shown = printable(hasher)[:40]
    if setting.params:
        cost = f"{shown} {format_setting(setting.params)}"
        why = f"{app.title} hashes with {cost}; no library here computes {shown}"
        cure = f"hash with {app.schemes[0].hasher} instead"
        return _unknown(app, hasher, place, joined(why, setting.why), cure)
    why = f"{app.title} hashes with {shown}, whose cost hashcost does not know"
    return _unknown(app, hasher, place, joined(why, setting.why))


def _kind_of(setting: Found) -> CostKind:
    if setting.stored:
        return CostKind.STORED
    return CostKind.SET


def _uncomputed(app: App, setting: Found, place: Place) -> Judgement:
    """Judge a setting of an algorithm that no library here computes."""
    hasher = setting.hasher
    missing = missing_params(hasher, setting.params)
    if missing:
        default = f"and hashcost does not know the default of {app.title}"
        why = f"the file does not set {', '.join(missing)} of {hasher}, {default}"
        return _unknown(app, hasher, place, joined(setting.why, why), setting.cure)
    row = without_library(reading_at(hasher, setting.params), place, _kind_of(setting))
    advice = setting.cure or _another_hasher(app, hasher)
    refused = ""
    if setting.refused:
        refused = f"{app.title} refuses it: {setting.refused}"
    why = joined(setting.why, refused, row.message)
    return msgspec.structs.replace(row, message=why, advice=advice)


def _another_hasher(app: App, hasher: str) -> str:
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


def _unknown(app: App, named: str, place: Place, why: str, cure: str = "") -> Judgement:
    """Judge a place whose cost the file does not tell; the advice is usual without a ``cure``."""
    usual = _look_at_a_hash(app)
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
    return f"name the file that sets it{_often(usual)}"


def _often(places: Sequence[str]) -> str:
    """Name the first place of an application that is not a pattern."""
    for place in places:
        if "*" not in place:
            return f" (often {place})"
    return ""


def _look_at_a_hash(app: App) -> str:
    return app.look or f"pass a hash that {app.title} made to `calibrate explain`"


def _unset(file: _File, settings: Sequence[Found]) -> CostOrVerdict:
    """The default of the application, as far as it is known, and what ``settings`` count for."""
    app = file.app
    scheme = app.usual_scheme
    filled_in = without_template(file.plain).filled_in
    if filled_in:
        return _unknown(app, "", file.at(filled_in[0]), FILLED_IN, CHECK_WHAT_IS_MADE)
    default = app.default_of(scheme.hasher)
    if default is None:
        release = file.release
        why = f"it sets no cost, and the default of {app.title_of_releases} is unknown"
        if release is not None:
            why = f"{why} for version {release}"
            if release.newest:
                why = f"{why}, which {release.source} is of; {release.unless}"
        return _unknown(app, "", file.at(0), why, _upgrade(app, scheme))
    idle = dict.fromkeys(cost.why for cost in settings if not cost.wins)
    note = joined(f"not set in the file; {_default_text(file, scheme, default)}", *idle)
    cost = _cost(file, scheme, default.params, note=note, blocks=default.blocks)
    return msgspec.structs.replace(cost, unstated=tuple(cost.params))


def _upgrade(app: App, scheme: Scheme) -> str:
    """The cure for a release that is older than those whose default is known, if it is that."""
    releases = [row.since for row in scheme.defaults if not row.since[:1].isalpha()]
    if app.release is None or not releases:
        return ""
    oldest = min(releases, key=parse_release)
    if not app.is_before(oldest):
        return ""
    cure = f"upgrade to {app.supported_from(oldest)}"
    if app.missing(scheme) is None:
        command = f"calibrate emit {app.name} --app-version {app.release}"
        cure = f"{cure}, set the cost there as `{command}` writes it"
    return f"{cure}, or {_look_at_a_hash(app)}"


def _default_text(file: _File, scheme: Scheme, default: ReleaseDefault) -> str:
    """Say which default it is, and why."""
    title = file.app.title_of_releases
    since = ""
    if default.since:
        since = f" since {default.since}"
    if file.release is not None:
        return f"the default of {title}{since}; {file.release.says}"
    # With one default for all releases the release does not matter.
    is_the_same = len({str(row.params) for row in scheme.defaults}) <= 1
    if is_the_same:
        former = file.app.hasher_before(default.since)
        # Releases before that one may have yet other hashers.
        if former is None or former == scheme.hasher:
            return f"the default of {title}{since}"
        older = "older releases hash with another: give one as --app-version"
        return f"the default of {title}{since}; {older}"
    weakest = f"the weakest default of supported releases of {title}, in use{since}"
    return f"{weakest}; its version is not known: give --app-version"


def _configured(file: _File, scheme: Scheme, setting: Found) -> CostOrVerdict:
    """The cost of a setting, with defaults and the application's limits."""
    if setting.library:
        scheme = msgspec.structs.replace(scheme, library=setting.library, reference=None, note="")
    title = file.app.title
    notes = [setting.why]
    newer = None
    if not setting.stored:
        newer = file.app.missing(scheme)
    default = file.app.default_of(scheme.hasher)
    is_ignored = newer is not None and newer.since.ignored and default is not None
    if is_ignored and setting.params:
        program = file.app.title_of_releases
        ignores = f"{program} {file.release} ignores {format_setting(setting.params)}"
        notes.append(ignores)
        setting = replace(setting, params={})
    params = dict(setting.params)
    # The application's defaults fill in what the file leaves out.
    if default is not None:
        params = {**default.params, **setting.params}
    if not params.keys() >= scheme.limits.keys():
        return _incomplete(file, scheme, setting, params)
    if default is not None and not default.params.keys() <= setting.params.keys():
        rest = "the rest is" if setting.params else "it is"
        notes.append(f"{rest} {_default_text(file, scheme, default)}")
    params, further, refused = _within_limits(file, scheme, params)
    notes += further
    why = setting.refused or scheme.refuses(params)
    if why:
        refused.append(f"{title} refuses it: {why}")
    # An old release does not read the settings of a newer one, or stops at them.
    if newer is not None and setting.params and not newer.is_read_in(file.plain):
        refused.append(newer.why(file.release))
    cost = _cost(
        file,
        scheme,
        params,
        line=setting.line,
        note=joined(*notes),
        blocks=setting.blocks,
        refused=joined(*refused),
        kind=_kind_of(setting),
        cure=setting.cure,
    )
    unstated = tuple(name for name in params if name not in setting.params)
    return msgspec.structs.replace(cost, unstated=unstated)


def _incomplete(file: _File, scheme: Scheme, setting: Found, params: Params) -> Judgement:
    """Judge a setting to which nothing adds the rest of the ``params``."""
    app = file.app
    place = file.at(setting.line)
    newer = app.missing(scheme)
    if newer is not None:
        why = joined(setting.why, newer.why(file.release))
        cure = newer.cure("the cost", _look_at_a_hash(app))
        return _unknown(app, setting.hasher, place, why, cure)
    missing = [name for name in scheme.limits if name not in params]
    unset = f"the file does not set {', '.join(missing)}"
    if file.release is not None and scheme.defaults:
        program = app.title_of_releases
        unset = f"{unset}, and the default of {program} {file.release} is unknown"
    return _unknown(app, setting.hasher, place, joined(setting.why, unset))


def _within_limits(
    file: _File, scheme: Scheme, params: Params
) -> tuple[dict[str, int], list[str], list[str]]:
    """The params that the application makes of these, with notes, and why it refuses them."""
    title = file.app.title
    taken = dict(params)
    notes = []
    refused = []
    for name, limits in scheme.limits.items():
        value = taken[name]
        nearest = limits.beside(taken).nearest(value)
        # A limit that is only recommended changes nothing.
        if nearest == value or not limits.enforced:
            continue
        if limits.unless and re.search(limits.unless, file.text, re.MULTILINE):
            continue
        words, is_useless = limits.consequence(value)
        misfit = limits.misfit(value)
        note = f"{format_setting({name: value})} {misfit} for {title}: {words}"
        # Some applications replace the value, others do not start.
        if is_useless:
            refused.append(note)
        else:
            taken[name] = nearest
            notes.append(note)
    return taken, notes, refused


def _override(file: _File) -> str:
    """Say what may set another cost, unless the file itself shows that."""
    overridden = file.app.overridden
    if overridden is None:
        return ""
    if overridden.unless and re.search(overridden.unless, file.text):
        return ""
    return f"unless {overridden.by} overrides it"


def _cost(
    file: _File,
    scheme: Scheme,
    params: Params,
    *,
    line: int = 0,
    note: str,
    blocks: int | None,
    refused: str = "",
    kind: CostKind = CostKind.SET,
    cure: str = "",
) -> Configured:
    """The cost of a scheme at a line; of the whole file without one."""
    reference = scheme.reference
    if kind is CostKind.SET:
        note = joined(note, file.app.proviso, _override(file))
    if file.app.each_request:
        note = joined(note, IF_AT_EACH_REQUEST)
    return Configured(
        hasher=scheme.hasher,
        implementation=None if reference is None else reference.implementation,
        params=params,
        place=file.at(line),
        app=file.app,
        scheme=scheme,
        blocks=blocks,
        note=note,
        refused=refused,
        kind=kind,
        cure=cure,
        memory_limit=scheme.memory_limit(file.plain),
    )
