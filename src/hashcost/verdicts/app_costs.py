"""The costs that an application is configured with, read from its file. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import msgspec

from hashcost.apps.interface import App, Flaw, Found, ReleaseDefault, Scheme, joined, ordered
from hashcost.apps.signs import (
    LONGEST_LINE,
    first_elsewhere,
    is_own,
    longest_line,
    seen,
    without_comments,
)
from hashcost.core.algorithms import has_known_cost
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UntoldError
from hashcost.core.measurement import Params
from hashcost.core.text import printable
from hashcost.core.units import format_setting
from hashcost.verdicts.judgement import Configured, Held, Judgement, Outcome

if TYPE_CHECKING:
    from hashcost.apps.django_import import Imported

_INTERPOLATED: Final = re.compile(r"#\{[^{}]*\}")
_BYTE_ORDER_MARK: Final = "\ufeff"
_CONTAINERS: Final = re.compile(
    r"^services\s*:|^kind\s*:\s*[\"']?(?:Deployment|StatefulSet|DaemonSet|Pod|Job|CronJob|ConfigMap)\b",
    re.MULTILINE,
)

_STAGE: Final = re.compile(
    r"(?:^\s*|\b)(?:if|unless|elsif|case)\b\s*\(?.{0,80}?(?:\b(?:Rails|Mix)\.env\b|\bconfig_env\(\)|\bwp_get_environment_type"
    r"|\b(?:RAILS|RACK|NODE|APP|GO|MIX)_ENV\b|\.Is(?:Development|Production|Staging|Environment)\("
    r"|\benvironment\()|@Profile\("
)
"""A condition on where the code runs."""


def costs_in_files(
    app: App, files: Sequence[tuple[str, str]], version: str | None
) -> tuple[Held, ...]:
    """The costs of files, by their paths and texts, as `costs_in`.

    Where the application reads several files one after the other, they count as one.
    """
    apart = [file for file in files if not app.together or _CONTAINERS.search(file[1])]
    if len(files) < 2 or apart:
        return tuple(cost for path, text in files for cost in costs_in(app, text, path, version))
    # PHP comes last: what stands above it is the environment that it reads.
    files = sorted(files, key=lambda file: file[1].lstrip().startswith("<?php"))
    lines = [(path, line) for path, text in files for line in enumerate(text.splitlines(), 1)]
    joined_text = "".join(
        "\n" if _takes_in_a_named_file(app, text, path, files) else f"{text}\n"
        for path, (_, text) in lines
    )
    costs = costs_in(app, joined_text, files[0][0], version)

    def placed(cost: Held) -> Held:
        if cost.place is None or cost.place.line is None:
            return cost
        path, (number, _) = lines[cost.place.line - 1]
        return msgspec.structs.replace(cost, place=Place(path=path, line=number))

    return tuple(map(placed, costs))


def _takes_in_a_named_file(
    app: App, line: str, path: str, files: Sequence[tuple[str, str]]
) -> bool:
    include = first_elsewhere(app.signs, line, after=0)
    if include is None or "*" in include[2]:
        return False
    name = PurePath(_INTERPOLATED.sub("*", include[2])).name
    return any(fnmatch(PurePath(other).name, name) for other, _ in files if other != path)


def costs_in(app: App, text: str, path: str, version: str | None) -> tuple[Held, ...]:
    """The costs that the application uses when it reads this file, and what is not told.

    ``version`` is the application's release, which decides where the file sets nothing. Its
    default counts only where the file is the application's and nothing in it is left unread.

    Raises:
        UnreadableInputError: the file is not what it should be, or sets a cost that
            the application refuses.
    """
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if app.signs.tests:
        only_tests = re.compile(app.signs.tests)
        # Matched from a line's first word on: a search would begin at each of its characters.
        text = "\n".join(
            "" if only_tests.match(line.lstrip()) else line for line in text.split("\n")
        )
    settings, untold = _read(app, text, path)
    used = [setting for setting in settings if setting.wins] + untold
    plain = without_comments(text, app.comment)
    own = is_own(app.signs, text)
    if app.unfit is not None and app.unfit.is_so(version, plain) and (used or own):
        used = [Found.unfit(app.unfit.hasher, used[0].line if used else 0, app.unfit.says)]
    used = _with_signs(app, path, plain, version, used, {setting.line for setting in settings})
    used = _guarded(app, used, [*settings, *used], plain)
    if all(cost.flaw is None for cost in used) and (used or own):
        used += _every(app, used, plain)
    overlong = longest_line(plain)
    if overlong and not used:
        why = f"the line is longer than {LONGEST_LINE:,} characters and is only partly read"
        used.append(Found.untold(overlong, why))
    if not (used or own):
        why = f"it contains no known setting of {app.title}"
        if settings:
            why = f"none of its settings of {app.title} takes effect"
        used.append(Found.untold(0, why))
    if not used:
        return (unset(app, path, version),)
    ordered = sorted(used, key=lambda cost: cost.line)
    return tuple(_held(app, cost, path, version, text) for cost in ordered)


def _read(app: App, text: str, path: str) -> tuple[tuple[Found, ...], list[Found]]:
    try:
        return app.read(text), []
    except UntoldError as error:
        return (), [Found.untold(error.line, error.what)]
    except UnreadableInputError as error:
        if _CONTAINERS.search(text):
            return (), []
        raise UnreadableInputError(f"{path}: {error}") from error


def _guarded(app: App, used: list[Found], settings: Sequence[Found], plain: str) -> list[Found]:
    """Add an unknown if a line below takes in another file, or the environment may decide."""
    if any(cost.flaw is Flaw.UNKNOWN for cost in used):
        return used
    container = _CONTAINERS.search(plain)
    if container is not None and not used:
        why = "it starts containers; check the configuration and the variables that they get"
        return [Found.untold(plain.count("\n", 0, container.start()) + 1, why)]
    branches = [n for n, line in enumerate(plain.splitlines(), 1) if _STAGE.search(line)]
    differing = {(cost.hasher, *cost.params.items()) for cost in settings if not cost.apart}
    inside = [n for n in branches if any(cost.line == n and not cost.apart for cost in used)]
    if branches and used and (len(differing) > 1 or inside):
        why = "it decides by the environment which cost counts; look at a hash that it made"
        return [Found.untold((inside or branches)[0], why)]
    last = max((cost.line for cost in used), default=0)
    include = first_elsewhere(app.signs, plain, after=last)
    if include is None:
        return used
    number, line, name = include
    why = f"`{printable(line)[:60]}` may set the cost; check {printable(name)[:60]} too"
    return [*used, Found.untold(number, why)]


def _with_signs(
    app: App,
    path: str,
    plain: str,
    version: str | None,
    used: list[Found],
    setting_lines: set[int],
) -> list[Found]:
    read_lines = setting_lines | {cost.line for cost in used}
    for number, line in enumerate(plain.splitlines(), 1) if app.signs.sets else ():
        for setter in app.signs.sets:
            if re.search(setter.mark, line) and re.search(setter.path, path):
                if setter.instead:
                    used = [cost for cost in used if cost.flaw is not None]
                read_lines.add(number)
                used.append(Found(hasher=setter.hasher, params=setter.params, line=number))
    for number, sign in seen(app.signs.unfit, plain):
        used.append(Found.unfit(sign.hasher, number, sign.says))
    if any(cost.flaw is Flaw.UNKNOWN for cost in used):
        return used
    for number, sign in seen(app.signs.unread, plain):
        is_past = sign.until and version and ordered(version) >= ordered(sign.until)
        if not is_past and (sign.always or number not in read_lines):
            used.append(Found.untold(number, sign.says))
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


def _held(app: App, setting: Found, path: str, version: str | None, text: str) -> Held:
    place, hasher = Place(path=path, line=setting.line or None), setting.hasher
    if setting.flaw is Flaw.UNSUITABLE:
        first = app.schemes[0].hasher
        advice = f"hash with {first}, and rehash each password when its user logs in"
        return Judgement.without_cost(Outcome.UNSUITABLE, hasher, place, setting.why, advice)
    if setting.flaw is Flaw.UNKNOWN:
        return _unknown(app, hasher, place, setting.why)
    if app.scheme(hasher) is None and not has_known_cost(hasher, setting.params):
        shown = printable(hasher)[:40]
        why = f"{app.title} hashes with {shown}, whose cost hashcost does not know"
        return _unknown(app, hasher, place, why)
    return _configured(app, setting, place, version, text)


def _unknown(app: App, named: str, place: Place, why: str) -> Judgement:
    advice = app.asks or (
        f"name the file that sets it, or look at a hash that {app.title} made: calibrate explain"
    )
    return Judgement.without_cost(Outcome.UNKNOWN, named or "unknown", place, why, advice)


def imported_costs(app: App, imported: Imported) -> tuple[Held, ...]:
    """The cost that Django itself says new passwords are hashed with."""
    if imported.cost is None:
        why = f"Django hashes new passwords with {imported.name}"
        advice = "put a hasher of Django that has a cost first in PASSWORD_HASHERS"
        outcome = Outcome.UNSUITABLE if imported.is_unfit else Outcome.UNKNOWN
        asked = Place(path="DJANGO_SETTINGS_MODULE")
        return (Judgement.without_cost(outcome, imported.name, asked, why, advice),)
    stands = Place(path=imported.path or imported.name, line=imported.cost.line or None)
    cost = _configured(app, imported.cost, stands, imported.release)
    if isinstance(cost, Judgement):
        return (cost,)
    place = stands if imported.path else None
    note = f"{imported.name} of Django {imported.release}, as Django resolves it"
    return (msgspec.structs.replace(cost, place=place, note=note),)


def unset(app: App, path: str, version: str | None) -> Held:
    """The default of the application, as far as it is known."""
    since = [release for release in app.first if version and ordered(release) <= ordered(version)]
    scheme = app.scheme(app.first[max(since, key=ordered)] if since else None) or app.schemes[0]
    default = default_for(scheme, version)
    if default is None:
        why = f"it sets no cost, and the default of {app.title} is unknown"
        why += f" for version {version}" if version else ""
        return _unknown(app, "", Place(path=path), why)
    note = f"not set in the file; the default of {app.title}{_since(default)}"
    return _cost(app, scheme, default.params, Place(path=path), note, default.blocks)


def default_for(scheme: Scheme, version: str | None) -> ReleaseDefault | None:
    """The default of a release: of the newest, where none is given."""
    if version is None:
        return scheme.defaults[-1] if scheme.defaults else None
    earlier = [row for row in scheme.defaults if ordered(row.since) <= ordered(version)]
    return earlier[-1] if earlier else None


def _configured(
    app: App, setting: Found, place: Place, version: str | None, text: str = ""
) -> Held:
    # The application's defaults fill in what the file leaves out.
    scheme = app.scheme(setting.hasher)
    if scheme is None:
        return Configured(
            hasher=setting.hasher,
            implementation=None,
            params=setting.params,
            place=place,
            note=setting.why,
        )
    default = default_for(scheme, version)
    if setting.usual and version is not None and default is not None:
        why = f"the default of {app.title}{_since(default)}"
        setting = replace(setting, params=default.params, why=why)
    params = {**({} if default is None else default.params), **setting.params}
    missing = [name for name in scheme.limits if name not in params]
    if missing:
        why = joined(setting.why, f"the file does not set {', '.join(missing)}")
        return _unknown(app, setting.hasher, place, why)
    notes = [setting.why]
    if default is not None and not default.params.keys() <= setting.params.keys():
        notes.append(f"the rest is {app.title}'s default{_since(default)}")
    for name, limits in scheme.limits.items():
        value = params[name]
        if not limits.enforced or limits.nearest(value) == value:
            continue
        if limits.unless and re.search(limits.unless, text, re.MULTILINE):
            continue
        params[name] = limits.nearest(value)
        words, is_useless = limits.consequence(value)
        note = f"{format_setting({name: value})} is out of range for {app.title}: {words}"
        if is_useless:
            raise UnreadableInputError(
                f"{place}: {note}; set {format_setting({name: params[name]})}, the nearest it"
                " accepts"
            )
        notes.append(note)
    refused = setting.refused or scheme.refuses(params)
    if refused:
        notes.append(f"{app.title} refuses it: {refused}")
    return _cost(app, scheme, params, place, joined(*notes), setting.blocks)


def _since(default: ReleaseDefault) -> str:
    return f" since {default.since}" if default.since else ""


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
