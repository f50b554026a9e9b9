"""The curve of a fit, as a chart draws it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hashcost.core.measurement import CostModel, Scale, work

_POINTS = 64


def fitted_curve(
    model: CostModel | None, scale: Scale, first: float, last: float
) -> Iterator[tuple[float, float]]:
    """The fit between two costs; on a ladder nothing lies between two steps."""
    if model is None or scale is Scale.LADDER or last <= first:
        return
    for index in range(_POINTS):
        share = index / (_POINTS - 1)
        if scale is Scale.LOG2:
            x = first + (last - first) * share
            yield x, model.seconds(2.0**x)
        else:
            x = first * (last / first) ** share
            yield x, model.seconds(work(scale, 1) * x)
