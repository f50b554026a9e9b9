"""``calibrate check`` of costs that are arguments, and of all that the settings list."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from corpora import table
from end_to_end.command import MADE_UP, calibrate

FREE: Final = ("--target", "40ms", "--profile", str(MADE_UP), "--policy", "none")
FINE: Final = "import bcrypt\n\nbcrypt.gensalt(9)\n"
OPEN: Final = "package a\nfunc f() { bcrypt.GenerateFromPassword(p, config.Cost) }\n"
SETTINGS: Final = f"""\
check = ["bcrypt=9"]
scan = ["src/"]
target = "40ms"
profile = "{MADE_UP}"
policy = ["none"]

[app]
laravel = "web/.env"
"""
TOML: Final = "hashcost.toml"


def test_unset_means_the_default_of_the_version(tmp_path: Path) -> None:
    """The default is that of the release that is given, or that the project pins; else the
    weakest of the supported ones counts, and the answer says so.
    """

    def row(app: str, *given: str, pinned: str = "") -> dict[str, Any]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        (folder / ".env").write_text("APP_ENV=x\nDOMAIN=x\n", "utf-8")
        if pinned:
            name, _, text = pinned.partition(" ")
            (folder / name).write_text(text, "utf-8")
        arguments = ("check", "--app", app, *given, *FREE, "-f", "json")
        (found,) = json.loads(calibrate(*arguments, cwd=folder).out)["results"]
        return dict(found)

    unknown = row("laravel")
    assert {"cost": 12} == unknown["params"]
    assert "its version is not known: give --app-version" in unknown["note"]
    lock = 'composer.lock {"packages": [{"name": "laravel/framework", "version": "v10.1.0"}]}'
    pinned = row("laravel", pinned=lock)
    assert {"cost": 10} == pinned["params"]
    assert "its version is 10.1.0 (composer.lock)" in pinned["note"]
    assert {"cost": 12} == row("laravel", "--app-version", "12.1", pinned=lock)["params"]
    manifest = 'composer.json {"require": {"laravel/framework": "^10.10 || ^11.0"}}'
    ranged = row("laravel", pinned=manifest)
    assert {"cost": 10} == ranged["params"]
    assert "its version is 10.10 (the lowest that composer.json allows)" in ranged["note"]
    assert {"iterations": 600000} == row("vaultwarden")["params"]
    old = row("vaultwarden", pinned="compose.yaml image: vaultwarden/server:1.27.0\n")
    assert "unknown for version 1.27.0 (compose.yaml)" in old["message"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose costs are all fine."""
    for name, text in {
        TOML: SETTINGS,
        "web/.env": "APP_NAME=x\nBCRYPT_ROUNDS=9\n",
        "src/users.py": FINE,
        "src/tests/test_users.py": FINE,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def changed(project: Path, name: str, before: str, after: str) -> int:
    """Edit one of its files; the code of the check that follows."""
    path = project / name
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")
    return calibrate("check", "--quiet", cwd=project).code


def places(project: Path, *arguments: str) -> list[tuple[str, int | None, str]]:
    """Where the results of a run stand, and what they say."""
    ended = calibrate("check", "--format", "json", "--quiet", *arguments, cwd=project)
    return [
        (row["place"]["path"], row["place"]["line"], row["outcome"])
        for row in json.loads(ended.out)["results"]
    ]


def test_all_three_are_one_report(project: Path) -> None:
    """Each cost is judged in its place, told from the settings' folder; what was scanned, too."""
    ended = calibrate("check", "--quiet", cwd=project / "src")

    assert 0 == ended.code, ended.err
    assert "All 3 costs are fine at 40.0 ms." in ended.out
    assert "2 source files read" in ended.out
    expected = [(TOML, 1, "fine"), ("web/.env", 2, "fine"), ("src/users.py", 3, "fine")]
    assert expected == places(project)


@table("name, before, after")
def test_any_of_them_fails_it_in_every_form(
    project: Path, name: str, before: str, after: str
) -> None:
    """One weak cost, wherever it is, ends it with 1 and stands in every form of the report."""
    changed(project, name, before, after)
    forms = ("table", "json", "csv", "markdown", "junit", "sarif", "gitlab", "github")
    reports = [f"--report={form}={form}.txt" for form in forms]

    assert 1 == calibrate("check", "--quiet", *reports, cwd=project).code
    for form in forms:
        text = (project / f"{form}.txt").read_text("utf-8")
        assert name in text, form
        assert "drifted" in text or form == "github", form


def test_a_list_of_names_looks_where_files_usually_are(project: Path) -> None:
    """Without a file, an application's usual ones are looked for beside the settings."""
    changed(project, TOML, '[app]\nlaravel = "web/.env"\n', "")
    changed(project, TOML, "scan =", 'app = ["laravel"]\nscan =')
    ended = calibrate("check", cwd=project)
    (project / ".env").write_text("BCRYPT_ROUNDS=9\n", "utf-8")

    assert (2, True) == (ended.code, "hashcost.toml: app: no Laravel file found" in ended.err)
    assert (".env", 1, "fine") in places(project)


def test_what_is_named_is_all_that_is_checked(project: Path) -> None:
    """A cost or an application that is named leaves out what the settings list."""
    assert "The cost is fine" in calibrate("check", "bcrypt=9", cwd=project).out
    assert [("web/.env", 2, "fine")] == places(project, "--app", "laravel", "web/.env")


def test_what_code_does_not_tell_fails_only_on_request(project: Path) -> None:
    """Source code may leave a cost open, an application's file may not; the user may say more."""
    (project / "src/open.go").write_text(OPEN, "utf-8")

    assert 0 == calibrate("check", "--quiet", cwd=project).code
    assert 1 == changed(project, "web/.env", "BCRYPT_ROUNDS=9", "BCRYPT_ROUNDS=${ROUNDS}")
    assert 0 == changed(project, TOML, "scan =", 'on-unknown = "pass"\nscan =')


def test_a_scan_reads_the_folders_that_are_listed(project: Path) -> None:
    """Without a folder, `scan` reads those of the settings."""
    (project / "tool.py").write_text(FINE, "utf-8")
    ended = calibrate("scan", "--quiet", cwd=project)

    assert "src/users.py:3" in ended.out
    assert "tool.py" not in ended.out


def test_a_cost_slower_than_allowed_may_fail(project: Path) -> None:
    """Over budget is a warning, or with `over-budget` a failure like that of --max."""
    slow = ("check", "bcrypt=10", "--quiet")
    assert 0 == calibrate(*slow, cwd=project).code
    assert 0 == changed(project, TOML, "scan =", 'over-budget = "fail"\nscan =')
    ended = calibrate(*slow, cwd=project)
    assert (1, True) == (ended.code, "too-slow" in ended.out)
    # Within the tolerance of the target it is as good as at the target.
    assert 0 == calibrate(*slow, "--target", "50ms", cwd=project).code
    assert 1 == calibrate(*slow, "--target", "40ms", cwd=project).code


def test_init_and_then_check(tmp_path: Path) -> None:
    """After the one, the other covers the application and the code, and times nothing."""
    for name, text in {
        ".gitlab-ci.yml": "",
        ".env": "APP_KEY=x\nBCRYPT_ROUNDS=4\n",
        "src/users.py": FINE.replace("9", "4"),
        "hashcost.json": MADE_UP.read_text("utf-8"),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    started = calibrate("init", "--target", "40ms", cwd=tmp_path)
    checked = calibrate("check", cwd=tmp_path)
    again = calibrate("init", cwd=tmp_path)

    step = (tmp_path / ".gitlab" / "password-hash-cost.yml").read_text("utf-8")
    assert step.startswith("password-hash-cost:\n")
    assert (0, 0, 1) == (started.code, again.code, checked.code)
    assert "2 of 2 costs fail under owasp: follow the table." in checked.out
    assert ".env:2" in checked.out
    assert "src/users.py:3" in checked.out
    assert "unchanged" in again.err


def test_a_file_of_an_application_is_judged_once(tmp_path: Path) -> None:
    """A cost that the reader of an application and the scan both find is one row."""
    text = 'CryptContext(schemes=["pbkdf2_sha256"], pbkdf2_sha256__rounds=700000)'
    (tmp_path / "a.py").write_text(f"from passlib.context import CryptContext\nc = {text}\n")
    (tmp_path / TOML).write_text('scan = ["."]\napp.passlib = "a.py"\n', "utf-8")
    report = json.loads(calibrate("check", *FREE, "-f", "json", cwd=tmp_path).out)

    assert [{"path": "a.py", "line": 2}] == [row["place"] for row in report["results"]]


def test_a_row_says_what_was_timed_in_place_of_an_applications_library(tmp_path: Path) -> None:
    """The same cost takes twice as long under PAM, and nobody else would know why."""
    (tmp_path / "login.defs").write_text("ENCRYPT_METHOD SHA512\nSHA_CRYPT_MAX_ROUNDS 9000\n")
    (tmp_path / "common-password").write_text("password required pam_unix.so sha512 rounds=9000\n")

    def judged(app: str, name: str) -> tuple[float, str]:
        ended = calibrate("check", "--app", app, name, *FREE, "-f", "json", cwd=tmp_path)
        (row,) = json.loads(ended.out)["results"]
        return row["time_seconds"], row["note"]

    once, _ = judged("login-defs", "login.defs")
    twice, why = judged("pam-unix", "common-password")
    assert twice == pytest.approx(2 * once)
    assert "calls libcrypt twice a login: 2 times the time of libcrypt" in why


def test_a_file_that_cannot_be_read_is_a_row_beside_others(project: Path) -> None:
    """It fails the check, and the others are judged; alone, it ends the command with 2."""
    (project / "kratos.yml").write_text("hashers: [\n")
    (project / TOML).write_text(SETTINGS + 'kratos = "kratos.yml"\n')
    ended = calibrate("check", "--format", "json", cwd=project)
    rows = {row["place"]["path"]: row["outcome"] for row in json.loads(ended.out)["results"]}

    assert (1, "unread", "fine") == (ended.code, rows["kratos.yml"], rows["web/.env"])
    (project / TOML).write_text('[app]\nkratos = "kratos.yml"\n')
    ended = calibrate("check", cwd=project)
    assert (2, "") == (ended.code, ended.out)
    assert "line 2: not YAML" in ended.err
