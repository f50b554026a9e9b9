"""The calls and assignments of a file that rules may be about."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hashcost.source_code.names import unadorned
from hashcost.source_code.project import plain_name
from hashcost.source_code.rules import Rule, last_word
from hashcost.source_code.values import Call


def is_named(names: Sequence[str], pattern: str) -> bool:
    """Tell whether one of some names is a rule's, or ends in it unless that has a ``^``."""
    name = plain_name(pattern.removeprefix("^"))
    if name in names:
        return True
    if pattern.startswith("^"):
        return False
    return any(own.endswith((f".{name}", f"/{name}")) for own in names)


@dataclass(frozen=True)
class RuleNames:
    """The calls and assignments that rules are about, and the last ``words`` of their names.

    Where a call ends in one of ``gather``, what is done later with its result belongs to it.
    """

    words: frozenset[str]
    gather: frozenset[str]
    calls: frozenset[str]
    assigns: frozenset[str]

    def has(self, written: str, names: Sequence[str], *, assigns: bool) -> bool:
        """Tell whether a rule is about a site, or its call is written as one of a rule."""
        patterns = self.calls
        if assigns:
            patterns = self.assigns
        if any(is_named(names, pattern) for pattern in patterns):
            return True
        # An import may name a package that is not known here, whose call is listed all the same.
        return plain_name(unadorned(written)) in self._makers

    @cached_property
    def _makers(self) -> frozenset[str]:
        return frozenset(map(plain_name, self.calls))


def names_of_rules(rules: Sequence[Rule]) -> RuleNames:
    """Find out which calls and assignments some rules are about."""
    calls: set[str] = set()
    assigns: set[str] = set()
    gather: set[str] = set()
    for rule in rules:
        calls.update(rule.calls)
        assigns.update(rule.assigns)
        if rule.gathers:
            gather.update(map(last_word, rule.calls))
        # Another call of the file names the algorithm.
        if rule.which is not None and rule.which.near:
            calls.add(rule.which.near)
    words = frozenset(map(last_word, (*calls, *assigns)))
    return RuleNames(words, frozenset(gather), frozenset(calls), frozenset(assigns))


@dataclass(frozen=True, kw_only=True)
class Site:
    """A call, or an assignment: then the value is its only argument.

    ``name`` is as it is written; ``names`` have dots, with imports and aliases written in full.
    A site that ``is_whole`` is a class, or a value that a file returns, and sets a cost on one
    of its lines. A call that only verifies ``makes_no_hash``; it ``helps_verify`` if those that
    use its function do; one ``makes_key`` if its result goes into a cipher, and ``makes_dummy`` if
    a name says that nobody has its hash. ``first`` is its first argument as it is written, with
    an import in full. ``hashes`` are what other calls hash with the salt, or the object, that it
    makes, as it is written, if nothing else is done with that. It is ``inside`` a function of that
    name, and its result is ``kept_as`` a variable, a field or an entry of that one.
    ``behind`` names the call in whose list it stands, though not first. ``own_takes`` names the
    arguments of the constructor that it calls, if that is of a class of the file; ``own_file`` is
    another file of the project that has the class. A site that is a class ``defines`` its name.
    """

    name: str
    names: tuple[str, ...]
    line: int
    call: Call
    first: str = ""
    hashes: tuple[str, ...] = ()
    column: int = 0
    assigns: bool = False
    in_tests: bool = False
    is_whole: bool = False
    makes_no_hash: bool = False
    helps_verify: bool = False
    makes_key: bool = False
    makes_dummy: bool = False
    inside: str = ""
    kept_as: str = ""
    behind: str = ""
    own_takes: frozenset[str] | None = None
    own_file: str = ""
    defines: str = ""

    def is_named(self, pattern: str) -> bool:
        """Tell whether it has a rule's name; see `is_named`."""
        return is_named(self.names, pattern)
