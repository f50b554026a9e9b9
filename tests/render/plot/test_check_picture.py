"""The picture of a check."""

from __future__ import annotations

import msgspec
import pytest

from checks import FORTY, MADE_UP, configured
from hashcost.render.plot.chart import Figure, Histogram, Tone
from hashcost.render.plot.check import check_figure
from hashcost.verdicts.check import check_all
from hashcost.verdicts.judgement import REPORT_SCHEMA_VERSION, CheckReport, Standard
from hashcost.verdicts.sample_times import Distribution, distribution_of


def report(*costs: str, standard: Standard = FORTY) -> CheckReport:
    """What a check by the made-up profile finds."""
    return CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=MADE_UP.tool,
        live=False,
        measured=MADE_UP.created,
        machine=MADE_UP.machine,
        target_seconds=standard.target_seconds,
        tolerance=standard.tolerance,
        longest_seconds=standard.longest_seconds,
        results=check_all([configured(cost) for cost in costs], MADE_UP, standard),
    )


def drawn(*costs: str, standard: Standard = FORTY) -> Figure:
    """Its picture."""
    found = [distribution_of(configured(cost), MADE_UP) for cost in costs]
    return check_figure(report(*costs, standard=standard), found)


def one(times: Distribution, cost: str = "bcrypt=9", standard: Standard = FORTY) -> Histogram:
    """The chart of one cost by these times."""
    (chart,) = check_figure(report(cost, standard=standard), [times]).charts
    assert isinstance(chart, Histogram)
    return chart


def times(*timed: float, scaled: tuple[float, ...] = ()) -> Distribution:
    """Hashes that took so long."""
    return Distribution(
        implementation_version="5.0.0",
        parameter="cost",
        threads=1,
        timed=timed,
        scaled=scaled,
        scaled_from=(7,) if scaled else (),
    )


def test_charts_are_in_the_order_of_the_table() -> None:
    """What fails stands first; what cannot be drawn is said."""
    figure = drawn("bcrypt=9", "yescrypt=5", "bcrypt=8")

    assert ["bcrypt@bcrypt 5.0.0, cost=8: drifted", "bcrypt@bcrypt 5.0.0, cost=9: fine"] == [
        chart.title for chart in figure.charts
    ]
    assert ("1 more cost is not drawn: no hash tells its time.",) == figure.notes


def test_not_more_than_a_few_are_drawn() -> None:
    """Six charts are drawn, and how many are left out is said."""
    figure = drawn(*(f"bcrypt={cost}" for cost in range(5, 13)))

    assert 6 == len(figure.charts)
    assert ("2 more costs are not drawn, which the table has.",) == figure.notes


def test_what_was_scaled_is_told_from_what_was_timed() -> None:
    """Hashes at another cost are another layer, and alone they are named on the axis."""
    both = one(times(0.0267, 0.0268, scaled=(0.0269,)))
    alone = one(times(scaled=(0.0267, 0.0269)))

    assert [(Tone.SOUND, 2), (Tone.UNSURE, 1)] == [
        (layer.tone, sum(layer.counts)) for layer in both.layers
    ]
    assert "CPU time of one hash" == both.axis.title
    assert "CPU time of one hash, scaled from cost 7" == alone.axis.title


@pytest.mark.parametrize("cost", ["bcrypt=8", "bcrypt=9", "bcrypt=12"])
def test_the_verdict_is_marked(cost: str) -> None:
    """Judged time, target and limit have marks; interval and tolerance are spans."""
    limit = Standard(target_seconds=0.04, longest_seconds=0.3)
    chart = one(times(0.02, 0.03), cost, limit)

    assert ["judged", "target", "--max"] == [mark.label.split()[0] for mark in chart.marks]
    assert [0.04, 0.3] == [mark.value for mark in chart.marks[1:]]
    assert pytest.approx((0.032, 0.048)) == (chart.spans[1].low, chart.spans[1].high)


def test_a_target_is_not_hidden_by_an_axis() -> None:
    """Target and tolerance near the times lie between the ends of the axis, not on them."""
    chart = one(times(0.0582, 0.06, 0.062, 0.07), "bcrypt=10", Standard(target_seconds=0.04))

    assert chart.edges[0] < 0.032


def test_times_far_apart_have_a_logarithmic_axis() -> None:
    """A hash that took ten times as long does not squeeze the others into one bin."""
    assert one(times(0.02, 0.021, 0.3)).axis.logarithmic
    assert not one(times(0.02, 0.021, 0.03)).axis.logarithmic


def test_edges_are_told_apart() -> None:
    """The bins' ends are written with as many digits as tell one from the next."""
    chart = one(times(*(0.0267 + index * 1e-6 for index in range(40))))
    written = [chart.axis.tick(edge) for edge in chart.edges]

    assert len(set(written)) == len(written)


def test_without_a_tolerance_there_is_none_to_draw() -> None:
    """A tolerance of nothing is no span."""
    chart = one(times(0.02), standard=Standard(target_seconds=0.04, tolerance=0.0))

    assert ["quiet core, 95 %"] == [span.label.split(":")[0] for span in chart.spans]


def test_where_it_comes_from() -> None:
    """The machine and the day of the profile stand below."""
    caption = drawn("bcrypt=9").caption

    assert caption.startswith("measured 2026-11-20 on ")
    live = msgspec.structs.replace(report("bcrypt=9"), live=True)
    assert check_figure(live, [None]).caption.startswith("timed on ")
