"""`calibrate emit` into files: what it writes, what it leaves, and what programs make of it."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from ruamel.yaml import YAML

from configurations import FILES, raised
from corpora import cases
from end_to_end.command import MADE_UP, Ended, calibrate
from hashcost.checks.applying import change_for
from hashcost.core.errors import HashcostError

_SOLVED: Final = ("--from", str(MADE_UP), "--target", "100ms")
"""OWASP's minimum for PBKDF2, 600,000 iterations, whatever the library takes for them."""
_ENV: Final = (
    'DOMAIN="https://x"\n# slow enough?\nexport PASSWORD_ITERATIONS="450000" # was less\n'
)
_SETTINGS: Final = cases(__file__, "emit_files.toml", "settings")
_DEFS: Final = "ENCRYPT_METHOD SHA512\nSHA_CRYPT_MIN_ROUNDS 5000\nSHA_CRYPT_MAX_ROUNDS 5000\n"


def _emit(*arguments: str, cwd: Path, solved: tuple[str, ...] = _SOLVED) -> Ended:
    return calibrate("emit", *arguments, *solved, cwd=cwd)


def test_a_cost_is_set_once(tmp_path: Path) -> None:
    """Only the number changes; the file as it was is in the state folder, and nothing beside the
    file. A second run changes nothing and makes no further backup.
    """
    path = tmp_path / ".env"
    path.write_text(_ENV, "utf-8")
    path.chmod(0o600)
    first = _emit("vaultwarden", "--apply", ".env", "-q", cwd=tmp_path)
    assert (0, "") == (first.code, first.err)
    change, _, backup = first.out.partition("; backup: ")
    assert ".env: iterations=600000 instead of iterations=450000" == change
    assert path.read_text("utf-8") == _ENV.replace("450000", "600000")
    assert Path(backup.strip()).read_text("utf-8") == _ENV
    assert path.stat().st_mode & 0o777 == 0o600
    second = _emit("vaultwarden", "--apply", ".env", "-q", cwd=tmp_path)
    assert (0, ".env: no change, it has iterations=600000\n") == (second.code, second.out)
    assert [path] == [*tmp_path.iterdir()]
    assert 1 == len([*Path(backup).parent.iterdir()])


def test_a_difference_is_the_change_that_is_made(tmp_path: Path) -> None:
    """`--diff` writes nothing; what `git apply` makes of it is what `--apply` writes."""
    path = tmp_path / "env"
    path.write_text(_ENV.rstrip("\n"), "utf-8")
    shown = _emit("vaultwarden", "--diff", "env", "-q", cwd=tmp_path)
    assert shown.code == 0
    assert path.read_text("utf-8") == _ENV.rstrip("\n")
    copy = tmp_path / "other" / "env"
    copy.parent.mkdir()
    copy.write_text(_ENV.rstrip("\n"), "utf-8")
    apply = ["git", "apply", "-p0"]
    subprocess.run(apply, input=shown.out.encode(), cwd=copy.parent, check=True)
    assert _emit("vaultwarden", "--apply", "env", cwd=tmp_path).code == 0
    assert copy.read_bytes() == path.read_bytes()
    nothing = _emit("vaultwarden", "--diff", "env", "-q", cwd=tmp_path)
    assert (0, "") == (nothing.code, nothing.out)
    snippet = _emit("vaultwarden", cwd=tmp_path).out
    path.write_text(snippet.replace("hashcost 0.1.0, 2026-11-20", "hashcost 0.0.9, 2025-01-01"))
    assert path.read_text("utf-8") != snippet
    assert _emit("vaultwarden", "--diff", "env", "-q", cwd=tmp_path).out == ""


def test_a_cost_is_never_lowered_unasked(tmp_path: Path) -> None:
    """The profile of a slower machine weakens nothing; with `--lower` it is said."""
    path = tmp_path / ".env"
    path.write_text("PASSWORD_ITERATIONS=900000\n", "utf-8")
    refused = _emit("vaultwarden", "--apply", ".env", "-q", cwd=tmp_path)
    assert (2, "") == (refused.code, refused.out)
    assert ".env:1: it has iterations=900000, and iterations=600000 is weaker" in refused.err
    assert path.read_text("utf-8") == "PASSWORD_ITERATIONS=900000\n"
    lowered = _emit("vaultwarden", "--apply", ".env", "-q", "--lower", cwd=tmp_path)
    assert "iterations=600000 instead of iterations=900000" in lowered.out


def test_several_files(tmp_path: Path) -> None:
    """Each file of the application is set; if one cannot be changed, none is."""
    for name in ("one.env", "two.env"):
        (tmp_path / name).write_text(_ENV, "utf-8")
    files = ("--apply", "one.env", "--apply", "two.env")
    ended = _emit("vaultwarden", *files, "-q", "--format", "json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    emitted = json.loads(ended.out)
    assert [row["file"] for row in emitted] == ["one.env", "two.env"]
    assert all('+export PASSWORD_ITERATIONS="600000"' in row["diff"] for row in emitted)
    assert [Path(row["backup"]).read_text("utf-8") for row in emitted] == [_ENV, _ENV]
    (tmp_path / "one.env").write_text(_ENV, "utf-8")
    (tmp_path / "two.env").write_text("PASSWORD_ITERATIONS=$OTHERS\n", "utf-8")
    ended = _emit("vaultwarden", *files, cwd=tmp_path)
    assert (2, "") == (ended.code, ended.out)
    assert "PASSWORD_ITERATIONS=600000" in ended.err
    assert ended.err.endswith("paste the setting above\n")
    assert (tmp_path / "one.env").read_text("utf-8") == _ENV


def test_the_hasher_is_that_of_the_file(tmp_path: Path) -> None:
    """Unless another is asked for, which a file that has one does not get."""
    (tmp_path / "login.defs").write_text(_DEFS, "utf-8")
    ended = _emit("login-defs", "--apply", "login.defs", "-q", cwd=tmp_path)
    assert ended.code == 0, ended.err
    text = (tmp_path / "login.defs").read_text("utf-8")
    assert _DEFS.replace("5000", "399000") == text
    (tmp_path / "settings.py").write_text(_SETTINGS, "utf-8")
    asked = ("--apply", "settings.py", "--hasher", "bcrypt")
    ended = calibrate("emit", "django", *asked, "--from", str(MADE_UP), cwd=tmp_path)
    assert ended.code == 2
    assert "it hashes with pbkdf2-sha256, not bcrypt; add `--hasher pbkdf2-sha256`" in ended.err


_PARSERS: Final[dict[str, tuple[str, ...] | Callable[[Path], object]]] = {
    ".php": ("php", "-l"),
    ".js": ("node", "--check"),
    ".mjs": ("node", "--check"),
    ".rb": ("ruby", "-c"),
    ".sh": ("sh", "-n"),
    ".py": lambda file: compile(file.read_bytes(), file.name, "exec", dont_inherit=True),
    ".yml": lambda file: list(YAML().load_all(file)),
    ".yaml": lambda file: list(YAML().load_all(file)),
}
"""What tells whether a file is whole: a program, where it is at hand, or a function that fails."""


def _refusal(parser: tuple[str, ...] | Callable[[Path], object], file: Path) -> str:
    """What a parser says of a file that it does not take."""
    if isinstance(parser, tuple):
        done = subprocess.run([*parser, file], capture_output=True, check=False)
        return f"{done.returncode}: {done.stderr!r}" if done.returncode else ""
    try:
        parser(file)
    except Exception as error:
        return repr(error)
    return ""


@pytest.mark.parametrize("suffix", _PARSERS)
def test_real_parsers_take_what_was_applied(suffix: str, tmp_path: Path) -> None:
    """Each file of the corpus that they took before, with a higher cost in it."""
    parser = _PARSERS[suffix]
    if isinstance(parser, tuple) and shutil.which(parser[0]) is None:
        pytest.skip(f"{parser[0]} is not here")
    changed = 0
    for configuration, path in FILES:
        found = raised(configuration, path) if path.endswith(suffix) else None
        if found is None:
            continue
        try:
            change = change_for(found[0])
        except HashcostError:
            continue
        taken = []
        for text in (change.before, change.after):
            file = tmp_path / f"file{suffix}"
            file.write_text(text.lstrip(), "utf-8")
            taken.append(_refusal(parser, file))
        assert not taken[1] or taken[0], (configuration, change.after, taken)
        changed += change.before != change.after
    assert changed


@pytest.mark.parametrize(
    "action", [(), ("--diff", "opensearch.yml"), ("--apply", "opensearch.yml")]
)
@pytest.mark.parametrize("given", [True, False])
def test_a_release_without_the_setting_gets_none(
    action: tuple[str, ...], given: bool, tmp_path: Path
) -> None:
    """Neither a snippet nor a line is written for a release that is older than the setting.

    The release is the one that is given, or else the one that a file beside names.
    """
    path = tmp_path / "opensearch.yml"
    path.write_text("cluster.name: x\n", "utf-8")
    version = ["--app-version", "2.11.1"]
    if not given:
        version = []
        image = "services:\n  node:\n    image: opensearchproject/opensearch:2.11.1\n"
        (tmp_path / "docker-compose.yml").write_text(image, "utf-8")
    ended = _emit("opensearch", *version, *action, cwd=tmp_path)
    assert (1, "") == (ended.code, ended.out)
    assert "2.11.1" in ended.err
    assert "; upgrade to 2.16, which has a setting for it" in ended.err
    assert path.read_text("utf-8") == "cluster.name: x\n"


def test_the_release_that_is_given_gets_the_setting(tmp_path: Path) -> None:
    """A line is added where the release is known to have the setting, without a warning."""
    path = tmp_path / "opensearch.yml"
    path.write_text("cluster.name: x\n", "utf-8")
    arguments = ("--app-version", "2.19", "--lower", "--apply", path.name)
    ended = _emit("opensearch", *arguments, cwd=tmp_path, solved=("--from", str(MADE_UP)))
    assert ended.code == 0
    assert "lacks" not in ended.err
    assert "plugins.security.password.hashing.bcrypt.rounds: " in path.read_text("utf-8")
