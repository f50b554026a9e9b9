"""Laravel: the environment in ``.env``, and ``config/hashing.php``, which may follow it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from hashcost.apps.files.assignments import assignments
from hashcost.apps.files.lines import Entry, LineNumbers
from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.formats.assignments import one_winner
from hashcost.apps.formats.settings import NamedSettings, setting_of
from hashcost.apps.interface import App, Found, format_of
from hashcost.apps.signs import without_comments
from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

_PHP: Final = "<?php"
_CODE: Final = {"format": "source-code", "languages": ["php"], "libraries": ["Laravel"]}
_WHY: Final = "phpdotenv overwrites what the same file has set before"
_KEYS: Final = {
    "driver": "HASH_DRIVER",
    "rounds": "BCRYPT_ROUNDS",
    "memory": "ARGON_MEMORY",
    "time": "ARGON_TIME",
    "threads": "ARGON_THREADS",
}
"""The keys of config/hashing.php, with the variables that they are by default."""

_CONFIG: Final = re.compile(r"""['"](?:bcrypt|argon)['"]\s*=>\s*(?:\[|array\()""")
_SETTING: Final = re.compile(
    r"""['"](?P<key>driver|rounds|memory|time|threads)['"]\s*=>\s*"""
    r"""(?P<value>(?:[^,\]()\n]|\([^()]*(?:\([^()]*\)[^()]*)*\))+)"""
)
_LITERAL: Final = re.compile(r"""['"]?(?P<text>\w+)['"]?""")
_VARIABLE: Final = re.compile(
    r"""(?:\(int\)\s*)?env\(\s*['"](?P<name>\w+)['"]\s*(?:,\s*['"]?(?P<default>\w+)['"]?\s*)?\)"""
)


class Format(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Variables of the environment, and what the configuration makes of them."""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the files set, or that code hashes with."""
        environment, php, config = text.partition(_PHP)
        variables = [setting_of(each) for each in assignments(environment, by="=")]
        above = "\n" * environment.count("\n")
        config = above + without_comments(php + config, "// {}") if php else ""
        if php and not _CONFIG.search(config):
            return format_of(_CODE).read(app, above + text[len(environment) :])
        settled = tuple(one_winner(variables, "last", _WHY))
        given = {each.name: each for each in settled if each.wins}
        configured = tuple(_configured(config, given))
        overridden = {each.name for each in configured}
        left = tuple(each for each in settled if each.name not in overridden)
        return self.costs(app, (*left, *configured))


def _configured(config: str, given: Mapping[str, Scalar]) -> Iterator[Scalar]:
    """What config/hashing.php sets, under the names of the variables that it reads by default.

    Raises:
        UntoldError: a value is neither written there nor a variable of the environment.
    """
    lines = LineNumbers(config)
    for match in _SETTING.finditer(config):
        key, written = _KEYS[match["key"]], match["value"].strip()
        line = lines.of(match.start())
        literal, variable = _LITERAL.fullmatch(written), _VARIABLE.fullmatch(written)
        if literal is not None:
            yield setting_of(Entry(key, literal["text"], line))
        elif variable is not None and variable["name"] in given:
            known = given[variable["name"]]
            yield Scalar(path=(key,), text=known.text, line=known.line, why=known.why, quoted=True)
        elif variable is not None and variable["default"] is not None:
            default = variable["default"]
            why = f"{variable['name']} of the environment goes before it"
            yield Scalar(path=(key,), text=default, line=line, why=why, quoted=True)
        else:
            raise UntoldError(line, f"{match['key']} is {printable(written)[:60]}")
