"""What the other files of a project tell: imports, constants, and versions of packages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from corpora import table
from hashcost.source_code.matching import Matches, found_in, project_of
from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.project import Imported, Modules, imports_in
from hashcost.source_code.rules import by_suffix, load_language
from hashcost.source_code.values import Value
from hashcost.source_code.versions import pins_beside


def found(folder: Path, files: dict[str, str]) -> Matches:
    """What the first of some files holds, with the others around it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    first = folder / next(iter(files))
    language, grammar = by_suffix()[first.suffix]
    return found_in(
        first.read_text("utf-8"),
        language.language,
        grammar=grammar,
        path=str(first),
        project=project_of([str(folder / name) for name in files]),
    )


@table("language, text, name, canonical")
def test_a_name_is_what_it_is_imported_as(
    language: str, text: str, name: str, canonical: str
) -> None:
    """Other names of imports stand for the module's own; those of the project are left."""
    assert canonical == imports_in(text, load_language(language).imports).canonical(name)


@table("module, beside, path")
def test_a_module_is_the_nearest_file_of_its_name(
    module: str, beside: str, path: str | None
) -> None:
    """Relative paths are exact; others are the files whose paths end as they do."""
    known = Modules(
        (
            *("src/limits.ts", "src/config/index.ts", "app/config.py", "other/config.py"),
            *("src/com/x/AuthLimits.java", "lib/auth_limits.rb", beside),
        )
    )
    assert ((path,) if path else ()) == known.of(Imported(module), beside)


@table("files")
def test_a_constant_of_another_file_is_followed(tmp_path: Path, files: dict[str, str]) -> None:
    """What another file of the project names counts, and that file is named."""
    (cost,) = found(tmp_path, files).costs
    assert {"cost": 9} == cost.params
    assert "sets it" in cost.why


def test_a_name_for_the_whole_project_is_followed(tmp_path: Path) -> None:
    """A file of global usings of C# gives a class another name everywhere."""
    files = {
        "a.cs": "class A { string F() => BC.HashPassword(p, workFactor: 9); }",
        "GlobalUsings.cs": "global using BC = BCrypt.Net.BCrypt;",
    }
    assert [{"cost": 9}] == [cost.params for cost in found(tmp_path, files).costs]


def test_files_that_import_each_other_end(tmp_path: Path) -> None:
    """A circle of imports is followed to an end, and tells nothing."""
    files = {
        f"{one}.js": f"import {{ N }} from './{other}';\nexport {{ N }};\nbcrypt.hash(p, N);"
        for one, other in (("a", "b"), ("b", "a"))
    }
    assert 1 == len(found(tmp_path, files).unknown)


def test_what_differs_between_files_is_not_guessed(tmp_path: Path) -> None:
    """A foreign module, and a constant that the environment sets, are not told."""
    for text in ("import { N } from 'limits';", "import { N } from './b';"):
        files = {
            "a.ts": f"{text}\nbcrypt.hash(p, N);",
            "b.ts": "export const N = process.env.N;",
        }
        assert 1 == len(found(tmp_path, files).unknown)


@table("name, text, package, version")
def test_versions_are_read_from_lock_files(
    tmp_path: Path, name: str, text: str, package: str, version: str
) -> None:
    """The nearest file above a source tells which version of a package it uses."""
    (tmp_path / "src").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, "utf-8")
    assert (version, name) == pins_beside(str(tmp_path / "src/a"))[package]


def test_the_default_is_that_of_the_installed_version(tmp_path: Path) -> None:
    """Where a lock file tells the version, the default of that one counts, and it is named."""
    (tmp_path / "Gemfile.lock").write_text("GEM\n  specs:\n    bcrypt (3.1.11)\n")
    (cost,) = found(tmp_path, {"a.rb": "BCrypt::Password.create(p)"}).costs
    assert {"cost": 10} == cost.params
    assert cost.why == "the default of bcrypt 3.1.11"


def test_bases_that_extend_each_other_end(tmp_path: Path) -> None:
    """A circle of bases leaves the name unknown."""
    files = {
        "A.cs": "class A : B { void F() { BCrypt.HashPassword(p, Factor); } }",
        "B.cs": "class B : A { int Factor2 = Factor; }",
    }
    assert ["cost is Factor"] == [each.why for each in found(tmp_path, files).unknown]


def test_a_folder_of_go_is_asked_once_for_a_name(tmp_path: Path) -> None:
    """Files that share their names do not ask each other: sixteen of them took half a minute."""
    call = "scrypt.Key(password, salt, 1 << 15, 8, 1, 32)"
    for number in range(16):
        text = f"package a\nfunc f{number}(password []byte) {{ g(password) }}\n"
        (tmp_path / f"f{number}.go").write_text(text)
    (tmp_path / "hash.go").write_text(
        f'package a\nimport "golang.org/x/crypto/scrypt"\nfunc f() {{ {call} }}\n'
    )
    asked: list[str] = []
    exported = ParsedFile.exported

    def counted(file: ParsedFile, members: Sequence[str]) -> Value | None:
        asked.extend(members)
        return exported(file, members)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ParsedFile, "exported", counted)
        project = project_of([str(path) for path in sorted(tmp_path.iterdir())])
        path = tmp_path / "hash.go"
        found_in(path.read_text(), "go", path=str(path), project=project)
    assert len(asked) <= 64
