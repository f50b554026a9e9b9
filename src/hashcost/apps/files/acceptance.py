"""What an application does with a cost that is outside what it accepts."""

from collections.abc import Iterable, Iterator

from hashcost.apps.interface import App, Found, Limits
from hashcost.core.units import format_list, format_setting


def with_ranges(found: Iterable[Found], app: App) -> tuple[Found, ...]:
    """The same costs in the order of the file; those outside a range say what happens to them."""
    ordered = sorted(found, key=lambda each: (each.line, each.wins))
    return tuple(
        each.because(*(_consequence(*param, app.title) for param in _outside(each, app)))
        for each in ordered
    )


def with_refusals(found: Iterable[Found], app: App) -> tuple[Found, ...]:
    """The same costs; those that the application refuses say so."""
    return tuple(each.because(*_refusals(each, app)) for each in found)


def _refusals(found: Found, app: App) -> list[str]:
    refused = [
        f"{app.title} refuses {format_setting({name: value})}; it takes {_legal(limits)}"
        for name, value, limits in _outside(found, app)
        if limits.beyond == "refused"
    ]
    scheme = app.scheme(found.hasher)
    if not refused and scheme is not None and set(scheme.limits) <= set(found.params):
        why = scheme.refuses(found.params)
        return [f"{app.title} refuses it: {why}"] if why else []
    return refused


def _outside(found: Found, app: App) -> Iterator[tuple[str, int, Limits]]:
    """The params that are not what the application would make of them."""
    scheme = app.scheme(found.hasher)
    for name, value in found.params.items():
        limits = None if scheme is None else scheme.limits.get(name)
        if limits is not None and limits.nearest(value) != value:
            yield name, value, limits


def _legal(limits: Limits) -> str:
    if limits.allowed:
        return format_list([str(each) for each in limits.allowed])
    return f"{limits.minimum} to {limits.maximum}"


def _consequence(name: str, value: int, limits: Limits, title: str) -> str:
    setting = format_setting({name: value})
    if limits.allowed:
        return f"{title} takes only {', '.join(map(str, limits.allowed))}, not {setting}"
    if value < limits.minimum:
        return f"{setting} is below the {limits.minimum} of {title}: {limits.beyond}"
    if value > limits.maximum:
        above = limits.above or limits.beyond
        return f"{setting} is above the {limits.maximum} of {title}: {above}"
    return f"{title} takes only multiples of {limits.step}, not {setting}"
