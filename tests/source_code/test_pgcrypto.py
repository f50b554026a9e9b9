"""Costs of pgcrypto in SQL, alone and in the texts of code."""

from pathlib import Path

from corpora import table
from hashcost.source_code.matching import Matches
from hashcost.source_code.scan import scan
from sources import told


@table("name, text, costs")
def test_sql_that_hashes_a_password_sets_a_cost(
    tmp_path: Path, name: str, text: str, costs: list[str]
) -> None:
    """A salt that SQL asks for sets the cost, or pgcrypto's default counts; what only compares,
    documents or comments sets none.
    """
    (tmp_path / "empty.py").touch()
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    scanned = scan([tmp_path])
    assert costs == told(Matches(costs=scanned.costs, unknown=scanned.unknown))


def test_a_folder_of_sql_alone_is_read(tmp_path: Path) -> None:
    """Nothing else has to be there for a scan to end with rows."""
    (tmp_path / "seed.sql").write_text("SELECT crypt(p, gen_salt('bf', 9));\n")
    assert [{"cost": 9}] == [cost.params for cost in scan([tmp_path]).costs]
