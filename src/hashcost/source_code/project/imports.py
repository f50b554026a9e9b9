"""What the names of a file are imported as, by the patterns of its language. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

_MOST: Final = 500
"""Imports of one file."""
_LONGEST: Final = 100_000
"""Characters of a file in which imports are looked for."""
_SEPARATOR: Final = re.compile(r"\?\.|\?->|\.|::|->|\\")
_GIVEN: Final = re.compile(r"\([^()]*\)\s*")
_NAME: Final = re.compile(
    r"^(?:(?:type|function|const)\s+)?(?P<name>[\w.\\]+)(?:\s+as\s+(?P<as>\w+)|\s*:\s*(?P<colon>\w+))?"
)
_SCRIPT: Final = re.compile(
    r"^(?:node|npm|jsr):|(?<=\w)@[\d^~][\w.]*$|\.(?:[cm]?[jt]sx?|php|inc|rb)$"
)
"""What a module's name may have around it."""
_OWN: Final = ("./", "../", "@/", "~", "#", "$", "src/", "http")
"""What begins the path of a module of the project itself in JavaScript."""

_HEADER: Final = re.compile(r"\bclass\s+\w+([^{;\n]{1,300})")
_BASE: Final = re.compile(r"(?:[:<,]|\bextends)\s{0,4}(?:[\w.:]{1,60}(?:\.|::))?([A-Z]\w{0,60})")
_MOST_BASES: Final = 8


@dataclass(frozen=True)
class Imported:
    """A module as it is written, and what of it; the module itself if that is empty."""

    module: str
    member: str = ""

    @property
    def is_own(self) -> bool:
        """Whether its path says that it is of the project itself."""
        return self.module.startswith(_OWN) or self.module == "."

    @property
    def path(self) -> str:
        """The whole dotted name."""
        return ".".join(filter(None, (plain_name(self.module), self.member)))


@dataclass(frozen=True)
class Imports:
    """The names that a file imports, and the modules of which it imports all."""

    names: Mapping[str, Imported] = field(default_factory=dict)
    whole: tuple[str, ...] = ()

    def canonical(self, name: str) -> str:
        """A dotted name by what its first part is imported as, if that is of elsewhere."""
        first, _, rest = name.partition(".")
        imported = self.names.get(first)
        if imported is None or imported.is_own:
            return name
        return ".".join(filter(None, (imported.path, rest)))


def plain_name(name: str) -> str:
    """A name with dots, whatever the language writes between its parts, without arguments."""
    return _SEPARATOR.sub(".", _GIVEN.sub("", name)).strip(".:")


def imports_in(text: str, patterns: Sequence[str]) -> Imports:
    """What a text imports.

    A pattern has the group ``module``; ``alias`` is a name for all of it, ``names`` a list
    of members, each with its own name, and ``whole`` says that all members are names here.
    """
    names: dict[str, Imported] = {}
    whole: dict[str, None] = {}
    for pattern in patterns:
        for match in _compiled(pattern).finditer(text[:_LONGEST]):
            if len(names) + len(whole) >= _MOST:
                break
            groups = match.groupdict()
            module = _SCRIPT.sub("", groups["module"])
            if groups.get("whole"):
                whole[module] = None
                continue
            for name, member in _names(groups, module):
                names.setdefault(name, Imported(module, member))
    return Imports(names, tuple(whole))


@lru_cache(maxsize=16)
def bases_in(text: str) -> tuple[str, ...]:
    """The types that the classes of a text extend, without what they are inside."""
    headers = _HEADER.findall(text[:_LONGEST])
    named = (each for header in headers for each in _BASE.findall(header))
    return tuple(dict.fromkeys(named))[:_MOST_BASES]


def _names(groups: Mapping[str, str | None], module: str) -> Iterator[tuple[str, str]]:
    """The names that one import makes, each with the member that it stands for."""
    alias, listed = groups.get("alias"), groups.get("names")
    if alias:
        yield alias, groups.get("member") or ""
    for each in (listed or "").split(","):
        found = _NAME.match(each.strip())
        if found is not None:
            member = plain_name(found["name"])
            yield found["as"] or found["colon"] or member.rpartition(".")[2], member
    if not alias and listed is None:
        last = re.split(r"[./\\:]+", module)[-1]
        yield last, ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
