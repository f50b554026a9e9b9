"""Spring Security: the encoders that Java, Kotlin or XML make, and which of them hashes."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hashcost.apps.interface import App, Flaw, Found, format_of
from hashcost.apps.signs import without_comments
from hashcost.core.errors import UntoldError

_CODE: Final = {
    "format": "source-code",
    "languages": ["java", "kotlin"],
    "libraries": ["Spring Security"],
}
_FIELD: Final = re.compile(
    r"@Value\(\s*\"(?:\\?\$\{[^:}]+:(?P<default>[0-9]+)\}|(?P<value>[0-9]+))\"\s*\)"
    r"(?P<between>\s*(?:(?:private|protected|public|final|lateinit|val|var|static)\s+)*)"
    r"(?:(?:int|Integer|long|Long)\s+(?P<java>\w+)\s*;|(?P<kotlin>\w+)\s*:\s*(?:Int|Long)\b)"
)
_EXTENDS: Final = re.compile(
    r"\bclass\s+\w+[^{;]{0,400}?\bextends\s+(?P<base>(?:BCrypt|SCrypt|Argon2|Pbkdf2)PasswordEncoder)\b"
)
_BEAN: Final = re.compile(
    r"<(?P<tag>(?:\w+:)?bean)\b[^>]*?\bclass=\"[\w.]*\.BCryptPasswordEncoder\""
    r"[^>]*?(?:/>|>(?P<body>.*?)</(?P=tag)>)",
    re.DOTALL,
)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_ARGUMENT: Final = re.compile(
    r"<(?:\w+:)?constructor-arg\b(?P<of>[^>]*)>|\bc:(?:_0|strength)=\"(?P<short>[0-9]+)\""
)
_VALUE: Final = re.compile(r"\bvalue=\"(?P<value>[^\"]*)\"")
_STRENGTH: Final = 10
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_ID: Final = re.compile(r"\bDelegatingPasswordEncoder\(\s*\"(?P<id>[\w@.+-]*)\"")
_ENTRY: Final = r"[\"'](?P<id>[\w@.+-]+)[\"']\s*(?:,|to\b|\]\s*=)\s*(?:new\s+)?\w*PasswordEncoder"
_DIGEST: Final = re.compile(
    r"\.(?:setAlgorithm\(|algorithm\s*=)[^;\n]*PBKDF2WithHmacSHA(?P<digest>1|256|512)\b"
)


def read(app: App, text: str) -> tuple[Found, ...]:
    """Every cost that an encoder is made with; one for another id only checks older hashes."""
    if text.lstrip().startswith("<"):
        return tuple(_beans(text))
    code = _with_fields(without_comments(text, app.comment))
    match = _EXTENDS.search(code)
    if match is not None:
        code = re.sub(r"(?<![\w.])super\s*\(", f"new {match['base']}(", code)
    found = format_of(_CODE).read(app, code)
    lines = code.splitlines()
    chosen = _ID.findall(code)
    ids = [re.search(_ENTRY, lines[each.line - 1]) if each.line else None for each in found]
    kept = [
        each
        if match is None or len(chosen) != 1 or match["id"] == chosen[0]
        else replace(each, wins=False, why=f"the id of new passwords is {chosen[0][:40]}")
        for each, match in zip(found, ids, strict=True)
    ]
    return tuple(_by_digest(kept, code))


def _with_fields(code: str) -> str:
    """Fields that Spring fills with a number, as constants; a default counts where it is all."""

    def constant(match: re.Match[str]) -> str:
        value, lines = match["value"] or match["default"], "\n" * match[0].count("\n")
        if match["java"]:
            return f"{lines}private static final int {match['java']} = {value};"
        return (
            f"{lines}private val {match['kotlin']} = {value}"
            if "val" in match["between"] or "var" in match["between"]
            else match[0]
        )

    return _FIELD.sub(constant, code)


def _by_digest(found: list[Found], code: str) -> Iterator[Found]:
    """PBKDF2 by the digest that the encoder is set to after it is made."""
    pbkdf2 = [each for each in found if each.hasher.startswith("pbkdf2")]
    digests = _DIGEST.findall(code)
    for each in found:
        if each in pbkdf2 and len(pbkdf2) == len(digests) == 1 and each.flaw is not Flaw.UNKNOWN:
            yield replace(each, hasher=f"pbkdf2-sha{digests[0]}").because("by setAlgorithm")
        else:
            yield each


def _beans(text: str) -> Iterator[Found]:
    plain = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in _BEAN.finditer(plain):
        line = plain.count("\n", 0, match.start()) + 1
        given = [
            each["short"] or (value["value"] if (value := _VALUE.search(each["of"] or "")) else "")
            for each in _ARGUMENT.finditer(match[0])
        ]
        numbers = [int(each) for each in given if _NUMBER.fullmatch(each)]
        if given and not numbers:
            raise UntoldError(line, "the strength of the bean is not a number in the file")
        cost = numbers[0] if numbers else _STRENGTH
        yield Found(hasher="bcrypt", params={"cost": cost}, line=line)
