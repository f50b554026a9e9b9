"""A reader knows where values end: nothing inside one is taken for a cost, or written to."""

import pytest

from corpora import cases
from hashcost.apps.registry import load_tunable
from hashcost.checks.app_costs import costs_in
from hashcost.checks.applying import Target, change_for
from hashcost.checks.judgement import Configured


@pytest.mark.parametrize("file", cases(__file__, "over_lines.toml", "file"))
def test_only_the_setting_itself_counts(file: dict[str, str]) -> None:
    """The cost inside a password, a note or a heredoc is none, and stays when another is set."""
    app, setting = load_tunable(file["app"]), file["setting"]

    def filled(inner: int, outer: int) -> str:
        text = file["text"].replace("INNER", setting.format(inner))
        return text.replace("OUTER", setting.format(outer))

    unit = 100_000 if "00000" in setting else 1
    for inner in (5, 12):
        before = filled(inner, 12)
        [cost] = costs_in(app, before, "file", None)
        assert isinstance(cost, Configured)
        assert [12 * unit] == [*cost.params.values()]
        scheme = app.scheme(cost.hasher)
        assert scheme is not None
        params = dict.fromkeys(cost.params, 13 * unit)
        target = Target(app=app, scheme=scheme, params=params, path="file", text=before)
        assert filled(inner, 13) == change_for(target).after
