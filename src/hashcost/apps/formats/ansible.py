"""Ansible: the rounds that the filter ``password_hash`` is given."""

from typing import Final

from hashcost.apps.interface import App, Costs, Found
from hashcost.apps.jinja import Argument, Filter, filters
from hashcost.apps.text import costs_apart, whole_number
from hashcost.core.errors import UndeterminedError
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
    "des_crypt": "DES",
    "bsdi_crypt": "DES",
    "plaintext": "plain text",
}


def password_hash(_: App, text: str) -> Costs:
    """Every use of the filter; each hashes what it is given."""
    return costs_apart(lambda used: [_of_filter(used)], filters(text, _FILTER))


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
        raise UndeterminedError(
            used.line, f"{_FILTER} with {shown(kind)!r}, whose cost hashcost does not know"
        )
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
