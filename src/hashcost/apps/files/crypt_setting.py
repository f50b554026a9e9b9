"""The setting that crypt(3) is given: the beginning of a hash, which names method and cost."""

import re
from typing import Final

from hashcost.apps.interface import Found

_METHODS: Final = (
    (re.compile(r"\$2[abxy]\$(?P<count>[0-9]{2})\$"), "bcrypt", "cost", 0),
    (re.compile(r"\$6\$(?:rounds=(?P<count>[0-9]{1,9})\$)?"), "sha512-crypt", "rounds", 5000),
    (re.compile(r"\$5\$(?:rounds=(?P<count>[0-9]{1,9})\$)?"), "sha256-crypt", "rounds", 5000),
)


def of_setting(setting: str, line: int) -> Found:
    """What a setting makes crypt(3) hash with; without a method it is DES."""
    for pattern, hasher, param, usual in _METHODS:
        match = pattern.match(setting)
        if match is not None:
            count = int(match["count"]) if match["count"] else usual
            if param == "rounds":
                count = min(max(count, 1000), 999_999_999)
            return Found(hasher=hasher, params={param: count}, line=line)
    if setting.startswith("$1$"):
        return Found.unfit("MD5", line, "the crypt(3) setting begins with $1$: 1000 rounds of MD5")
    if not setting.startswith("$"):
        return Found.unfit("DES", line, "the crypt(3) setting names no method, so it is DES")
    return Found.untold(line, "hashcost does not know the cost of this crypt(3) setting")
