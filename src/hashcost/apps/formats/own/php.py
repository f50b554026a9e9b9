"""PHP: what ``password_hash`` is given, and the settings that ``crypt`` is."""

import re
from collections.abc import Iterator
from typing import Final

from hashcost.apps.files.crypt_setting import of_setting
from hashcost.apps.interface import App, Found, format_of
from hashcost.apps.signs import without_comments

_CODE: Final = {
    "format": "source-code",
    "languages": ["php"],
    "libraries": ["PHP"],
    "calls": ["password_hash"],
}
_CRYPT: Final = re.compile(
    r"(?<![\w>$:\\])crypt\s*\((?P<what>[^;]*?),\s*(?P<salt>['\"][^'\"]*['\"]|\$\w+)"
)
_CHECKS: Final = re.compile(r"[=!]==?\s*crypt\s*\(|\bhash_equals\b|\)\s*[=!]==?")


def read(app: App, text: str) -> tuple[Found, ...]:
    """Every cost that calls are given, but for calls of ``crypt`` that check a hash."""
    found = [*format_of(_CODE).read(app, text), *_crypts(without_comments(text, "// {}"))]
    return tuple(sorted(found, key=lambda each: each.line))


def _crypts(code: str) -> Iterator[Found]:
    for match in _CRYPT.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        if _CHECKS.search(code.splitlines()[line - 1]):
            continue
        salt = match["salt"]
        if salt.startswith("$"):
            given = re.findall(rf"{re.escape(salt)}\s*=\s*(['\"])(\$[^'\"]*)\1", code)
            if not given:
                yield Found.untold(line, f"crypt: what {salt[:40]} begins with is unknown")
                continue
            salt = given[-1][1]
        setting = salt.strip("'\"")
        if setting.startswith("$"):
            yield of_setting(setting, line)
        else:
            yield Found.untold(line, "crypt: what its salt begins with is unknown")
