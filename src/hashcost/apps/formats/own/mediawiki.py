"""MediaWiki: ``$wgPasswordDefault`` and ``$wgPasswordConfig`` in ``LocalSettings.php``."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import Entry
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UnreadableInputError, at_line
from hashcost.core.text import printable

_LARGEST = 1024 * 1024
_STRING: Final = r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\""
_OPEN: Final = r"'(?:[^'\\]|\\.)*+|\"(?:[^\"\\]|\\.)*+"
_COMMENT: Final = re.compile(
    rf"(?P<kept>{_STRING}|{_OPEN})|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|//[^\n]*|#[^\n]*", re.DOTALL
)
_DEFAULT: Final = re.compile(r"\$wgPasswordDefault\s*+=\s*(?P<value>[^;]*);")
_CONFIG: Final = re.compile(
    r"\$wgPasswordConfig\s*\[\s*['\"](?P<kind>[\w-]{1,40})['\"]\s*\]\s*"
    r"(?:\[\s*['\"](?P<key>\w{1,40})['\"]\s*\]\s*)?=\s*(?P<value>[^;]*);"
)
_PAIR: Final = re.compile(rf"['\"](?P<key>\w+)['\"]\s*=>\s*(?P<value>{_STRING}|[^,\])]*)")
_UNFIT: Final = ("A", "B")
_FIRST: Final = "pbkdf2"
_DIGEST_BYTES: Final = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
_ARGON2: Final = {"auto": "argon2id", "argon2id": "argon2id", "argon2i": "argon2i"}
_PARAMS: Final[Mapping[str, Mapping[str, str]]] = {
    "pbkdf2": {"iterations": "cost"},
    "bcrypt": {"cost": "cost"},
    "argon2": {"memory_kib": "memory_cost", "time_cost": "time_cost", "parallelism": "threads"},
}
_OF_PHP: Final = {
    "PASSWORD_ARGON2_DEFAULT_MEMORY_COST": "65536",
    "PASSWORD_ARGON2_DEFAULT_TIME_COST": "4",
    "PASSWORD_ARGON2_DEFAULT_THREADS": "1",
}


def read(app: App, text: str) -> tuple[Found, ...]:
    """The cost of each type that the file configures, and of the one that it chooses."""
    if len(text) > _LARGEST:
        raise UnreadableInputError(f"this PHP has more than {_LARGEST:,} characters; shorten it")
    code = _COMMENT.sub(_blank, text)
    code = code[: code.rfind(";") + 1]  # What has no end is looked for from each beginning.
    chosen = [_entry("", match, code) for match in _DEFAULT.finditer(code)]
    kind = chosen[-1].value if chosen else _FIRST
    if kind in _UNFIT:
        why = f"$wgPasswordDefault is {kind}, one or two MD5"
        return (Found.unfit("MD5", chosen[-1].line, why),)
    if kind not in _PARAMS:
        raise at_line(
            chosen[-1].line,
            f"$wgPasswordDefault is {printable(kind)[:40]!r}, whose cost hashcost does not judge",
        )
    settings = _settings(code)
    if chosen:
        settings.setdefault(kind, {})
    found = [
        _found(name, settings[name], chosen[-1].line if chosen else 0)
        for name in _PARAMS
        if name in settings
    ]
    told = f"$wgPasswordDefault is {kind}"
    apart = [name for name in _PARAMS if name in settings]
    judged = (
        one if name == kind else one.unless(told) for name, one in zip(apart, found, strict=True)
    )
    return with_ranges(judged, app)


def _blank(match: re.Match[str]) -> str:
    """A comment's line ends, so that lines keep their numbers; strings as they are."""
    return match["kept"] or "\n" * match[0].count("\n")


def _entry(name: str, match: re.Match[str], code: str) -> Entry:
    line = code.count("\n", 0, match.start()) + 1
    return Entry(name, match["value"].strip().strip("'\""), line)


def _settings(code: str) -> dict[str, dict[str, Entry]]:
    """What the file sets of each type: a whole array, or one key of it; the last counts."""
    found: dict[str, dict[str, Entry]] = {}
    for match in _CONFIG.finditer(code):
        if match["key"]:
            found.setdefault(match["kind"], {})[match["key"]] = _entry(match["key"], match, code)
        else:
            found[match["kind"]] = {each.name: each for each in _pairs(match, code)}
    return found


def _pairs(match: re.Match[str], code: str) -> Iterator[Entry]:
    for pair in _PAIR.finditer(match["value"]):
        line = code.count("\n", 0, match.start("value") + pair.start()) + 1
        yield Entry(pair["key"], pair["value"].strip().strip("'\""), line)


def _found(kind: str, settings: Mapping[str, Entry], line: int) -> Found:
    params = {
        param: _number(settings[key]) for param, key in _PARAMS[kind].items() if key in settings
    }
    lines = [settings[key].line for key in _PARAMS[kind].values() if key in settings]
    return Found(
        hasher=_hasher(kind, settings),
        params=params,
        line=min(lines, default=line or min((e.line for e in settings.values()), default=1)),
        blocks=_blocks(settings) if kind == "pbkdf2" else None,
    )


def _number(entry: Entry) -> int:
    return whole_number(_OF_PHP.get(entry.value, entry.value), entry.name, entry.line)


def _hasher(kind: str, settings: Mapping[str, Entry]) -> str:
    if kind == "bcrypt":
        return kind
    entry = settings.get("algo")
    algo = ("sha512" if kind == "pbkdf2" else "auto") if entry is None else entry.value
    known = {name: f"pbkdf2-{name}" for name in _DIGEST_BYTES} if kind == "pbkdf2" else _ARGON2
    if algo not in known:
        raise at_line(entry.line if entry else 1, f"algo is {printable(algo)[:40]!r}")
    return known[algo]


def _blocks(settings: Mapping[str, Entry]) -> int | None:
    """The output blocks, where the file sets the length of the key."""
    if "length" not in settings:
        return None
    digest = settings["algo"].value if "algo" in settings else "sha512"
    return max(1, -(-_number(settings["length"]) // _DIGEST_BYTES[digest]))
