"""The costs that an application is configured with, read from its file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from hashcost.apps.formats.own.django import UNFIT
from hashcost.apps.inclusion import Part, Reader, Whole
from hashcost.apps.interface import App, Flaw, Found, ReleaseDefault, Scheme, joined
from hashcost.apps.joining import wholes
from hashcost.apps.signs import LONGEST_LINE, SetBy, is_own, longest_line, seen, without_comments
from hashcost.core.algorithms import has_known_cost
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UntoldError
from hashcost.core.measurement import Params
from hashcost.core.text import printable
from hashcost.core.units import format_setting
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read
from hashcost.verdicts.judgement import Configured, Judgement, Outcome

if TYPE_CHECKING:
    from hashcost.apps.django_import import Imported

_REFUSED = "refused"
_LOOKED_AT = 4096
_BYTE_ORDER_MARK: Final = "\ufeff"


Held: TypeAlias = Configured | Judgement
"""A cost to be judged, or what is found where there is none."""


def costs_in(
    app: App, text: str, path: str, version: str | None, reader: Reader | None = None
) -> tuple[Held, ...]:
    """The costs that the application uses when it reads this file, as `costs_in_files`."""
    return costs_in_files(app, [(path, text)], version, reader)


def costs_in_files(
    app: App,
    files: Sequence[tuple[str, str]],
    version: str | None,
    reader: Reader | None = None,
) -> tuple[Held, ...]:
    """The costs that the application uses when it reads these files, and what is not told.

    ``files`` are paths with their texts. ``version`` is the application's release, which
    decides where the files set nothing. Its default counts only where a file is the
    application's and nothing in it is left unread. ``reader`` reads what the files take
    in; without one nothing is followed.

    Raises:
        UnreadableInputError: a file is not what it should be, or sets a cost that
            the application refuses.
    """
    parts = [Part(path, text.removeprefix(_BYTE_ORDER_MARK)) for path, text in files]
    return tuple(
        held for each in wholes(app, parts, reader) for held in _costs_of(app, each, version)
    )


def _costs_of(app: App, file: Whole, version: str | None) -> Iterator[Held]:
    """The costs of a file with what it takes in."""
    found, untold = _read(app, file)
    used = [each for each in found if each.wins] + untold
    plain = without_comments(file.text, app.comment)
    if _is_unfit(app, version, plain) and (used or is_own(app.signs, file.text)):
        assert app.unfit is not None  # noqa: S101 - else nothing is unfit
        at = used[0].line if used else 0
        used = [Found.unfit(app.unfit.hasher, at, app.unfit.says)]
    used = _with_signs(app, file, plain, version, used, {each.line for each in found})
    if not used and _holds_hashes(file.text):
        raise UnreadableInputError(
            f"{file.path}: it holds hashes, not settings of {app.title}; count them with"
            f" `calibrate audit`"
        )
    last = max((each.line for each in used), default=0)
    further = [each for each in file.left if each.line > last]
    if further and not any(each.flaw is Flaw.UNKNOWN for each in used):
        words = printable(further[0].words)[:60]
        why = f"`{words}` includes something that is not read, which may set the cost"
        used.append(Found.untold(further[0].line, why))
    if all(each.flaw is None for each in used) and (used or is_own(app.signs, file.text)):
        used += list(_every(app, used, plain))
    used += _unrecognised(app, file, used)
    overlong = longest_line(plain)
    if overlong and not used:
        why = f"the line is longer than {LONGEST_LINE:,} characters and is only partly read"
        used.append(Found.untold(overlong, why))
    if not (used or is_own(app.signs, file.text)):
        why = f"it contains no known setting of {app.title}"
        if found:
            why = f"none of its settings of {app.title} takes effect"
        used.append(Found.untold(0, why))
    if not used:
        yield unset(app, file.path, version)
    for each in sorted(used, key=lambda each: each.line):
        yield _held(app, each, file, version)


def _is_unfit(app: App, version: str | None, text: str) -> bool:
    """Whether the release hashes with what is no password hash, and the file lets it."""
    unfit = app.unfit
    if unfit is None or version is None or _ordered(version) >= _ordered(unfit.before):
        return False
    return not (unfit.unless and re.search(unfit.unless, text))


def _with_signs(
    app: App,
    file: Whole,
    plain: str,
    version: str | None,
    used: list[Found],
    known: set[int],
) -> list[Found]:
    """What is read, with what the signs of the application tell; ``known`` lines are read."""
    for number, setter in _set(app, plain, file):
        if setter.instead:
            used = [one for one in used if one.flaw is not None]
        known.add(number)
        used.append(Found(hasher=setter.hasher, params=setter.params, line=number))
    for sign in seen(app.signs.unfit, plain):
        used.append(Found.unfit(sign.hasher, sign.line, sign.says))
    untold = any(each.flaw is Flaw.UNKNOWN for each in used)
    for sign in () if untold else seen(app.signs.unread, plain):
        if sign.until and version and _ordered(version) >= _ordered(sign.until):
            continue
        if sign.always or sign.line not in known:
            used.append(Found.untold(sign.line, sign.says))
    return used


def _set(app: App, text: str, file: Whole) -> Iterator[tuple[int, SetBy]]:
    """The lines that set a cost by their presence."""
    for number, line in enumerate(text.splitlines(), 1) if app.signs.sets else ():
        for each in app.signs.sets:
            if re.search(each.mark, line) and re.search(each.path, file.place(number).path):
                yield number, each


def _unrecognised(app: App, file: Whole, used: Sequence[Found]) -> Iterator[Found]:
    """The files of a joint configuration that have nothing of the application."""
    if not app.signs.own or app.signs.together is None or len(file.named) < 2:
        return
    known = {file.place(each.line).path for each in used if each.line}
    for path in file.named:
        lines = [index for index, each in enumerate(file.places) if each.path == path]
        text = "\n".join(file.text.splitlines()[index] for index in lines)
        by_path = any(re.search(each, path) for each in app.signs.together)
        if not (path in known or by_path or is_own(app.signs, text)):
            why = f"it contains no known setting of {app.title}"
            yield Found.untold(lines[0] + 1 if lines else 0, why)


def _every(app: App, used: Sequence[Found], text: str) -> Iterator[Found]:
    """The hashers that passwords are hashed with besides those that the file names."""
    named = {each.hasher for each in used}
    for each in app.every:
        if each.hasher not in named and not re.search(each.unless, text):
            why = f"{app.title} also hashes each password with it by default"
            yield Found(hasher=each.hasher, params={}, line=0, why=why)


def _read(app: App, file: Whole) -> tuple[tuple[Found, ...], list[Found]]:
    """What a file sets, and what it does not tell."""
    try:
        return app.read(file.text), []
    except UntoldError as error:
        return (), [Found.untold(error.line, error.what)]
    except UnreadableInputError as error:
        message = file.told(str(error), file.place(0))
        raise UnreadableInputError(f"{file.path}: {message}") from error


def _held(app: App, found: Found, file: Whole, version: str | None) -> Held:
    place = file.place(found.line)
    found = replace(found, why=file.told(found.why, place))
    if found.flaw is Flaw.UNSUITABLE:
        first = app.schemes[0].hasher
        advice = f"hash with {first}, and rehash each password when its user logs in"
        return Judgement.without_cost(Outcome.UNSUITABLE, found.hasher, place, found.why, advice)
    if found.flaw is Flaw.UNKNOWN:
        return _unknown(app, found.hasher, place, found.why)
    if app.scheme(found.hasher) is None and not has_known_cost(found.hasher, found.params):
        shown = printable(found.hasher)[:40]
        why = f"{app.title} hashes with {shown}, whose cost hashcost does not know"
        return _unknown(app, found.hasher, place, why)
    return _configured(app, found, place, version, file.text)


def _unknown(app: App, named: str, place: Place, why: str) -> Judgement:
    advice = (
        f"name the file that sets it, or look at a hash that {app.title} made: calibrate explain"
    )
    if app.name == "django":
        advice = "let Django resolve it: calibrate check --app django --import"
    return Judgement.without_cost(Outcome.UNKNOWN, named or "unknown", place, why, advice)


def _holds_hashes(text: str) -> bool:
    """Whether the first lines are stored hashes, alone or behind a user's name."""
    lines = [line.strip() for line in text[:_LOOKED_AT].splitlines() if line.strip()]
    fields = (each for line in lines for each in (line, line.partition(":")[2].split(":")[0]))
    return any(read(each).kind is Kind.HASHED for each in fields)


def imported_costs(app: App, imported: Imported) -> tuple[Held, ...]:
    """The cost that Django itself says new passwords are hashed with."""
    if imported.costless or not imported.hashers:
        named = imported.costless or "nothing known"
        why = f"Django hashes new passwords with {named}"
        advice = "put a hasher of Django that has a cost first in PASSWORD_HASHERS"
        unfit = imported.costless in UNFIT
        outcome = Outcome.UNSUITABLE if unfit else Outcome.UNKNOWN
        asked = Place(path="DJANGO_SETTINGS_MODULE")
        return (Judgement.without_cost(outcome, named, asked, why, advice),)
    first = imported.hashers[0]
    stands = Place(path=first.path or first.name, line=first.found.line or None)
    cost = _configured(app, first.found, stands, imported.release)
    if isinstance(cost, Judgement):
        return (cost,)
    place = stands if first.path else None
    note = f"{first.name} of Django {imported.release}, as Django resolves it"
    return (msgspec.structs.replace(cost, place=place, note=note),)


def unset(app: App, path: str, version: str | None) -> Held:
    """What the application uses where nothing is configured, as far as that is known."""
    since = [each for each in app.first if version and _ordered(each) <= _ordered(version)]
    scheme = app.scheme(app.first[max(since, key=_ordered)] if since else None) or app.schemes[0]
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
    wanted = _ordered(version)
    known = [each for each in scheme.defaults if _ordered(each.since) <= wanted]
    return known[-1] if known else None


def _configured(app: App, found: Found, place: Place, version: str | None, text: str = "") -> Held:
    """A cost as the application takes it; what the file leaves out is as by default."""
    scheme = app.scheme(found.hasher)
    if scheme is None:
        hasher, params = found.hasher, found.params
        return Configured(
            hasher=hasher, implementation=None, params=params, place=place, note=found.why
        )
    default = default_for(scheme, version)
    if found.usual and version is not None and default is not None:
        why = f"the default of {app.title}{_since(default)}"
        found = replace(found, params=default.params, why=why)
    untold = [] if default else [each for each in scheme.limits if each not in found.params]
    if untold or not {*scheme.limits} <= {*found.params, *(default.params if default else ())}:
        missing = untold or [name for name in scheme.limits if name not in found.params]
        why = joined(found.why, f"the file does not set {', '.join(missing)}")
        return _unknown(app, found.hasher, place, why)
    params = {**({} if default is None else default.params), **found.params}
    notes = [found.why] if found.why else []
    if default is not None and not default.params.keys() <= found.params.keys():
        notes.append(f"the rest is {app.title}'s default{_since(default)}")
    for name, limits in scheme.limits.items():
        value = params.get(name)
        if value is None or not limits.enforced or limits.nearest(value) == value:
            continue
        if limits.unless and re.search(limits.unless, text, re.MULTILINE):
            continue
        held = limits.nearest(value)
        beyond = limits.above if limits.above and value > limits.maximum else limits.beyond
        if beyond.startswith(_REFUSED):
            raise UnreadableInputError(
                f"{place}: {app.title} refuses {format_setting({name: value})};"
                f" set {format_setting({name: held})}, the nearest it accepts"
            )
        if beyond not in found.why:
            notes.append(
                f"{format_setting({name: value})} is out of range for {app.title}: {beyond}"
            )
        params[name] = held
    return _cost(app, scheme, params, place, "; ".join(notes), found.blocks)


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


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version)[:4])
