"""One server with several applications: measured, set up, set, checked and put into CI."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from corpora import cases
from end_to_end.command import MADE_UP, calibrate
from hashcost.cli.commands import emit as emitting
from hashcost.cli.commands import init as beginning
from hashcost.cli.output import Output
from hashcost.core.errors import UnwritableOutputError
from hashcost.core.profile import Profile
from hashcost.measure.request import Request
from hashcost.storage.files import rewrite
from hashcost.storage.profile import load_profile

_FRESH: Final[dict[str, str]] = cases(__file__, "one_server.toml", "fresh")
_SOLVED: Final = ("--from", str(MADE_UP), "--target", "300ms")
_COSTS: Final = {
    "shop/shop/settings.py": {"iterations": 1_200_000},
    "kratos/kratos.yml": {"cost": 12},
    "laravel/.env": {"cost": 12},
    "postgresql/postgresql.conf": {"iterations": 100_000},
    "vaultwarden/.env": {"iterations": 1_510_000},
}
"""What a hash may cost within 300 ms; PostgreSQL's clients refuse more than 100,000."""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A server with newly installed applications, and a profile of it."""
    for name, text in _FRESH.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shutil.copy(MADE_UP, tmp_path / "hashcost.json")
    return tmp_path


def _texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text("utf-8") for name in _FRESH}


def _set_up(server: Path) -> None:
    begun = calibrate("init", "--ci", "github", "--target", "300ms", cwd=server)
    assert begun.code == 0, begun.err


def test_five_applications_without_an_edit_by_hand(server: Path) -> None:
    """Four commands set up the project and its CI, show and set all costs, and check them; what
    `--diff` shows is what `--apply` writes, and a second run changes nothing.
    """
    _set_up(server)
    assert (server / ".github/workflows/password-hash-cost.yml").is_file()
    shown = calibrate("emit", "--diff", cwd=server)
    assert (0, _FRESH) == (shown.code, _texts(server)), shown.err
    copy = server.parent / "copy"
    shutil.copytree(server, copy)
    patch = ["git", "apply", "-p0", "--unidiff-zero"]
    subprocess.run(patch, input=shown.out.encode(), cwd=copy, check=True)

    applied = calibrate("emit", "--apply", cwd=server)
    assert applied.code == 0, applied.err
    assert _texts(copy) == _texts(server)
    assert applied.out.endswith("\nThe cost was set in 4 applications; 1 already had it.\n")
    again = calibrate("emit", "--apply", cwd=server)
    assert again.out.endswith("\nNo change: 5 applications have the cost.\n")

    checked = calibrate("check", "--format", "json", cwd=server)
    rows = {row["place"]["path"]: row for row in json.loads(checked.out)["results"]}
    assert {path: rows[path]["params"] for path in _COSTS} == _COSTS
    outcomes = {path: rows[path]["outcome"] for path in _COSTS}
    expected = dict.fromkeys(_COSTS, "fine") | {"postgresql/postgresql.conf": "at-limit"}
    assert (checked.code, outcomes) == (0, expected)


def test_all_costs_in_one_output(server: Path) -> None:
    """Without `--apply` and `--diff`, each snippet says whose it is; JSON has a row a file."""
    _set_up(server)
    snippets = calibrate("emit", cwd=server).out
    assert "# Vaultwarden\n# hashcost" in snippets
    assert "\nPASSWORD_ITERATIONS=1510000\n" in snippets
    emitted = json.loads(calibrate("emit", "--apply", "-f", "json", cwd=server).out)
    assert {row["file"]: row["params"] for row in emitted} == _COSTS
    kratos = next(row for row in emitted if row["app"] == "kratos")
    assert kratos["was"] == [{"cost": 8}]


def test_one_that_fails_does_not_stop_the_others(server: Path) -> None:
    """The worst code ends the command, and its cause has the exact setting to paste."""
    (server / "vaultwarden/.env").write_text("DATA_FOLDER=x\nPASSWORD_ITERATIONS=$COUNT\n")
    (server / "postgresql/postgresql.conf").write_text("max_connections = 100\n")
    _set_up(server)
    applied = calibrate("emit", "--apply", cwd=server)
    assert applied.code == 2, applied.out
    assert (
        "\nPostgreSQL: postgresql/postgresql.conf: it does not set the cost; before PostgreSQL 16"
        " it is 4096, and a server with this line does not start: say which with `calibrate emit"
        " postgresql --app-version`; paste the setting above\n" in applied.err
    )
    assert "\nscram_iterations = 100000\n" in applied.err
    assert "\nPASSWORD_ITERATIONS=1510000\n" in applied.err
    last = "The cost was set in 2 applications; 1 already had it; PostgreSQL and Vaultwarden were"
    assert " ".join(applied.out.split()).endswith(f"{last} not set.")
    assert (server / "kratos/kratos.yml").read_text() != _FRESH["kratos/kratos.yml"]
    assert (server / "postgresql/postgresql.conf").read_text() == "max_connections = 100\n"


def test_the_worst_of_several_failures_is_the_code(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not available ends the command with 4, also where a file fails after it."""
    (server / "postgresql/postgresql.conf").write_text("max_connections = 100\n")
    _set_up(server)
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    applied = calibrate("emit", "--apply", cwd=server)
    assert applied.code == 4
    assert "PostgreSQL: postgresql/postgresql.conf: it does not set the cost" in applied.err


def test_a_missing_extra_is_named_before_any_work(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the line that installs it, and the other applications are set."""
    _set_up(server)
    (server / "hashcost.json").unlink()
    settings = server / "hashcost.toml"
    settings.write_text(settings.read_text().replace("profile =", "# profile ="))
    said: list[str] = []
    requests: list[Request] = []

    def measure(request: Request, **_: object) -> Profile:
        assert said, "it is said after the measurement"
        requests.append(request)
        return load_profile(MADE_UP)

    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    monkeypatch.setattr(emitting, "calibrate", measure)
    monkeypatch.setattr(emitting, "tell", said.append)
    applied = calibrate("emit", "--apply", "-q", cwd=server)
    assert applied.code == 4
    assert said[0].startswith("Ory Kratos: ruamel.yaml is not installed; install it with `")
    assert applied.out.endswith("already had it; Ory Kratos was not set.\n")
    (request,) = requests
    assert set(request.hashers) == {"bcrypt@libcrypt", "pbkdf2-sha256@hashlib"}


def test_a_missing_extra_is_named_before_a_project_is_measured(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`init` names each file that needs it, with the line that installs it."""
    (server / "hashcost.json").unlink()
    said: list[str] = []

    def measure(*_: object, **__: object) -> Profile:
        assert any("kratos.yml is left out: ruamel.yaml is not installed" in line for line in said)
        return load_profile(MADE_UP)

    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    monkeypatch.setattr(beginning, "_measured", measure)
    monkeypatch.setattr(Output, "remark", lambda _, lines: said.extend(lines))
    begun = calibrate("init", cwd=server)
    assert begun.code == 0, begun.err
    assert "kratos" not in (server / "hashcost.toml").read_text()


def test_of_one_application_all_files_are_written_or_none(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was written gets its old content back if the next one cannot be written."""
    (server / "other.env").write_text(_FRESH["vaultwarden/.env"])
    written: list[Path] = []

    def fails_on_the_second(path: Path, before: bytes, after: bytes, state: Path | None) -> Path:
        written.append(path)
        if len(written) == 2:
            raise UnwritableOutputError("the disk is full")
        return rewrite(path, before, after, state)

    monkeypatch.setattr(emitting, "rewrite", fails_on_the_second)
    files = ("--apply", "vaultwarden/.env", "--apply", "other.env")
    ended = calibrate("emit", "vaultwarden", *files, *_SOLVED, cwd=server)
    assert (2, "") == (ended.code, ended.out)
    assert _texts(server) == _FRESH
    assert (server / "other.env").read_text() == _FRESH["vaultwarden/.env"]


def test_files_that_are_not_named_are_those_of_the_settings(server: Path) -> None:
    """Or else the application's usual one."""
    named = calibrate("emit", "kratos", "--apply", *_SOLVED, cwd=server / "kratos")
    assert named.out.startswith("kratos.yml: cost=12 instead of cost=8; backup: "), named.err
    _set_up(server)
    listed = calibrate("emit", "vaultwarden", "--diff", *_SOLVED, cwd=server)
    assert listed.out.startswith("--- vaultwarden/.env\n"), listed.err
