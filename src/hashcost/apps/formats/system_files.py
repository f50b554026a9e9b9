"""Files of the system: login.defs, and pam_unix in PAM's service files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from hashcost.apps.facts import Facts
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.schemes import Limits, Scheme
from hashcost.apps.signs import is_own
from hashcost.apps.text import Entry, costs_apart, joined_lines, last_wins, whole_number
from hashcost.core.errors import UndeterminedError
from hashcost.core.text import joined, printable

_LINE: Final = re.compile(r"[ \t]*(?P<name>[A-Z0-9_]+)[ \t]+(?P<value>.+)")
_OTHER_BASE: Final = re.compile(r"0[0-9xX]")
_SHA512_SINCE: Final = "4.20"
"""From this release on shadow takes SHA512 for what is unset or unknown to it (lib/salt.c)."""


class EncryptMethod(Facts, frozen=True):
    """A value of ENCRYPT_METHOD: a hasher, and the keys that set its cost."""

    hasher: str
    keys: tuple[str, ...]


_WITHOUT_PAM: Final = "if passwd goes through PAM, pam_unix decides: name its file too"


class LoginDefs(Facts, frozen=True):
    """The ``methods`` that ENCRYPT_METHOD can say."""

    methods: dict[str, EncryptMethod]

    def read(self, app: App, text: str) -> Costs:
        """The cost of the method that ENCRYPT_METHOD names.

        Shadow draws a random count between the two keys: the lower one is read.
        """
        settings = _login_defs(text)
        chosen = settings.get("ENCRYPT_METHOD", Entry("", "", 0))
        # Without the key, only a file that is plainly a login.defs has the default.
        if not chosen.line and not is_own(app.signs, text):
            return
        method = self.methods.get(chosen.value)
        why = ""
        if method is None and not app.is_before(_SHA512_SINCE):
            method = self.methods["SHA512"]
            why = f"shadow since {_SHA512_SINCE} takes SHA512"
        scheme = None
        if method is not None:
            scheme = app.scheme(method.hasher)
        if method is None or scheme is None:
            yield _unfit(chosen, settings.get("MD5_CRYPT_ENAB"))
            return
        counts = [_count(settings[key]) for key in method.keys if key in settings]
        cost = _used(scheme, method.keys, counts, chosen.line)
        yield replace(cost, why=joined(why, cost.why, _WITHOUT_PAM))


def _login_defs(text: str) -> dict[str, Entry]:
    """The last line of each name; it knows no comment behind a value and joins no lines."""
    settings = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is not None:
            name = match["name"]
            value = match["value"].strip(' \t"')
            settings[name] = Entry(name, value, number)
    return settings


def _unfit(chosen: Entry, md5: Entry | None) -> Found:
    """The hash for a method without a cost: DES, unless it is MD5.

    ``md5`` decides where no method is set.
    """
    hasher = "DES"
    line = chosen.line
    if chosen.value in {"MD5", "DES"}:
        hasher = chosen.value
    elif not line and md5 is not None and md5.value.lower() == "yes":
        hasher = "MD5"
        line = md5.line
    named = f"ENCRYPT_METHOD is {printable(chosen.value)[:20]}"
    before = f"before {_SHA512_SINCE} passwords are hashed with {hasher}"
    if not chosen.line:
        named = f"ENCRYPT_METHOD is not set; {before}"
    elif chosen.value != hasher:
        named = f"{named}, which shadow does not know; {before}"
    return Found.unfit(hasher, line, joined(named, _WITHOUT_PAM))


class _Count(NamedTuple):
    number: int
    line: int


def _used(scheme: Scheme, keys: Sequence[str], counts: Sequence[_Count], line: int) -> Found:
    """The cost of a method by the counts of its keys, the one for the lowest first."""
    ((param, limits),) = scheme.limits.items()
    if not counts:
        default = scheme.defaults[-1].params
        why = f"without {' and '.join(keys)} it is {default[param]}"
        return Found(hasher=scheme.hasher, params=default, line=line, why=why)
    # A method with one key has one count.
    lowest = counts[0]
    highest = counts[-1]
    also: tuple[int, ...] = ()
    if lowest.line != highest.line:
        also = (highest.line,)
    why = ""
    if lowest.number > highest.number:
        why = f"{keys[0]} is above {keys[-1]}, and shadow takes the higher of the two"
    elif lowest.number < highest.number:
        why = (
            f"shadow draws a count from {lowest.number} to {highest.number}; the lowest is judged"
        )
    params = {param: limits.nearest(lowest.number)}
    return Found(hasher=scheme.hasher, params=params, line=lowest.line, also=also, why=why)


def _count(setting: Entry) -> _Count:
    """The number and its line; shadow would read ``0x2000`` and ``020000`` too, as C has them."""
    if _OTHER_BASE.match(setting.value) or "_" in setting.value:
        raise UndeterminedError(setting.line, f"{setting.name} is not a whole number in decimals")
    return _Count(whole_number(setting.value, setting.name, setting.line), setting.line)


_GOST: Final = "gost-"
"""gost-yescrypt takes the counts that yescrypt takes."""
_COSTLESS: Final = {"md5": "MD5", "bigcrypt": "DES"}
_ROUNDS: Final = re.compile(r"rounds=\s*(?P<count>\+?[0-9]{1,9})")
_TYPES: Final = frozenset(("account", "auth", "password", "session"))
_WORD: Final = re.compile(r"\[[^\]]*\]?|\S+")
"""As in libpam, a bracket that is not closed takes the rest of the line."""


class PamUnix(Facts, frozen=True):
    """The hashers of the options that name a method, and the options ``costless``.

    pam_unix compares only the beginning of a word. What its line leaves out login.defs has, if
    that was named too.
    """

    methods: dict[str, str]
    costless: tuple[str, ...]

    def read(self, app: App, text: str) -> Costs:
        """The cost of each pam_unix line of a password stack."""
        defs = _login_defs(text)
        costs = costs_apart(lambda module: [self._cost(app, *module, defs)], _modules(text))
        return last_wins([*costs], "each pam_unix.so line that is reached hashes anew")

    def _cost(
        self, app: App, options: Sequence[str], line: int, defs: Mapping[str, Entry]
    ) -> Found:
        names = self._named(options)
        if not names:
            if not defs:
                why = "no method is named: DES, unless login.defs has an ENCRYPT_METHOD"
                cure = f"name both files: `calibrate check --app {app.name} FILE /etc/login.defs`"
                return Found.undetermined(line, why, cure=cure)
            chosen = defs.get("ENCRYPT_METHOD")
            if chosen is not None:
                line = chosen.line
                names = self._named([chosen.value.lower()])
        if not names:
            why = "no method is named here nor, as pam_unix knows it, in login.defs: DES"
            return Found.unfit("DES", line, why)
        # The last option overrides the ones before it.
        name = names[-1]
        hasher = self.methods.get(name)
        if hasher is None:
            why = f"{name} makes hashes without a cost"
            return Found.unfit(_COSTLESS.get(name, name), line, why)
        return _counted(app, hasher, options, line, defs)

    def _named(self, words: Sequence[str]) -> list[str]:
        """The methods that words begin with, in the order of the words."""
        names = []
        for word in words:
            names += [name for name in (*self.costless, *self.methods) if word.startswith(name)]
        return names


def _modules(text: str) -> Iterator[tuple[Sequence[str], int]]:
    """The options of pam_unix with their lines, also of ``/etc/pam.conf``."""
    for number, line in joined_lines(text):
        words = _WORD.findall(line.partition("#")[0])
        if words and _type_of(words[0]) not in _TYPES:
            words = words[1:]  # pam.conf has the service in front.
        if len(words) < 3:
            continue
        kind, _, path, *options = words
        if _type_of(kind) == "password" and path.rpartition("/")[2] == "pam_unix.so":
            yield [_without_brackets(option) for option in options], number


def _type_of(word: str) -> str:
    """The type of a rule; a dash before it silences a missing module."""
    return word.lstrip("-").lower()


def _without_brackets(option: str) -> str:
    if option.startswith("["):
        return option[1:].removesuffix("]")
    return option


_IN_LOGIN_DEFS: Final = {
    "sha256-crypt": "SHA_CRYPT_MAX_ROUNDS",
    "sha512-crypt": "SHA_CRYPT_MAX_ROUNDS",
    "yescrypt": "YESCRYPT_COST_FACTOR",
}
"""The counts that pam_unix takes from there; yescrypt's since 1.6.0."""


_SANE_SINCE: Final = "1.6.0"
"""Before it pam_unix has another clamp, and takes other counts of login.defs (support.c)."""


def _counted(
    app: App, hasher: str, options: Sequence[str], line: int, defs: Mapping[str, Entry]
) -> Found:
    """The cost of a line; the lower of two if the release decides and is not known."""
    scheme = app.scheme(hasher.removeprefix(_GOST))
    if scheme is None:
        return Found.undetermined(line, f"hashcost does not know the cost of {hasher}", hasher)
    ((param, limits),) = scheme.limits.items()
    default = scheme.defaults[-1].params[param]
    counts = []
    # Both are made, so that the lower one is judged where nothing tells the release.
    for is_old in (True, False):
        written, place, why = _written(hasher, options, line, defs, is_old=is_old)
        if written is None:
            count = default
            why = f"{why}: {default}{_hint(hasher, defs)}"
        else:
            count = _taken(limits, default, written, is_old=is_old)
            if count != written:
                why = joined(why, f"pam_unix takes {count} for it")
        counts.append(Found(hasher=hasher, params={param: count}, line=place, why=why))
    before, since = counts
    if before.params == since.params or not app.is_before(_SANE_SINCE):
        return since
    if app.release:
        return before
    lower = before
    other = f"{since.params[param]} since {_SANE_SINCE}"
    if since.params[param] < before.params[param]:
        lower = since
        other = f"{before.params[param]} before {_SANE_SINCE}"
    why = joined(lower.why, f"it is {other}, and the version is not known: give --app-version")
    return replace(lower, why=why)


def _hint(hasher: str, defs: Mapping[str, Entry]) -> str:
    """Name what login.defs may set instead, unless it was named too."""
    key = _IN_LOGIN_DEFS.get(hasher)
    if key is None or defs:
        return ""
    # The older ones read the counts of SHA from there, but not yescrypt's.
    since = ""
    if hasher == "yescrypt":
        since = f" since {_SANE_SINCE}"
    return f", or{since} {key} of login.defs"


def _written(
    hasher: str, options: Sequence[str], line: int, defs: Mapping[str, Entry], *, is_old: bool
) -> tuple[int | None, int, str]:
    """The count that is written for a line, the line that it is on, and where it is from."""
    given = [word for word in options if word.startswith("rounds=")]
    counts = [_ROUNDS.fullmatch(word) for word in given]
    if any(counts):
        last = counts[-1]
        # What is no number is ignored, but it puts zero in the place of one before it.
        if last is None:
            return 0, line, ""
        return int(last["count"]), line, ""
    ignored = "no rounds="
    if given:
        ignored = f"{given[-1]} is ignored"
    key = _IN_LOGIN_DEFS.get(hasher, "")
    if is_old:
        # It looks only at the method that login.defs names, whatever the line has.
        method = defs.get("ENCRYPT_METHOD")
        is_sha = method is not None and method.value.lower().startswith(("sha256", "sha512"))
        key = ""
        if is_sha:
            key = "SHA_CRYPT_MAX_ROUNDS"
    if key in defs:
        written, place = _count(defs[key])
        return written, place, f"{ignored}: pam_unix takes {key}"
    return None, line, ignored


def _taken(limits: Limits, default: int, written: int, *, is_old: bool) -> int:
    """The count that pam_unix hashes with."""
    is_too_low = written < limits.minimum
    is_too_high = written > limits.maximum
    is_sha = limits.minimum >= _LOWEST_ROUNDS
    if is_sha and is_too_low:
        return default
    # Older releases do the same beyond either end of yescrypt's range.
    if not is_sha and is_old and (is_too_low or is_too_high):
        return default
    return limits.nearest(written)


_LOWEST_ROUNDS: Final = 1000
"""That of the SHA hashers, below which libcrypt's default counts."""
