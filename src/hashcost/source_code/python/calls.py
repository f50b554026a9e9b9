"""The calls of a Python file by their names, and the numbers that they are given."""

from collections.abc import Collection, Sequence

from hashcost.core.errors import UntoldError
from hashcost.core.measurement import Params
from hashcost.source_code.python.file import Called, PythonFile
from hashcost.source_code.values import Call, whole


def calls_named(
    source: PythonFile, names: Collection[str], *, of: str, but_not: Sequence[str] = ()
) -> tuple[Called, ...]:
    """The calls of functions with these last names, in the order of their lines.

    One that another package than ``of`` is known to have is left out.
    """
    found = []
    for called in source.called:
        module, _, name = called.call.function.rpartition(".")
        package = module.split(".")[0]
        foreign = any(part in called.call.function.lower() for part in but_not)
        defined = called.call.function in source.classes
        if name in names and not foreign and not defined and not _is_another(package, of):
            found.append(called)
    return tuple(sorted(found, key=lambda called: called.call.line))


def numbers(
    call: Call, arguments: Sequence[tuple[str, str]]
) -> tuple[Params, tuple[str, ...], int]:
    """The whole numbers of a call by param, what they depend on, and the first's line.

    ``arguments`` are the names in their order, each with the param that it sets.

    Raises:
        UnreadableInputError: only running it tells.
    """
    found: Params = {}
    whys: list[str] = []
    line = 0
    for position, (name, param) in enumerate(arguments):
        value = call.argument(name, position)
        if value is None:
            require_whole(call, name)
            continue
        found[param] = whole(value, name)
        whys += value.whys
        line = line or value.line
    return found, tuple(dict.fromkeys(whys)), line or call.line


def require_whole(call: Call, name: str) -> None:
    """Refuse a call that may have an argument which the file does not show.

    Raises:
        UnreadableInputError: it has ``*`` or ``**`` of what is not known.
    """
    if not call.whole:
        raise UntoldError(call.line, f"whether {name} is given is known only at run time")


def _is_another(package: str, wanted: str) -> bool:
    return package.isidentifier() and package not in (wanted, "self", "cls", "app", "security")
