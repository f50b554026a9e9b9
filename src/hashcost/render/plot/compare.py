"""The picture of a comparison: the speed of each machine beside the baseline's."""

from hashcost.compare.model import Comparison, HasherComparison, Standing
from hashcost.core.units import format_setting
from hashcost.render.commands.compare_notes import stand_in
from hashcost.render.plot.chart import Axis, Bar, Bars, Figure, Mark
from hashcost.render.wording import tool_name


def comparison_figure(comparison: Comparison) -> Figure:
    """A chart per hasher, a bar per group of machines, the fastest first; one is the baseline."""
    return Figure(
        title="Speed of the machines",
        charts=tuple(
            _chart(compared, comparison)
            for compared in comparison.hashers
            if any(row.speed is not None for row in compared.groups)
        ),
        caption=f"{tool_name(comparison.tool)}; bars that are not filled have no known error",
    )


def _chart(compared: HasherComparison, comparison: Comparison) -> Bars:
    label = comparison.label_of(compared)
    lacking = compared.baseline != comparison.baseline
    why = f" ({comparison.baseline} lacks it)" if lacking else ""
    costs = {format_setting(row.speed.params) for row in compared.groups if row.speed is not None}
    at = f" at {costs.pop()}" if len(costs) == 1 else ""
    return Bars(
        title=f"{label}{at}, as a multiple of {compared.baseline}{why}",
        axis=Axis(title=f"speed, {compared.baseline} = 1", tick="{:.2f}×".format),
        bars=tuple(
            Bar(
                label=stand_in(row.machines),
                value=row.speed.ratio,
                low=None if row.standing is Standing.BASELINE else row.speed.low,
                high=None if row.standing is Standing.BASELINE else row.speed.high,
                solid=row.standing is not Standing.UNKNOWN,
            )
            for row in compared.groups
            if row.speed is not None
        ),
        marks=(Mark(label=compared.baseline, value=1.0),),
    )
