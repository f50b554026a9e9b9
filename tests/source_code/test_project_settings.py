"""A project's own setting of a library decides what the calls of the project leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcost.core.measurement import Params
from hashcost.source_code.scan import Scanned, scan

CALL = "defmodule A do\n  def f(p), do: Bcrypt.hash_pwd_salt(p)\nend\n"


def scanned(folder: Path, files: dict[str, str]) -> Scanned:
    """A scan of a folder with some files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return scan([folder])


def of_file(found: Scanned, name: str) -> list[Params]:
    """The costs in one file."""
    return [each.params for each in found.costs if each.path.name == name]


def rounds(number: int | str) -> str:
    """A configuration of Elixir that sets the rounds of bcrypt."""
    return f"import Config\nconfig :bcrypt_elixir, log_rounds: {number}\n"


@pytest.mark.parametrize(
    ("configurations", "costs"),
    [
        ({}, [12]),
        ({"config.exs": 9}, [9]),
        ({"config.exs": 9, "prod.exs": 13}, [13]),
        ({"config.exs": 9, "prod.exs": 13, "runtime.exs": 11}, [11]),
        ({"config.exs": 9, "dev.exs": 4, "test.exs": 4}, [9]),
        ({"test.exs": 4}, [12]),
        ({"runtime.exs": 'String.to_integer(System.get_env("R", "13"))'}, [13]),
    ],
)
def test_what_is_configured_replaces_the_default(
    tmp_path: Path, configurations: dict[str, int | str], costs: list[int]
) -> None:
    """What production reads last counts; what is for tests and development does not."""
    files = {f"config/{name}": rounds(each) for name, each in configurations.items()}
    found = scanned(tmp_path, {"lib/a.ex": CALL, **files})
    assert [{"cost": each} for each in costs] == of_file(found, "a.ex")
    if configurations == {"config.exs": 9}:
        assert "config.exs:2 sets it" in {each.why for each in found.costs}


def test_a_call_that_says_its_cost_keeps_it(tmp_path: Path) -> None:
    """Only what a call leaves out is decided elsewhere."""
    call = CALL.replace("(p),", "(p),").replace("salt(p)", "salt(p, log_rounds: 10)")
    found = scanned(tmp_path, {"lib/a.ex": call, "config/config.exs": rounds(13)})
    assert [{"cost": 10}] == of_file(found, "a.ex")


def test_only_what_is_set_is_replaced(tmp_path: Path) -> None:
    """A param that neither the call nor the project gives keeps the library's default."""
    files = {
        "lib/a.ex": CALL.replace("Bcrypt", "Argon2"),
        "config/config.exs": "import Config\nconfig :argon2_elixir, t_cost: 5\n",
        "config/prod.exs": "import Config\nconfig :argon2_elixir, m_cost: 14\n",
    }
    expected = {"memory_kib": 1 << 14, "time_cost": 5, "parallelism": 4}
    found = scanned(tmp_path, files)
    assert [expected] == of_file(found, "a.ex")
    assert [expected] == of_file(found, "prod.exs")


def test_a_setting_that_is_not_told_leaves_no_default(tmp_path: Path) -> None:
    """Where nobody can tell what is configured, the library's default is no answer."""
    found = scanned(tmp_path, {"lib/a.ex": CALL, "config/config.exs": rounds("Own.rounds()")})
    assert [] == of_file(found, "a.ex")
    assert {"a.ex", "config.exs"} == {each.path.name for each in found.unknown}


def test_a_setting_that_is_not_told_is_replaced_only_as_a_whole(tmp_path: Path) -> None:
    """What production sets of it leaves the rest as little told as it was."""
    files = {
        "lib/a.ex": CALL.replace("Bcrypt", "Argon2"),
        "config/config.exs": "import Config\nconfig :argon2_elixir, m_cost: Own.cost()\n",
        "config/prod.exs": "import Config\nconfig :argon2_elixir, t_cost: 5\n",
    }
    assert [] == of_file(scanned(tmp_path, files), "a.ex")


def test_each_project_of_a_tree_has_its_own_settings(tmp_path: Path) -> None:
    """What one project sets is nothing to another beside it, and the nearest counts."""
    files = {
        "one/lib/a.ex": CALL,
        "one/config/config.exs": rounds(9),
        "two/lib/b.ex": CALL,
        "three/lib/c.ex": CALL,
        "three/config/config.exs": rounds(11),
        "three/apps/x/lib/d.ex": CALL,
        "three/apps/x/config/config.exs": rounds(8),
    }
    found = scanned(tmp_path, files)
    costs = [of_file(found, f"{name}.ex") for name in "abcd"]
    assert [[{"cost": each}] for each in (9, 12, 11, 8)] == costs


def test_the_lowest_of_settings_alike_counts(tmp_path: Path) -> None:
    """Of two settings that count the same, the lower cost is that of the call."""
    files = {"a.py": "from app import bcrypt\nbcrypt.generate_password_hash(pw)\n"}
    files |= {f"{n}.py": f"app.config['BCRYPT_LOG_ROUNDS'] = {n}\n" for n in (5, 13)}
    assert [{"cost": 5}] == of_file(scanned(tmp_path, files), "a.py")


@pytest.mark.parametrize(
    "files",
    [
        {
            "app/user.rb": "require 'bcrypt'\nBCrypt::Password.create(pw)\n",
            "config/initializers/bcrypt.rb": "BCrypt::Engine.cost = 9\n",
        },
        {
            "app/user.rb": "class User < ApplicationRecord\n  has_secure_password\nend\n",
            "config/initializers/bcrypt.rb": "BCrypt::Engine.cost = 9\n",
        },
        {
            "app/user.py": "from app import bcrypt\nbcrypt.generate_password_hash(pw)\n",
            "config.py": "class Config:\n    BCRYPT_LOG_ROUNDS = 9\n",
        },
    ],
)
def test_other_libraries_have_such_settings(tmp_path: Path, files: dict[str, str]) -> None:
    """The same is so in other languages and frameworks."""
    found = scanned(tmp_path, files)
    assert [{"cost": 9}] == of_file(found, Path(next(iter(files))).name)
    assert () == found.unknown
