"""Source code: the costs that its calls and assignments set, by the rules of the scan."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from hashcost.apps.interface import App, Found
from hashcost.apps.text import in_order, last_wins
from hashcost.core.errors import UntoldError
from hashcost.core.text import joined, printable
from hashcost.source_code.matching import Matches
from hashcost.source_code.python import Called, PythonFile
from hashcost.source_code.reading import SetCost, Setting
from hashcost.source_code.scan import Failed, read_one
from hashcost.source_code.values import Call, Value, whole

_DEFAULT: Final = re.compile(r"'s default\b")
_ANY_PACKAGE: Final = ("self", "cls", "app", "security")
_ENVIRONMENT: Final = re.compile(r"unless the environment sets (\w+)")


class SourceCode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Code in the first of some ``languages`` in which any cost is found.

    ``libraries`` are those of the scan's rules; with ``calls`` only calls that end in
    one of these count. ``last_wins`` says why only the last cost counts, if so, or only
    the last of those ``assigned`` to a name that ends so.
    """

    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    calls: tuple[str, ...] = ("",)
    last_wins: str = ""
    assigned: tuple[str, ...] = ("",)

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the code sets, and the calls beside them that do not tell theirs."""
        matches = [_matches(text, language) for language in self.languages]
        for match in matches:
            costs = [cost for cost in match.costs if self._counts(cost)]
            if costs:
                untold = [
                    Found.untold(unknown.line, _why(unknown))
                    for unknown in match.unknown
                    if self._counts(unknown)
                    and not unknown.in_tests
                    and "genSalt" not in unknown.why
                ]
                return in_order([*self._in_order(costs), *untold])
        for unknown in (unknown for match in matches for unknown in match.unknown):
            if unknown.call.endswith(self.calls) and not unknown.in_tests:
                raise UntoldError(unknown.line, _why(unknown))
        return ()

    def _counts(self, setting: Setting) -> bool:
        return setting.library in self.libraries and setting.call.endswith(self.calls)

    def _in_order(self, costs: list[SetCost]) -> list[Found]:
        tests = [_of(cost).unless("only for tests") for cost in costs if cost.in_tests]
        live = [cost for cost in costs if not cost.in_tests]
        last = [cost for cost in live if self.last_wins and cost.call.endswith(self.assigned)]
        others = [_of(cost) for cost in live if cost not in last]
        return [*tests, *others, *last_wins([*map(_of, last)], self.last_wins)]


def environment_in(why: str) -> str:
    """The variable that may set a value which was read from code, by what is said of it."""
    match = _ENVIRONMENT.search(why)
    return "" if match is None else "variable" if match[1] == "it" else match[1]


def _of(cost: SetCost) -> Found:
    return Found(
        hasher=cost.hasher,
        params=cost.params,
        line=cost.line,
        why=cost.why,
        environment=environment_in(cost.why),
        usual=len(cost.params) == 1 and _DEFAULT.search(cost.why) is not None,
    )


def _why(unknown: Setting) -> str:
    return f"{printable(unknown.call)}: {printable(unknown.why)}, which the file does not say"


def _matches(text: str, language: str) -> Matches:
    if language == "php" and "<?" not in text:
        text = f"<?php {text}"
    matches = read_one(text, language)
    if isinstance(matches, Failed):
        raise UntoldError(0, f"the code is not read: {matches.why}")
    return matches


def calls_named(
    source: PythonFile, names: Collection[str], *, of: str, but_not: Sequence[str] = ()
) -> tuple[Called, ...]:
    """The calls of functions with these last names, in the order of their lines.

    One that another package than ``of`` is known to have is left out.
    """
    calls = []
    for called in source.called:
        module, _, name = called.call.function.rpartition(".")
        package = module.split(".")[0]
        foreign = package.isidentifier() and package not in (of, *_ANY_PACKAGE)
        foreign |= any(part in called.call.function.lower() for part in but_not)
        if name in names and not foreign and called.call.function not in source.classes:
            calls.append(called)
    return tuple(sorted(calls, key=lambda called: called.call.line))


def cost_of_call(call: Call, hasher: str, arguments: Mapping[str, str]) -> Found:
    """The cost that a call is given, by the names of its arguments in order with their params.

    Raises:
        UnreadableInputError: only running the file tells.
    """
    values: dict[str, Value] = {}
    for position, name in enumerate(arguments):
        value = call.argument(name, position)
        if value is None:
            require_whole(call, name)
        else:
            values[name] = value
    return cost_of_values(hasher, values, arguments, line=call.line)


def cost_of_values(
    hasher: str,
    values: Mapping[str, Value],
    params: Mapping[str, str],
    *,
    line: int,
) -> Found:
    """The cost that named values set, each name with its param; ``line`` is that of none.

    Raises:
        UnreadableInputError: only running the file tells.
    """
    why = joined(*(reason for value in values.values() for reason in value.whys))
    lines = {params[name]: value.line for name, value in values.items() if value.line}
    return Found(
        hasher=hasher,
        params={params[name]: whole(value, name) for name, value in values.items()},
        line=next(iter(lines.values()), line),
        lines=lines,
        why=why,
        environment=environment_in(why),
    )


def require_whole(call: Call, name: str) -> None:
    """Refuse a call that may have an argument which the file does not show.

    Raises:
        UnreadableInputError: it has ``*`` or ``**`` of what is not known.
    """
    if not call.whole:
        raise UntoldError(call.line, f"whether {name} is given is known only at run time")
