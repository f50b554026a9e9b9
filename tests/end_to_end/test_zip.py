"""The package works from a zip, which has no files and no metadata."""

import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Final

import pytest

import hashcost
from corpora import table
from end_to_end.command import MADE_UP, Ended, calibrate_installed

PACKAGE: Final = Path(hashcost.__file__).parent
SITE: Final = Path(sysconfig.get_path("purelib"))
API: Final = """\
import sys
sys.path.insert(0, "package.zip")
from hashcost.cli import main
main(sys.argv[1:])
"""
"""Another way to the zip; what the program starts finds it, too."""


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a zip of the package, its dependencies, and files to read.

    The scan of the zip knows one call more, so that no other copy can stand in for it.
    """
    folder = tmp_path_factory.mktemp("zip")
    copy = folder / "copy" / "hashcost"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    rules = copy / "source_code" / "data" / "python.toml"
    known = '"bcrypt.gensalt"'
    rules.write_text(rules.read_text("utf-8").replace(known, f'{known}, "bcrypt.only_in_the_zip"'))
    shutil.make_archive(str(folder / "package"), "zip", copy.parent)
    shutil.rmtree(copy)
    libraries = folder / "libraries"
    libraries.mkdir()
    for path in SITE.iterdir():
        # Its metadata would name hashers, and an editable install the folder of the sources.
        if "hashcost" not in path.name and path.suffix != ".pth":
            (libraries / path.name).symlink_to(path)
    shutil.copy(MADE_UP, folder / "p.json")
    (folder / "app.py").write_text(
        "import bcrypt\nbcrypt.only_in_the_zip(12)\n" + "# more\n" * 100
    )
    return folder


def _run(folder: Path, *arguments: str, how: tuple[str, ...] = ("-m", "hashcost")) -> Ended:
    """Run the zip's command, without the site that this Python has."""
    path = f"{folder / 'package.zip'}:{folder / 'libraries'}"
    command = (sys.executable, "-S", *how)
    return calibrate_installed(*arguments, cwd=folder, env={"PYTHONPATH": path}, command=command)


@table("words, said")
def test_commands_that_read_data_work(folder: Path, words: str, said: str) -> None:
    """Each kind of data is found, and the child process that reads sources finds the package."""
    ended = _run(folder, *words.split())

    assert 0 == ended.code, ended.err
    assert said in ended.out


def test_the_built_in_hashers_need_no_metadata(folder: Path) -> None:
    """Without entry points the built-in hashers are listed and run, here and in a runtime."""
    listed = _run(folder, "list", "hashers", "--format", "csv")
    assert {"bcrypt,bcrypt", "pbkdf2-sha256,hashlib", "scrypt,hashlib"} <= {
        ",".join(line.split(",")[:2]) for line in listed.out.splitlines()
    }
    for place in ((), ("--in", f"python={sys.executable}")):
        words = ("pbkdf2-sha256", "--target", "3ms", "--effort", "fast", "--policy", "none")
        ended = _run(folder, *words, *place, "--short")
        assert ended.code in {0, 3}
        assert "pbkdf2-sha256" in ended.out


def test_a_zip_on_the_path_of_a_program(folder: Path) -> None:
    """A program that finds the zip by itself reads source code as well."""
    program = folder / "program.py"
    program.write_text(API)
    path = str(folder / "libraries")
    ended = calibrate_installed(
        *("scan", "app.py", "--profile", "p.json"),
        cwd=folder,
        env={"PYTHONPATH": path},
        command=(sys.executable, "-S", str(program)),
    )
    assert "app.py:2" in ended.out
    assert "" == ended.err
