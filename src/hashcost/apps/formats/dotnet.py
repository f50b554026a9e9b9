"""ASP.NET Core Identity: options that code sets, or that it binds to a section of JSON."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hashcost.apps.formats.source_code import SourceCode
from hashcost.apps.found import Costs, Found
from hashcost.apps.hocon import hocon_values
from hashcost.apps.interface import App
from hashcost.apps.text import line_at, whole_number
from hashcost.apps.yaml_values import Scalar
from hashcost.core.text import joined, printable

_BOUND: Final = re.compile(
    r"\b(?:Configure|AddOptions)<PasswordHasherOptions>\s*+\([^;\"]{0,200}?"
    r"\b(?:GetSection|BindConfiguration)\(\s*+\"([^\"\n]++)\""
)
"""A call that takes the options from a section of the configuration."""
_JSON: Final = re.compile(r"^\{(?=\s*+(?://[^\n]*+\s*+)*+\"[^\"\n]*+\"\s*+:)", re.MULTILINE)
"""The beginning of JSON. In C#, a text that follows a brace is followed by no colon."""
_TOKEN: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"?|//[^\n]*+|[{}]")
_COUNT: Final = "iterationcount"
_MODE: Final = "compatibilitymode"
_V2_ITERATIONS: Final = 1000
_V2_CURE: Final = "remove IdentityV2, so that IterationCount counts; each login then rehashes"
_SHA512: Final = "pbkdf2-sha512"
_SHA512_SINCE: Final = "7"
"""The first .NET that hashes with SHA-512; older ones do with SHA-256 (PasswordHasher.cs)."""
_WRITE_IT: Final = "write it there, or pass a hash that it made to `calibrate explain`"
_NAME_IT: Final = (
    "check it with the file that sets IterationCount: `calibrate check --app aspnet-identity"
    " Program.cs appsettings.json`"
)
_LIKELY: Final = re.compile("password|hasher")
"""Words in the name of a section that holds the options, where no code names the section."""


class IdentityOptions(SourceCode, frozen=True):
    """Code, and the JSON of its configuration, which stands beside the code or by itself."""

    def read(self, app: App, text: str) -> Costs:
        """Find the costs of the options, by the digest that the release hashes with."""
        costs = self._costs(app, text)
        if not app.is_before(_SHA512_SINCE):
            return costs
        return [_with_sha256(cost) for cost in costs]

    def _costs(self, app: App, text: str) -> Costs:
        """Find the costs that the code sets, and those of the sections that it binds."""
        code, json = _split(text)
        costs = [*super().read(app, code)]
        # The last of several values counts, as that of a file that is read later does.
        options = {value.name: value for value in hocon_values(json)}
        if code.strip():
            for call in _BOUND.finditer(code):
                costs += _of_section(options, call, line_at(code, call.start()))
            return costs
        # Only the code tells which section it binds.
        for section in dict.fromkeys(name.rpartition(".")[0] for name in options):
            if _LIKELY.search(section):
                why = "if the code binds its section to PasswordHasherOptions"
                costs += _set_by(options, section, why)
        return costs


def _split(text: str) -> tuple[str, str]:
    """Separate the code and the JSON of a text; each stays on its lines."""
    code = []
    json = []
    done = 0
    for begins in _JSON.finditer(text):
        start = begins.start()
        if start < done:
            continue
        end = _end_of_json(text, start)
        before = text[done:start]
        inside = text[start:end]
        code += [before, "\n" * inside.count("\n")]
        json += ["\n" * before.count("\n"), inside]
        done = end
    return "".join((*code, text[done:])), "".join(json)


def _end_of_json(text: str, start: int) -> int:
    """Find the end of the JSON that begins with the brace at the start."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
        if not depth:
            return token.end()
    return len(text)


def _of_section(options: Mapping[str, Scalar], call: re.Match[str], line: int) -> Iterator[Found]:
    """Read the section that a call of the code binds."""
    section = printable(call[1])[:40]
    costs = list(_set_by(options, call[1].replace(":", ".").lower(), ""))
    if not options:
        why = f"it takes the options from the section {section} of the configuration"
        yield Found.undetermined(line, why, cure=_NAME_IT)
    elif not costs:
        why = f"the JSON sets no IterationCount in {section}"
        yield Found.undetermined(line, why, cure=_WRITE_IT)
    for cost in costs:
        yield cost
        # What these lines of the code bind is read.
        for further in range(call[0].count("\n") + 1):
            yield replace(cost, line=line + further, wins=False)


def _set_by(options: Mapping[str, Scalar], section: str, why: str) -> Iterator[Found]:
    """Read the cost that a section sets."""
    mode = options.get(f"{section}.{_MODE}")
    count = options.get(f"{section}.{_COUNT}")
    if mode is not None and mode.text.lower() == "identityv2":
        params = {"iterations": _V2_ITERATIONS}
        yield Found(hasher="pbkdf2-sha1", params=params, line=mode.line, why=why, cure=_V2_CURE)
    elif count is not None:
        name = printable(count.name)[:60]
        params = {"iterations": whole_number(count.text, name, count.line)}
        yield Found(hasher=_SHA512, params=params, line=count.line, why=why)


def _with_sha256(cost: Found) -> Found:
    """The cost as a .NET before 7 has it."""
    if cost.hasher != _SHA512:
        return cost
    why = joined(cost.why, "before .NET 7 it counts iterations of HMAC-SHA256")
    return replace(cost, hasher="pbkdf2-sha256", why=why)
