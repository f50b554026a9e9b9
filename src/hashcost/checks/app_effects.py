"""The settings of a file that take effect, and what makes them uncertain."""

import re
from collections.abc import Sequence
from typing import Final

from hashcost.apps.containers import begins_containers, mounted_settings, without_known_maps
from hashcost.apps.found import Found
from hashcost.apps.sign_tables import Sign
from hashcost.apps.signs import UNNAMED, first_elsewhere, is_own, seen, starts_image
from hashcost.checks.app_text import AppText
from hashcost.checks.app_unknowns import look_at_a_hash
from hashcost.core.text import joined, printable

_VARIABLES_ELSEWHERE: Final = re.compile(
    r"\b(?:env_file|envFrom|extends|include|configs)[ \t]?:|<<[ \t]?:|\benvironment[ \t]?:[ \t]?\*"
    r"|\.env\b|--config\b"
)
"""Signs that a container takes variables or settings from elsewhere than its own file."""
_GIVEN: Final = re.compile(r"--config[ \t=\"',]+([^\s\"',\[\]]+)")
"""A file of settings on the command line of a container, which is a list or one text."""
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
INTERPOLATED: Final = re.compile(r"#\{[^{}]*\}")
SHOWN: Final = 60
"""Characters of a line that a message quotes."""


def in_effect(file: AppText, settings: Sequence[Found]) -> list[Found]:
    """The costs that take effect, with what makes them uncertain."""
    app = file.app
    used = [setting for setting in settings if setting.wins]
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


def _with_signs(file: AppText, used: list[Found], setting_lines: set[int]) -> list[Found]:
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
            cure = look_at_a_hash(file.app)
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


def _guarded(file: AppText, used: list[Found], settings: Sequence[Found]) -> list[Found]:
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


def _taken_in(file: AppText, used: Sequence[Found]) -> list[Found]:
    """The first line that takes in another file, or starts the application with it, as unknown."""
    starts = first_elsewhere(file.app.signs.given, file.plain)
    if starts is not None and not used and not file.is_own:
        number, line_text, name = starts
        why = f"`{_quoted(line_text)}` names {printable(name)[:SHOWN]}, which may set the cost"
        cure = f"name that file instead, or {look_at_a_hash(file.app)}"
        return [Found.undetermined(number, why, cure=cure)]
    # What is taken in above a setting is overridden by it.
    last = max((cost.line for cost in used), default=0)
    include = first_elsewhere(file.app.signs.elsewhere, file.plain, after=last)
    if include is None:
        return []
    number, line_text, name = include
    named = printable(name)[:SHOWN]
    possible = printable(INTERPOLATED.sub("*", name))[:SHOWN]
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
        cure = f"name {them} {too}, or {look_at_a_hash(file.app)}"
    return [Found.undetermined(number, why, cure=cure)]


def _quoted(line_text: str) -> str:
    """The beginning of a line."""
    shown = printable(line_text)
    if len(shown) <= SHOWN:
        return shown
    return f"{shown[:SHOWN]}…"


def _decides_beside_the_image(file: AppText, container: re.Match[str]) -> Found | None:
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
            paths = ", ".join(printable(path)[:SHOWN] for path in given)
            why = f"the container is given {paths}, which may set the cost"
            cure = f"check what is mounted there, or {look_at_a_hash(file.app)}"
        return Found.undetermined(line, why, cure=cure)
    for mount in mounted_settings(file.plain):
        why = f"what is mounted at {printable(mount.target)[:SHOWN]} may set the cost"
        cure = f"name the file of it that does, or {look_at_a_hash(file.app)}"
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


def _every(file: AppText, used: Sequence[Found]) -> list[Found]:
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
