"""Code as production runs it: without the branches that only tests or developers get. Pure.

What is left out leaves its lines empty. A condition that does not tell stays.
"""

import re
from collections.abc import Iterator
from typing import Final

_LARGEST: Final = 400_000
"""Characters of code; nobody wrote a longer file by hand."""
_LONGEST_LINE: Final = 1000
_PRODUCTION: Final = ("prod", "production", "live")
_ENVIRONMENT: Final = (
    r"(?:Rails\.env(?:\.to_sym|\.to_s)?|Mix\.env(?:\(\))?|config_env\(\)"
    r"|ENV(?:\.fetch\(|\[)\s*['\"](?:RAILS_ENV|RACK_ENV|APP_ENV)['\"][^\])]*[\])]"
    r"|System\.get_env\(\"MIX_ENV\"[^)]*\)|process\.env\.(?:NODE_ENV|APP_ENV)"
    r"|os\.Getenv\(\"(?:APP_ENV|GO_ENV|ENV)\"\)"
    r"|wp_get_environment_type\(\)|(?:app\(\)|App|\$this->app)(?:->|::)environment\(\)"
    r"|env\(\s*['\"]APP_ENV['\"][^)]*\)|getenv\(\s*['\"]APP_ENV['\"]\s*\))"
)
_COMPARED: Final = re.compile(
    rf"{_ENVIRONMENT}\s*(?P<by>===?|!==?|in|not in)\s*(?P<words>.+)", re.DOTALL
)
_ASKED: Final = re.compile(
    r"(?:Rails\.env\.(?P<ruby>\w+)\?"
    r"|[\w.]+\.Is(?P<dotnet>Development|Production|Staging)\(\)"
    r"|[\w.]+\.IsEnvironment\(\s*\"(?P<named>\w+)\"\s*\)"
    r"|(?:app\(\)|App|\$this->app)(?:->|::)environment\((?P<laravel>[^()]+)\)"
    r"|app\(\)->(?P<is>isProduction|isLocal|runningUnitTests)\(\))"
)
_TESTS: Final = re.compile(
    r"defined\(\s*['\"]\w*(?:TEST|PHPUNIT)\w*['\"]\s*\)|['\"]test['\"]\s+in\s+sys\.argv"
)
_UNSET: Final = re.compile(
    r"ENV\[\s*['\"]\w+['\"]\s*\](?:\.present\?)?(?:\s*==\s*['\"][^'\"]*['\"])?"
    r"|ENV\.(?:key|has_key|include)\?\(?\s*['\"]\w+['\"]\s*\)?"
)
_PROFILE: Final = re.compile(
    r"@Profile\(\s*[{\[]?\s*(?P<names>\"[^\"]*\"(?:\s*,\s*\"[^\"]*\")*)\s*[}\]]?\s*\)"
)
_FOR_DEVELOPERS: Final = (
    "local",
    "dev",
    "develop",
    "development",
    "test",
    "tests",
    "testing",
    "it",
)
_CASE: Final = re.compile(
    rf"\bcase\s+{_ENVIRONMENT}\s*(?P<body>(?:(?!\bend\b).){{0,2000}}?)\bend\b", re.DOTALL
)
_BRANCH: Final = re.compile(
    r"\b(?:when\s+(?P<words>[^\n]*?)(?:\s+then\b|\n)|else\b)(?P<value>.*?)(?=\bwhen\b|\belse\b|\Z)",
    re.DOTALL,
)
_MODIFIER: Final = re.compile(
    r"^(?P<what>\s*[^\s#].*?\S)\s+(?P<by>if|unless)\s+(?P<when>[^#]+?)\s*$"
)
_OPENS: Final = re.compile(
    r"^\s*(?:(?:[\w.:@\[\]\"']+\s*=\s*)?(?P<by>if|unless)\s+(?P<when>.+?)(?:\s+do|\s+then)?\s*$"
    r"|(?:class|module|def|begin|while|until|for|(?:\S+\s*=\s*)?case)\b)"
)
_BLOCK: Final = re.compile(r"\bdo\b\s*(?:\|[^|]*\|)?\s*$")
_WORDS: Final = re.compile(r"['\":](\w+)")
_BRACED_IF: Final = re.compile(r"\bif\s*\(")


def in_production(condition: str) -> bool | None:
    """Whether a condition holds where the application is really used; `None` if it does not tell.

    A variable that only the environment knows is taken to be unset.
    """
    text = condition.strip()
    while text.startswith("(") and closing(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    for joint, decides in ((r"\|\||\bor\b", True), (r"&&|\band\b", False)):
        parts = re.split(joint, text)
        if len(parts) > 1:
            known = [in_production(each) for each in parts]
            if decides in known:
                return decides
            return None if None in known else not decides
    negated = re.match(r"(?:!|not\s)\s*", text)
    if negated is not None:
        inner = in_production(text[negated.end() :])
        return None if inner is None else not inner
    return _told(text)


def _told(text: str) -> bool | None:
    compared, asked = _COMPARED.fullmatch(text), _ASKED.fullmatch(text)
    if compared is not None:
        words = _WORDS.findall(compared["words"])
        named = any(word.lower() in _PRODUCTION for word in words)
        return None if not words else named is not compared["by"].startswith(("!", "not"))
    if asked is not None:
        word = next(filter(None, asked.groups())).lower()
        return any(each in word for each in _PRODUCTION)
    if _TESTS.fullmatch(text) or _UNSET.fullmatch(text):
        return False
    return None


def production(text: str) -> str:
    """The code, in Ruby or Elixir, whose blocks end with ``end``, or in a language with braces."""
    if len(text) > _LARGEST:
        return text
    has_ends = re.search(r"^[ \t]*end[)\]]*[ \t]*$", text, re.MULTILINE) or "ENV[" in text
    if has_ends and "<?php" not in text:
        return "\n".join(_without_branches(_CASE.sub(_chosen, text)))
    return _without_profiles(_without_blocks(text))


def _chosen(match: re.Match[str]) -> str:
    """The value that ``case Rails.env`` has in production."""
    branches = list(_BRANCH.finditer(match["body"]))
    named = [
        each
        for each in branches
        if each["words"] and {*_WORDS.findall(each["words"])} & {*_PRODUCTION}
    ]
    others = [each for each in branches if each["words"] is None]
    kept = (named or others)[:1]
    if not kept:
        return match[0]
    value = kept[0]["value"].strip()
    return value + "\n" * (match[0].count("\n") - value.count("\n"))


def _without_branches(text: str) -> Iterator[str]:
    """The lines; those of branches that production does not take are empty."""
    taken: list[bool | None] = []
    for line in text.split("\n"):
        opens, word = _OPENS.match(line[:_LONGEST_LINE]), line.strip().partition(" ")[0]
        if word.rstrip(";,)") == "end" and taken:
            taken.pop()
        elif word in {"else", "elsif"} and taken:
            taken[-1] = None if taken[-1] is None else not taken[-1]
        dropped = False in taken
        yield "" if dropped else _without_modified(line)
        if opens is not None and not re.search(r"\bend\s*$|,\s*do:", line):
            told = in_production(opens["when"]) if opens["when"] else None
            negated = opens["by"] == "unless"
            taken.append(told if told is None else told is not negated)
        elif _BLOCK.search(line):
            taken.append(None)


def _without_modified(line: str) -> str:
    """The line, or nothing if it ends in an ``if`` that production does not meet."""
    match = _MODIFIER.match(line) if len(line) <= _LONGEST_LINE else None
    if match is None or match["what"].rstrip().endswith("="):
        return line
    told = in_production(match["when"])
    if told is None:
        return line
    return match["what"] if told is (match["by"] == "if") else ""


def _without_blocks(text: str) -> str:
    position = 0
    while (match := _BRACED_IF.search(text, position)) is not None:
        position = match.end()
        end = closing(text, match.end() - 1)
        if end is None:
            break  # Brackets that do not close: no code that is known here.
        told = (
            in_production(text[match.end() : end]) if end - match.end() < _LONGEST_LINE else None
        )
        if told is None:
            continue
        first = _block(text, end + 1)
        if first is None:
            continue
        other = re.match(r"\s*else\s*(?!if)", text[first[1] :])
        second = _block(text, first[1] + other.end()) if other else None
        dropped = second if told else first
        if dropped is not None:
            start, end = dropped
            text = text[:start] + _emptied(text[start:end]) + text[end:]
    return text


def _without_profiles(text: str) -> str:
    """Java and Kotlin without the beans of profiles for developers."""
    for match in reversed(list(_PROFILE.finditer(text))):
        if all(map(_is_for_developers, re.findall(r'"([^"]*)"', match["names"]))):
            found = _block(text, text.find("{", match.end()))
            if found is not None:
                text = (
                    text[: match.start()]
                    + _emptied(text[match.start() : found[1]])
                    + text[found[1] :]
                )
    return text


def _is_for_developers(profile: str) -> bool:
    name = profile.replace(" ", "").lower()
    return name in _FOR_DEVELOPERS or (name[:1] == "!" and name[1:] in _PRODUCTION)


def _block(text: str, start: int) -> tuple[int, int] | None:
    """Where the block in braces, or the statement, begins and ends that stands at a place."""
    if start < 0:
        return None
    start += len(text[start:]) - len(text[start:].lstrip())
    if text[start : start + 1] == "{":
        close = closing(text, start)
        return None if close is None else (start, close + 1)
    end = text.find(";", start)
    return None if end < 0 else (start, end + 1)


def closing(text: str, opening: int) -> int | None:
    """Where the bracket closes that opens at a place; strings are not looked into."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth = 0
    opens, closes = text[opening], pairs[text[opening]]
    for match in re.compile(rf"['\"]|\{opens}|\{closes}").finditer(text, opening):
        if match[0] == opens:
            depth += 1
        elif match[0] == closes:
            depth -= 1
            if not depth:
                return match.start()
    return None


def _emptied(text: str) -> str:
    return "{" * text.startswith("{") + "\n" * text.count("\n") + "}" * text.startswith("{")
