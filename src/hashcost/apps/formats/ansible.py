"""Ansible: what hashes a password in a playbook, and the rounds that it is given."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Final, TypeAlias

from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.jinja import Argument, Filter, filters
from hashcost.apps.text import costs_apart, whole_number
from hashcost.apps.yaml_values import Path, Scalar, values
from hashcost.core.errors import UndeterminedError, UnreadableInputError
from hashcost.core.text import joined
from hashcost.source_code.values import shown

_FILTER: Final = "password_hash"
_NAMES: Final = {
    "sha512": "sha512-crypt",
    "sha512_crypt": "sha512-crypt",
    "sha256": "sha256-crypt",
    "sha256_crypt": "sha256-crypt",
    "bcrypt": "bcrypt",
    "blowfish": "bcrypt",
    "yescrypt": "yescrypt",
}
_UNFIT: Final = {
    "md5": "MD5",
    "md5_crypt": "MD5",
    "apr_md5_crypt": "MD5",
    "ldap_sha1": "SHA-1",
    "des_crypt": "DES",
    "bsdi_crypt": "DES",
    "plaintext": "plain text",
}
_MODULE: Final = re.compile(r"(?:[a-z_]+\.){0,2}htpasswd")
_OPTION: Final = re.compile(r"""\b(\w++)=("[^"]*+"|'[^']*+'|\S*+)""")
"""An option of a module whose options are on one line."""
_LOOKUP: Final = re.compile(
    r"""\b(?:lookup|query|q)\(\s*['"](?:[a-z_]+\.){0,2}password['"]"""
    r"""[^()]{0,300}?\bencrypt\s*=\s*['"]?(\w+)"""
)
"""The lookup ``password``, with the scheme that its ``encrypt`` names."""
_NO_ROUNDS: Final = "the module htpasswd takes no rounds; the filter password_hash does"
# It does not tell with what an entry was hashed.
_ANOTHER_SCHEME: Final = "set hash_scheme: bcrypt, remove the entry from the file, and run it"

_Options: TypeAlias = Mapping[str, Scalar]
"""The options of a task by their names."""


def password_hash(_: App, text: str) -> Costs:
    """Find every use of the filter, of the module htpasswd and of the option encrypt."""
    of_filters = costs_apart(lambda used: [_of_filter(used)], filters(text, _FILTER))
    scalars = _scalars(text)
    of_tasks = (_of_task(task) for task in _htpasswd_tasks(scalars))
    return chain(of_filters, of_tasks, _encrypted(scalars))


def _scalars(text: str) -> tuple[Scalar, ...]:
    """List the values of a playbook that uses more than the filter."""
    if "htpasswd" not in text and "encrypt" not in text:
        return ()
    try:
        return tuple(values(text))
    except UnreadableInputError:
        return ()  # A template has no tasks.


def _encrypted(scalars: Iterable[Scalar]) -> Iterator[Found]:
    """Read the hashes of ``vars_prompt`` and of the lookup ``password``, which take no rounds."""
    for scalar in scalars:
        if not scalar.wins:
            continue
        if "vars_prompt" in scalar.path and scalar.path[-1] == "encrypt":
            yield _without_rounds(scalar.text, scalar.line, "vars_prompt with encrypt")
        for kind in _LOOKUP.findall(scalar.text):
            yield _without_rounds(kind, scalar.line, "the lookup password with encrypt")


def _without_rounds(kind: str, line: int, what: str) -> Found:
    """Read a hash whose rounds are Ansible's default."""
    if kind in _UNFIT:
        return Found.unfit(_UNFIT[kind], line, f"{what} {kind} has no cost")
    hasher = _NAMES.get(kind)
    if hasher is None:
        why = f"{what} is given {shown(kind)!r}, whose cost hashcost does not know"
        return Found.undetermined(line, why, shown(kind))
    why = f"{what} takes no rounds; the filter password_hash does"
    return Found(hasher=hasher, params={}, line=line, why=why)


def _htpasswd_tasks(scalars: Iterable[Scalar]) -> Iterator[_Options]:
    """List the tasks that write a password with community.general's htpasswd."""
    tasks: defaultdict[Path, dict[str, Scalar]] = defaultdict(dict)
    for scalar in scalars:
        *above, name = scalar.path or ("",)
        if scalar.wins and above and _MODULE.fullmatch(str(above[-1])):
            tasks[tuple(above)][str(name)] = scalar
        elif scalar.wins and _MODULE.fullmatch(str(name)):
            for option, value in _OPTION.findall(scalar.text):
                tasks[scalar.path][option] = replace(scalar, text=value.strip("\"'"))
    for options in tasks.values():
        state = options.get("state")
        is_removal = state is not None and state.text == "absent"
        if "password" in options and not is_removal:
            yield options


def _of_task(options: _Options) -> Found:
    """Read the module's scheme, which has passlib's default cost (plugins/modules/htpasswd.py)."""
    scheme = options.get("hash_scheme") or options.get("crypt_scheme")
    if scheme is None:
        why = "htpasswd without hash_scheme takes apr_md5_crypt, which has no cost"
        return Found.unfit("MD5", options["password"].line, why, cure=_ANOTHER_SCHEME)
    unfit = _UNFIT.get(scheme.text)
    if unfit is not None:
        why = f"htpasswd with {scheme.text} has no cost"
        return Found.unfit(unfit, scheme.line, why, cure=_ANOTHER_SCHEME)
    if "{{" in scheme.text:
        return Found.undetermined(scheme.line, "the scheme of htpasswd is known only to Ansible")
    hasher = _NAMES.get(scheme.text)
    if hasher is None:
        why = f"hash_scheme is {shown(scheme.text)!r}, whose cost hashcost does not know"
        return Found.undetermined(scheme.line, why, shown(scheme.text))
    return Found(hasher=hasher, params={}, line=scheme.line, why=_NO_ROUNDS)


def _of_filter(used: Filter) -> Found:
    """``password_hash(hashtype, salt, salt_size, rounds, ident)``."""
    if used.is_spread:
        what = f"the arguments of {_FILTER} are known only at run time"
        raise UndeterminedError(used.line, what)
    # Ansible's default.
    kind: str | None = "sha512"
    hashtype = used.argument("hashtype", 0)
    if hashtype is not None:
        kind = hashtype.text
    if kind is None:
        raise UndeterminedError(used.line, f"the type of {_FILTER} is known only to Ansible")
    if kind in _UNFIT:
        return Found.unfit(_UNFIT[kind], used.line, f"{_FILTER} with {kind} has no cost")
    hasher = _NAMES.get(kind)
    if hasher is None:
        why = f"{_FILTER} with {shown(kind)!r}, whose cost hashcost does not know"
        return Found.undetermined(used.line, why, shown(kind))
    given = used.argument("rounds", 3)
    if given is None or given.text == "None" or given.variable in {"null", "omit"}:
        return Found(hasher=hasher, params={}, line=used.line, why="it has Ansible's default")
    rounds = _rounds(given)
    if not rounds:
        why = "Ansible takes 0 for its default"
        return Found(hasher=hasher, params={}, line=given.line, why=why)
    param = "cost"
    taken = rounds
    if hasher.startswith("sha"):
        param = "rounds"
        # What libxcrypt's crypt_gensalt makes of a count.
        taken = min(max(rounds, 1000), 999_999_999)
    why = ""
    if given.variable:
        why = f"unless {given.variable} is set elsewhere"
    if taken != rounds:
        why = joined(why, f"libxcrypt makes {taken} of it; Ansible before 2.21 refuses it")
    return Found(hasher=hasher, params={param: taken}, line=given.line, why=why)


def _rounds(given: Argument) -> int:
    if given.text is not None:
        return whole_number(given.text, given.variable or "rounds", given.line)
    what = "only Ansible knows the rounds"
    if given.variable:
        what = f"rounds is {shown(given.variable)}, which this file lacks"
    raise UndeterminedError(given.line, what)
