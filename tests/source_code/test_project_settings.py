"""A call that leaves its cost to a setting of its project has no row beside that setting's own."""

from __future__ import annotations

from pathlib import Path

from corpora import table
from hashcost.source_code.scan import scan

CALL = "defmodule A do\n  def f(p), do: Bcrypt.hash_pwd_salt(p)\nend\n"
SETTING = "import Config\nconfig :bcrypt_elixir, log_rounds: 9\n"


def rows(folder: Path, files: dict[str, str]) -> set[tuple[str, int | None]]:
    """Scan a folder with some files: their names, with the cost, or none where it is unknown."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    scanned = scan([folder])
    return {
        *((cost.path.name, cost.params["cost"]) for cost in scanned.costs if not cost.in_tests),
        *((setting.path.name, None) for setting in scanned.unknown),
    }


@table("file, row, cost")
def test_the_setting_of_production_has_the_only_row(
    tmp_path: Path, file: str, row: str, cost: int
) -> None:
    """The call keeps its default where only tests and development have a setting."""
    assert {(row, cost)} == rows(tmp_path, {"lib/a.ex": CALL, file: SETTING})


def test_production_overrides_what_is_set_for_all(tmp_path: Path) -> None:
    """A setting that a file of production has as well is judged by that file."""
    base = SETTING.replace("9", "4")
    files = {"lib/a.ex": CALL, "config/config.exs": base, "config/prod.exs": SETTING}
    assert {("prod.exs", 9)} == rows(tmp_path, files)


def test_a_setting_that_is_not_resolved_leaves_no_default(tmp_path: Path) -> None:
    """Where the configured cost is unknown, the library's default is no answer."""
    files = {"lib/a.ex": CALL, "config/config.exs": SETTING.replace("9", "Own.rounds()")}
    assert {("config.exs", None)} == rows(tmp_path, files)


def test_a_call_that_says_its_cost_keeps_its_row(tmp_path: Path) -> None:
    """Only what a call leaves out is decided elsewhere."""
    call = CALL.replace("salt(p)", "salt(p, log_rounds: 10)")
    files = {"lib/a.ex": call, "config/config.exs": SETTING}
    assert {("a.ex", 10), ("config.exs", 9)} == rows(tmp_path, files)


def test_each_project_of_a_tree_has_its_own_settings(tmp_path: Path) -> None:
    """A setting of one project does not count in another beside it."""
    files = {"one/lib/a.ex": CALL, "one/config/config.exs": SETTING, "two/lib/b.ex": CALL}
    assert {("config.exs", 9), ("b.ex", 12)} == rows(tmp_path, files)


@table("files")
def test_other_libraries_have_such_settings(tmp_path: Path, files: dict[str, str]) -> None:
    """The same is so in other languages and frameworks."""
    assert {(Path(next(iter(files))).name, 9)} == rows(tmp_path, files)


def test_a_setting_counts_below_its_own_folder(tmp_path: Path) -> None:
    """Where no folder's name tells the project, a setting says nothing of files beside it."""
    call = "from app import bcrypt\nbcrypt.generate_password_hash(pw)\n"
    files = {"one/own.py": "app.config['BCRYPT_LOG_ROUNDS'] = 9\n", "two/user.py": call}
    assert {("own.py", 9), ("user.py", 12)} == rows(tmp_path, {"one/views.py": call, **files})
