"""The costs that an application is configured with, read from its file. Pure."""

import re
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Final, NamedTuple

import msgspec

from hashcost.apps.interface import App, Flaw, Found, ReleaseDefault, Scheme
from hashcost.apps.registry import owners_of
from hashcost.apps.signs import first_elsewhere, is_own, seen, without_comments
from hashcost.checks.judgement import Configured, Held, Judgement, Outcome
from hashcost.core.algorithms import has_known_cost
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UnreadError, UntoldError
from hashcost.core.measurement import Params
from hashcost.core.text import either, joined, printable
from hashcost.core.units import format_setting, parse_release

_INTERPOLATED: Final = re.compile(r"#\{[^{}]*\}")
_BYTE_ORDER_MARK: Final = "\ufeff"
_CONTAINERS: Final = re.compile(
    r"^services\s*:|^kind\s*:\s*[\"']?(?:Deployment|StatefulSet|DaemonSet|Pod|Job|CronJob|ConfigMap)\b",
    re.MULTILINE,
)

_BRANCH: Final = r"\b(?:if|unless|elsif|case)\b"
_STAGE: Final = re.compile(
    rf"{_BRANCH}\s*+\(?+(?:(?!{_BRANCH}).){{0,80}}?"
    r"(?:\b(?:Rails|Mix)\.env\b|\bconfig_env\(\)|\bwp_get_environment_type"
    r"|\b(?:RAILS|RACK|NODE|APP|GO|MIX)_ENV\b|\.Is(?:Development|Production|Staging|Environment)\("
    r"|\benvironment\()|@Profile\("
)
"""A condition on the environment that the code runs in."""


class ForeignFileError(UnreadableInputError):
    """A file is another application's."""


class Release(NamedTuple):
    """The release of an application, which decides its defaults, and the source of that."""

    version: str
    source: str = ""

    def __str__(self) -> str:
        """``version`` or ``version (source)``."""
        return f"{self.version} ({self.source})" if self.source else self.version


def costs_in_files(
    app: App, files: Sequence[tuple[str, str]], release: Release | None
) -> tuple[Held, ...]:
    """The costs of files, by their paths and texts, as `costs_in`.

    Files that the application reads one after the other count as one. One that cannot be read
    beside others is a judgement.

    Raises:
        ForeignFileError: there is only one file, and it is another application's.
        UnreadableInputError: all files are damaged.
    """
    if not count_as_one(app, files):
        costs: list[Held] = []
        errors: list[UnreadableInputError] = []
        for path, text in files:
            try:
                costs += costs_in(app, text, path, release)
            except ForeignFileError as error:
                if len(files) < 2:
                    raise
                costs.append(_unknown(app, "", Place(path=path), str(error)))
            except UnreadableInputError as error:
                errors.append(error)
                costs.append(unread_file(path, error))
        if errors and len(errors) == len(files):
            raise errors[0]
        return tuple(costs)
    # PHP comes last: what stands above it is the environment that it reads.
    files = sorted(files, key=lambda file: file[1].lstrip().startswith("<?php"))
    lines = [(path, line) for path, text in files for line in enumerate(text.splitlines(), 1)]
    joined_text = "".join(
        "\n" if _takes_in_a_named_file(app, text, path, files) else f"{text}\n"
        for path, (_, text) in lines
    )
    costs_together = costs_in(app, joined_text, files[0][0], release)

    def placed(cost: Held) -> Held:
        if cost.place is None or cost.place.line is None:
            return cost
        path, (number, _) = lines[cost.place.line - 1]
        return msgspec.structs.replace(cost, place=Place(path=path, line=number))

    return tuple(map(placed, costs_together))


def count_as_one(app: App, files: Sequence[tuple[str, str]]) -> bool:
    """Whether the application reads files, by path and text, one after the other."""
    if len(files) < 2 or any(starts_containers(text) for _, text in files):
        return False
    mark = app.together_if_one_has
    deciding = sum(bool(mark and re.search(mark, text, re.MULTILINE)) for _, text in files)
    return app.together or deciding == 1


def starts_containers(text: str) -> bool:
    """Whether it is a file of Docker Compose or Kubernetes."""
    return _CONTAINERS.search(text) is not None


def _takes_in_a_named_file(
    app: App, line: str, path: str, files: Sequence[tuple[str, str]]
) -> bool:
    include = first_elsewhere(app.signs, line, after=0)
    if include is None or "*" in include[2]:
        return False
    name = PurePath(_INTERPOLATED.sub("*", include[2])).name
    return any(fnmatch(PurePath(other).name, name) for other, _ in files if other != path)


def costs_in(app: App, text: str, path: str, release: Release | None) -> tuple[Held, ...]:
    """The costs that the application uses when it reads this file, and the unknown ones.

    If the file sets nothing, the ``release`` decides, or if that is unknown, the weakest default
    of the supported releases. A default counts only if the file is the application's and all of
    it can be read.

    Raises:
        ForeignFileError: the file is another application's.
        UnreadableInputError: it is damaged.
    """
    text = text.removeprefix(_BYTE_ORDER_MARK)
    version = release.version if release else None
    if app.signs.tests:
        only_tests = re.compile(app.signs.tests)
        # Matched from a line's first word on: a search would begin at each of its characters.
        lines = ("" if only_tests.match(line.lstrip()) else line for line in text.split("\n"))
        text = "\n".join(lines)
    settings, untold = _read(app, text, path)
    used = [setting for setting in settings if setting.wins] + untold
    plain = without_comments(text, app.comment)
    own = is_own(app.signs, text)
    if app.unfit is not None and app.unfit.is_so(version, plain) and (used or own):
        used = [Found.unfit(app.unfit.hasher, used[0].line if used else 0, app.unfit.says)]
    used = _with_signs(app, plain, version, used, {setting.line for setting in settings})
    used = _guarded(app, used, [*settings, *used], plain)
    if all(cost.flaw is None for cost in used) and (used or own):
        used += _every(app, used, plain)
    if not (used or own):
        owners = [f"{other.title} (--app {other.name})" for other in owners_of(text)]
        why = f"it contains no known setting of {app.title}"
        if settings:
            why = f"none of its settings of {app.title} takes effect"
        elif owners:
            seems = f"it seems to be a file of {either(owners)}"
            raise ForeignFileError(f"{path}: {why}; {seems}")
        used.append(Found.untold(0, why))
    if not used:
        return (unset(app, path, release),)
    ordered = sorted(used, key=lambda cost: cost.line)
    return tuple(_held(app, cost, path, release, text) for cost in ordered)


def _read(app: App, text: str, path: str) -> tuple[tuple[Found, ...], list[Found]]:
    try:
        return app.read(text), []
    except UntoldError as error:
        return (), [Found.untold(error.line, error.what)]
    except UnreadError as error:
        return (), [Found.unread(0, str(error))]
    except UnreadableInputError as error:
        if starts_containers(text):
            return (), []
        raise UnreadableInputError(f"{path}: {error}") from error


def _guarded(app: App, used: list[Found], settings: Sequence[Found], plain: str) -> list[Found]:
    """Add an unknown if a line below takes in another file, or the environment may decide."""
    if any(cost.is_untold for cost in used):
        return used
    differing = {(cost.hasher, *cost.params.items()) for cost in settings if not cost.apart}
    container = _CONTAINERS.search(plain)
    overridden = len(differing) > 1 and not all(cost.wins for cost in settings)
    if container is not None and (overridden or not (used or is_own(app.signs, plain))):
        why = "it starts containers; check the configuration and the variables that they get"
        return [Found.untold(plain.count("\n", 0, container.start()) + 1, why)]
    branches = [n for n, line in enumerate(plain.splitlines(), 1) if _STAGE.search(line)]
    inside = [n for n in branches if any(cost.line == n and not cost.apart for cost in used)]
    if branches and used and (len(differing) > 1 or inside):
        why = "the environment decides which cost counts; look at a hash that it made"
        return [Found.untold((inside or branches)[0], why)]
    last = max((cost.line for cost in used), default=0)
    include = first_elsewhere(app.signs, plain, after=last)
    if include is None:
        return used
    number, line, name = include
    why = f"`{printable(line)[:60]}` may set the cost; check {printable(name)[:60]} too"
    return [*used, Found.untold(number, why)]


def _with_signs(
    app: App, plain: str, version: str | None, used: list[Found], setting_lines: set[int]
) -> list[Found]:
    read_lines = setting_lines | {cost.line for cost in used}
    release = parse_release(version or app.supported)
    unfit, unread = (
        tuple(s for s in signs if not s.until or release < parse_release(s.until))
        for signs in (app.signs.unfit, app.signs.unread)
    )
    for number, sign in seen(unfit, plain):
        if sign.unset and used:
            continue
        if sign.params:
            read_lines.add(number)
            used = [cost for cost in used if cost.flaw is not None]
            used.append(Found(hasher=sign.hasher, params=sign.params, line=number, why=sign.says))
        else:
            used.append(Found.unfit(sign.hasher, number, sign.says))
    if any(cost.is_untold for cost in used):
        return used
    for number, sign in seen(unread, plain):
        if (sign.always or number not in read_lines) and not (sign.unset and setting_lines):
            used = [cost for cost in used if cost.flaw or cost.line != number or not sign.until]
            used.append(Found.untold(number, sign.says))
            setting_lines = setting_lines | {number}
    return used


def _every(app: App, used: Sequence[Found], text: str) -> list[Found]:
    # Some applications hash each password with another hasher besides.
    named = {cost.hasher for cost in used}
    why = f"{app.title} also hashes each password with it by default"
    return [
        Found(hasher=every.hasher, params={}, line=0, why=why)
        for every in app.every
        if every.hasher not in named and not re.search(every.unless, text)
    ]


def _held(app: App, setting: Found, path: str, release: Release | None, text: str) -> Held:
    place, hasher = Place(path=path, line=setting.line or None), setting.hasher
    if setting.flaw is Flaw.UNSUITABLE:
        first = app.schemes[0].hasher
        advice = f"hash with {first}, and rehash each password when its user logs in"
        return Judgement.without_cost(Outcome.UNSUITABLE, hasher, place, setting.why, advice)
    if setting.flaw is Flaw.UNKNOWN:
        return _unknown(app, hasher, place, setting.why)
    if setting.flaw is Flaw.UNREAD:
        message = f"not read: {setting.why}"
        advice = "shorten it, or look for the cost yourself and accept it"
        return Judgement.without_cost(Outcome.UNREAD, "unknown", place, message, advice)
    scheme = app.scheme(hasher)
    if scheme is not None:
        return _configured(app, scheme, setting, place, release, text)
    if has_known_cost(hasher, setting.params):
        return Configured(hasher=hasher, params=setting.params, place=place, note=setting.why)
    shown = printable(hasher)[:40]
    why = f"{app.title} hashes with {shown}, whose cost hashcost does not know"
    return _unknown(app, hasher, place, why)


def unread_file(path: str, error: UnreadableInputError) -> Judgement:
    """Judge a file that cannot be read, beside others."""
    cure = "shorten" if isinstance(error, UnreadError) else "mend"
    advice = f"{cure} the file, or look for the cost yourself and accept it"
    why = str(error).removeprefix(f"{path}: ")
    place = Place(path=path)
    return Judgement.without_cost(Outcome.UNREAD, "unknown", place, f"not read: {why}", advice)


def _unknown(app: App, named: str, place: Place, why: str) -> Judgement:
    whose = f"a hash that {app.title} made"
    advice = f"name the file that sets it, or look at {whose} with `calibrate explain`"
    return Judgement.without_cost(Outcome.UNKNOWN, named or "unknown", place, why, advice)


def unset(app: App, path: str, release: Release | None) -> Held:
    """The default of the application, as far as it is known."""
    version = release.version if release else None
    number = parse_release(version or "")
    since = [first for first in app.first if version and parse_release(first) <= number]
    usual = app.first[max(since, key=parse_release)] if since else None
    scheme = app.scheme(usual) or app.schemes[0]
    default = app.default_of(scheme.hasher, version)
    if default is None:
        why = f"it sets no cost, and the default of {app.title} is unknown"
        why += f" for version {release}" if release else ""
        return _unknown(app, "", Place(path=path), why)
    note = f"not set in the file; {_default_text(app, scheme, default, release)}"
    return _cost(app, scheme, default.params, Place(path=path), note, default.blocks)


def _default_text(
    app: App, scheme: Scheme, default: ReleaseDefault, release: Release | None
) -> str:
    """Say which default it is, and why."""
    since = f" since {default.since}" if default.since else ""
    if release is not None:
        return f"the default of {app.title}{since}; its version is {release}"
    if len({str(row.params) for row in scheme.defaults}) > 1:
        weakest = f"the weakest default of supported releases of {app.title}, that{since}"
        return f"{weakest}; its version is not known: give --app-version"
    return f"the default of {app.title}{since}"


def _configured(
    app: App, scheme: Scheme, setting: Found, place: Place, release: Release | None, text: str
) -> Held:
    # The application's defaults fill in what the file leaves out.
    default = app.default_of(scheme.hasher, release.version if release else None)
    params = {**({} if default is None else default.params), **setting.params}
    missing = [name for name in scheme.limits if name not in params]
    if missing:
        why = joined(setting.why, f"the file does not set {', '.join(missing)}")
        return _unknown(app, setting.hasher, place, why)
    notes, refused = [setting.why], []
    if default is not None and not default.params.keys() <= setting.params.keys():
        rest = "the rest is" if setting.params else "it is"
        notes.append(f"{rest} {_default_text(app, scheme, default, release)}")
    for name, limits in scheme.limits.items():
        value = params[name]
        excepted = limits.unless and re.search(limits.unless, text, re.MULTILINE)
        if not limits.enforced or limits.nearest(value) == value or excepted:
            continue
        words, is_useless = limits.consequence(value)
        note = f"{format_setting({name: value})} is out of range for {app.title}: {words}"
        if is_useless:
            refused.append(note)
        else:
            params[name] = limits.nearest(value)
            notes.append(note)
    if why := setting.refused or scheme.refuses(params):
        refused.append(f"{app.title} refuses it: {why}")
    cost = _cost(app, scheme, params, place, joined(*notes), setting.blocks)
    return msgspec.structs.replace(cost, refused=joined(*refused))


def _cost(
    app: App, scheme: Scheme, params: Params, place: Place, note: str, blocks: int | None
) -> Configured:
    return Configured(
        hasher=scheme.hasher,
        implementation=None if scheme.reference is None else scheme.reference.implementation,
        params=params,
        place=place,
        app=app,
        scheme=scheme,
        blocks=blocks,
        note=note,
    )
