"""What `calibrate capacity` shows beside the tables of docs/capacity.md, which is compared too."""

from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

from fakes import MIB, level
from hashcost.core.profile import Concurrency
from hashcost.logins.model import Capacity
from hashcost.logins.prediction import measured_comparison
from hashcost.render import render
from hashcost.render.commands.capacity import capacity_document, comparison_document
from snapshots import Snapshot

EXAMPLES: Final = Path(__file__).parents[3] / "docs" / "examples"
LEVELS, DEMANDED = (
    msgspec.json.decode((EXAMPLES / f"{name}.json").read_bytes(), type=Capacity)
    for name in ("capacity", "logins")
)


def test_a_quiet_machine(snapshot: Snapshot) -> None:
    """Where nothing else ran, what it serves now is the answer; no limit, no note of one."""
    quiet = tuple(level(row.threads, row.quiet_logins_per_second) for row in LEVELS.levels)
    found = replace(LEVELS, levels=quiet, concurrency=None)
    snapshot(render(capacity_document(found), "table", width=80))


@pytest.mark.parametrize(("share", "is_said"), [(0.95, False), (0.85, True)])
def test_a_busy_machine_qualifies_the_answer(share: float, is_said: bool) -> None:
    """Where neighbours took more than a tenth of the time, the answer is for a quiet machine."""
    levels = tuple(
        replace(row, logins_per_second=share * row.quiet_logins_per_second)
        for row in LEVELS.levels
    )
    (answer,) = capacity_document(replace(LEVELS, levels=levels)).answer

    assert is_said == answer.endswith(" when the machine is quiet.")


def test_a_limit_of_concurrent_hashes(snapshot: Snapshot) -> None:
    """The limit is said with the memory that hashes then take, unless that is next to nothing."""
    limit = Concurrency(at_once=10, memory_bytes=1024 * MIB, process_bytes=40 * MIB)
    notes = [
        capacity_document(replace(LEVELS, concurrency=limit, memory_bytes=memory)).notes[-1]
        for memory in (4096, 19 * MIB, 64 * MIB)
    ]
    snapshot("".join(f"{note}\n" for note in notes))


def test_a_demand() -> None:
    """A note says at which cost the hashes were timed, if that is not the answer."""
    timed = replace(DEMANDED.levels[0], params={"cost": 10})
    document = capacity_document(replace(DEMANDED, levels=(timed, *DEMANDED.levels[1:])))

    assert "Hashes were timed at cost=10; the last row predicts cost=11." in document.notes


def test_csv(snapshot: Snapshot) -> None:
    """A line per level, without what is not known of it, and one for the prediction."""
    snapshot(render(capacity_document(DEMANDED), "csv"))


def test_costs_are_compared_in_one_table(snapshot: Snapshot) -> None:
    """A row for each measured cost, with the library if there are several, fits the screen."""
    other = replace(DEMANDED, implementation="libcrypt", implementation_version="4.4.36")
    compared = measured_comparison([LEVELS, other])
    snapshot(render(comparison_document(compared), "table", width=80))


def test_what_is_compared_in_csv(snapshot: Snapshot) -> None:
    """A line for each cost says whether it was measured."""
    snapshot(render(comparison_document(measured_comparison([LEVELS, DEMANDED])), "csv"))


def test_what_is_compared_in_json() -> None:
    """The JSON has the comparison itself, with a row for each cost."""
    text = render(comparison_document(measured_comparison([LEVELS, DEMANDED])), "json")
    compared = msgspec.json.decode(text)
    assert (1, 2) == (compared["schema"], len(compared["rows"]))


def test_a_cost_that_no_minimum_holds_is_not_used_without_a_word() -> None:
    """The highest cost that holds a demand may be a weak one."""
    assert "no minimum" not in capacity_document(DEMANDED).answer[0]
    unlisted = replace(DEMANDED, hasher="sha512-crypt", params={"rounds": 6970})
    (answer,) = capacity_document(unlisted).answer
    assert answer.startswith("Use sha512-crypt rounds=6970: ")
    assert answer.endswith(". owasp has no minimum for sha512-crypt.")
