"""What is said of a core that a neighbour shared."""

from __future__ import annotations

import csv
import io
import json
from typing import Final

import msgspec
import pytest

from hashcost.core.measurement import SeenBy
from hashcost.core.profile import Profile, Recommendation
from hashcost.documents.profile import load_profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.wording import shared_note
from made_up import PROFILE_FILE

PROFILE: Final = load_profile(PROFILE_FILE)
ONE, ANOTHER = (
    msgspec.structs.replace(row, interval_seconds=(0.036, 0.044))
    for row in PROFILE.recommendations[:2]
)


def shared(row: Recommendation, factor: float, share: float) -> Recommendation:
    """A row whose hash takes so many times as long for a share of the run."""
    return msgspec.structs.replace(
        row, time_seconds=0.04, shared_seconds=0.04 * factor, shared_share=share
    )


def profile_of(*rows: Recommendation) -> Profile:
    """A profile with only these rows."""
    return msgspec.structs.replace(PROFILE, results=rows)


class TestSentence:
    """One sentence for a run."""

    def test_one_hasher(self) -> None:
        """It says how long the hash then takes, and for how much of the run that was so."""
        assert shared_note([shared(ONE, 1.5, 0.22)]) == (
            (
                "While another process shares the core (22 % of this run), sha512-crypt takes"
                " 60.0 ms."
            ),
        )

    def test_several_hashers_share_it(self) -> None:
        """Hashers are named one after the other, with the least and the largest share."""
        rows = [shared(ONE, 1.5, 0.22), shared(ANOTHER, 1.6, 0.18)]
        (said,) = shared_note(rows)
        assert said == (
            "While another process shares the core (18 to 22 % of this run), sha512-crypt takes"
            " 60.0 ms and pbkdf2-sha256 64.0 ms."
        )

    @pytest.mark.parametrize(
        "row",
        [ONE, shared(ONE, 1.5, 0.049), shared(ONE, 1.05, 0.5)],
        ids=["not seen", "hardly ever", "hardly slower"],
    )
    def test_little_is_not_worth_a_word(self, row: Recommendation) -> None:
        """Nothing is said of a core that was hardly shared, or of a hash within its interval."""
        assert shared_note([row]) == ()

    def test_implementations_are_told_apart(self) -> None:
        """Two implementations of one hasher are named in full."""
        other = msgspec.structs.replace(ONE, implementation="passlib")
        (said,) = shared_note([shared(ONE, 1.5, 0.2), shared(other, 1.5, 0.2)])
        assert "sha512-crypt@libcrypt takes 60.0 ms and sha512-crypt@passlib 60.0 ms" in said

    def test_a_trade_off_says_it_once(self) -> None:
        """Several rows of one hasher are one hash."""
        (said,) = shared_note([shared(ONE, 1.5, 0.2)] * 3)
        assert said.count("60.0 ms") == 1


SHARED = msgspec.structs.replace(shared(ONE, 1.5, 0.22), seen_by=SeenBy.EARLIER_RUNS)


def test_the_table_has_it_below() -> None:
    """The sentence stands below the recommendation, once."""
    shown = render(recommendation_document(profile_of(SHARED)), "table", width=200)
    assert shown.count("While another process shares the core") == 1


def test_json_has_the_figures() -> None:
    """JSON says how long a hash then takes, how often, and who saw the core quiet."""
    (row,) = json.loads(render(recommendation_document(profile_of(SHARED)), "json"))["results"]
    assert (pytest.approx(0.06), 0.22, "earlier-runs") == (
        row["shared_seconds"],
        row["shared_share"],
        row["seen_by"],
    )


def test_csv_has_the_seconds() -> None:
    """CSV has a column for it, which is empty where it was not seen."""
    text = render(recommendation_document(profile_of(SHARED, ANOTHER)), "csv")
    found = [row["shared_seconds"] for row in csv.DictReader(io.StringIO(text))]
    assert ["0.06", ""] == [each[:4] for each in found]
