"""A setting of an application, or its default, as a cost or a verdict."""

import re
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from hashcost.apps.found import Flaw, Found
from hashcost.apps.interface import CHECK_WHAT_IS_MADE, FILLED_IN, App
from hashcost.apps.schemes import ReleaseDefault, Scheme
from hashcost.apps.templates import without_template
from hashcost.checks.app_text import AppText
from hashcost.checks.app_unknowns import another_hasher, look_at_a_hash, unknown_cost
from hashcost.checks.judgement import Configured, CostKind, CostOrVerdict, Judgement, Outcome
from hashcost.checks.stored_only import without_library
from hashcost.core.algorithms import has_known_cost
from hashcost.core.cost_expressions import Place
from hashcost.core.measurement import Params
from hashcost.core.text import IF_AT_EACH_REQUEST, joined, printable
from hashcost.core.units import format_setting, parse_release
from hashcost.stored.formats.typed import is_stored_only, missing_params, reading_at


def cost_or_verdict(file: AppText, setting: Found) -> CostOrVerdict:
    """A setting as a cost to judge, or the judgement of one that has a flaw."""
    app = file.app
    place = file.at(setting.line)
    hasher = setting.hasher
    if setting.flaw is Flaw.UNSUITABLE:
        advice = setting.cure or another_hasher(app, hasher)
        return Judgement.without_cost(Outcome.UNSUITABLE, hasher, place, setting.why, advice)
    if setting.flaw is Flaw.UNKNOWN:
        return unknown_cost(app, hasher, place, setting.why, setting.cure)
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
        return unknown_cost(app, hasher, place, joined(why, setting.why), cure)
    why = f"{app.title} hashes with {shown}, whose cost hashcost does not know"
    return unknown_cost(app, hasher, place, joined(why, setting.why))


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
        return unknown_cost(app, hasher, place, joined(setting.why, why), setting.cure)
    row = without_library(reading_at(hasher, setting.params), place, _kind_of(setting))
    advice = setting.cure or another_hasher(app, hasher)
    refused = ""
    if setting.refused:
        refused = f"{app.title} refuses it: {setting.refused}"
    why = joined(setting.why, refused, row.message)
    return msgspec.structs.replace(row, message=why, advice=advice)


def default_or_verdict(file: AppText, settings: Sequence[Found]) -> CostOrVerdict:
    """The default of the application, as far as it is known, and what ``settings`` count for."""
    app = file.app
    scheme = app.usual_scheme
    filled_in = without_template(file.plain).filled_in
    if filled_in:
        return unknown_cost(app, "", file.at(filled_in[0]), FILLED_IN, CHECK_WHAT_IS_MADE)
    default = app.default_of(scheme.hasher)
    if default is None:
        release = file.release
        why = f"it sets no cost, and the default of {app.title_of_releases} is unknown"
        if release is not None:
            why = f"{why} for version {release}"
            if release.newest:
                why = f"{why}, which {release.source} is of; {release.unless}"
        return unknown_cost(app, "", file.at(0), why, _upgrade(app, scheme))
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
    return f"{cure}, or {look_at_a_hash(app)}"


def _default_text(file: AppText, scheme: Scheme, default: ReleaseDefault) -> str:
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
        older = "older releases hash with another: give one as --app-version"
        unfit = file.app.unfit
        if unfit is not None and unfit.may_be_so(file.plain):
            return f"the default of {title} since {unfit.before}; {older}"
        former = file.app.hasher_before(default.since)
        # Releases before that one may have yet other hashers.
        if former is None or former == scheme.hasher:
            return f"the default of {title}{since}"
        return f"the default of {title}{since}; {older}"
    weakest = f"the weakest default of supported releases of {title}, in use{since}"
    return f"{weakest}; its version is not known: give --app-version"


def _configured(file: AppText, scheme: Scheme, setting: Found) -> CostOrVerdict:
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


def _incomplete(file: AppText, scheme: Scheme, setting: Found, params: Params) -> Judgement:
    """Judge a setting to which nothing adds the rest of the ``params``."""
    app = file.app
    place = file.at(setting.line)
    newer = app.missing(scheme)
    if newer is not None:
        why = joined(setting.why, newer.why(file.release))
        cure = newer.cure("the cost", look_at_a_hash(app))
        return unknown_cost(app, setting.hasher, place, why, cure)
    missing = [name for name in scheme.limits if name not in params]
    unset = f"the file does not set {', '.join(missing)}"
    if file.release is not None and scheme.defaults:
        program = app.title_of_releases
        unset = f"{unset}, and the default of {program} {file.release} is unknown"
    return unknown_cost(app, setting.hasher, place, joined(setting.why, unset))


def _within_limits(
    file: AppText, scheme: Scheme, params: Params
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


def _override(file: AppText) -> str:
    """Say what may set another cost, unless the file itself shows that."""
    overridden = file.app.overridden
    if overridden is None:
        return ""
    if overridden.unless and re.search(overridden.unless, file.text):
        return ""
    return f"unless {overridden.by} overrides it"


def _cost(
    file: AppText,
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
