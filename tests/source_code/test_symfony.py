"""Costs in Symfony's configuration."""

from pathlib import Path

from corpora import table
from hashcost.apps.registry import load_tunable
from hashcost.source_code.matching import Matches
from hashcost.source_code.scan import scan
from hashcost.source_code.symfony import ALGORITHMS
from sources import told


@table("name, text, costs")
def test_symfonys_hashers_set_a_cost(
    tmp_path: Path, name: str, text: str, costs: list[str]
) -> None:
    """Each class of users has the cost that its hasher is given, or else Symfony's default."""
    (tmp_path / "empty.php").touch()
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    scanned = scan([tmp_path])
    assert costs == told(Matches(costs=scanned.costs, unknown=scanned.unknown))


def test_the_default_that_is_dated_is_the_same() -> None:
    """What `check` says of a release is what `scan` says of the configuration."""
    assert load_tunable("symfony").usual("bcrypt") == ALGORITHMS["auto"][1]
