"""The files that a project has to check."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from corpora import table
from hashcost.checks import project_files
from hashcost.checks.project_files import project_in
from hashcost.core.errors import UnavailableError
from hashcost.storage.gate import Gate


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def test_files_of_applications(tmp_path: Path) -> None:
    """A file counts if something in it shows that it is the application's."""
    _write(
        tmp_path,
        {
            "shop/.env": "APP_KEY=x\nBCRYPT_ROUNDS=10\n",
            "other/.env": "COLOUR=blue\n",
            "kratos.yml": "hashers:\n  algorithm: bcrypt\n  bcrypt:\n    cost: 8\n",
            "Dockerfile": "FROM httpd\nRUN htpasswd -B -C 10 -b -c /passwords me it\n",
            "tests/.env": "BCRYPT_ROUNDS=4\n",
        },
    )
    found = project_in(tmp_path, Gate())

    assert {
        "htpasswd": ("Dockerfile",),
        "kratos": ("kratos.yml",),
        "laravel": ("shop/.env",),
    } == found.apps
    assert () == found.scan


def test_what_cannot_be_read_here_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose reader is not installed is not passed over in silence."""
    error = UnavailableError("YAML needs ruamel.yaml; pip install it")
    monkeypatch.setattr(project_files, "read_files", Mock(side_effect=error))
    _write(tmp_path, {"kratos.yml": "hashers: {}\n"})
    found = project_in(tmp_path, Gate())

    assert {"kratos.yml": "YAML needs ruamel.yaml; pip install it"} == found.unread
    assert {} == found.apps


@table("names, scan")
def test_folders_of_source_code(tmp_path: Path, names: list[str], scan: list[str]) -> None:
    """The folders at the top that hold some, or the whole."""
    _write(tmp_path, dict.fromkeys(names, ""))
    assert scan == [*project_in(tmp_path, Gate()).scan]
