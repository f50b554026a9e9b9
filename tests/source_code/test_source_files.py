"""Which files are read, and what is left out with a count."""

import os
import pickle
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from corpora import table
from hashcost.core.errors import Unread, UnreadableInputError
from hashcost.source_code.files import LARGEST_SOURCE, LeftOut, SourceFile, own_files, sources
from hashcost.source_code.scan import scan
from hashcost.storage import gate as gates
from hashcost.storage.gate import Gate

CODE = "import bcrypt\nbcrypt.gensalt(4)\n"
FILLER: Final = "//\n" * (LARGEST_SOURCE // 3)
"""Lines that make a file too large to be read."""
LONG: Final = "function a(){argon2()}" * 3_000
"""A line of code as minifiers write it."""

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git here to compare with")


def make(root: Path, *names: str, text: str = CODE) -> None:
    """Write files of one content."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def read(root: Path, *exclude: str) -> tuple[list[str], dict[str, int]]:
    """The files that are read, and what was skipped."""
    left_out = LeftOut()
    found = [
        s.path.relative_to(root).as_posix()
        for s in sources([root], exclude=exclude, left_out=left_out, gate=Gate())
        if s.language is not None
    ]
    return found, dict(left_out.counts)


def found_in(*paths: Path, include_vendored: bool = False) -> list[SourceFile]:
    """The files that are read of paths."""
    left_out = LeftOut()
    found = sources(paths, include_vendored=include_vendored, left_out=left_out, gate=Gate())
    return list(found)


def test_collections_that_ansible_installed_are_vendored(tmp_path: Path) -> None:
    """A collection that `ansible-galaxy` installed is others' work; the source of one is not."""
    installed = "ansible_collections/others/a"
    make(tmp_path, f"{installed}/plugins/a.py", f"{installed}/FILES.json")
    make(tmp_path, f"{installed}/MANIFEST.json", "ansible_collections/own/b/plugins/b.py")
    make(tmp_path, "c/MANIFEST.json", "c/FILES.json", "c/c.py")
    assert ["ansible_collections/own/b/plugins/b.py", "c/c.py"] == read(tmp_path)[0]
    assert 1 == read(tmp_path)[1]["vendored folders"]
    assert 7 == len(found_in(tmp_path, include_vendored=True))


def test_vendored_folders_are_left_out(tmp_path: Path) -> None:
    """What others wrote is skipped with a count, unless it is asked for; nobody counts what tools
    keep for themselves.
    """
    make(
        tmp_path,
        "a.py",
        ".git/hooks/f.py",
        ".mypy_cache/g.py",
        "node_modules/x/a.js",
        "x/composer.json",
        "x/vendor/b.php",
        ".venv/lib/c.py",
        "x/build/d.py",
        "x/vendors/e.js",
    )
    assert ["a.py"] == read(tmp_path)[0]
    assert {"vendored folders": 5} == read(tmp_path)[1]
    assert 7 == len(found_in(tmp_path, include_vendored=True))
    named = tmp_path / "node_modules/x/a.js"
    assert [named] == [each.path for each in found_in(named, named)]


@pytest.mark.parametrize(("build", "folder"), [("mix.exs", "deps"), ("CMakeLists.txt", "dep")])
def test_dependencies_beside_what_builds_them_are_vendored(
    tmp_path: Path, build: str, folder: str
) -> None:
    """A folder ``dep`` or ``deps`` is others' work only beside a file that builds a project."""
    make(tmp_path, build, f"{folder}/jason/lib/a.ex", f"lib/{folder}/b.ex")
    found, counts = read(tmp_path)
    assert {f"lib/{folder}/b.ex"} == {*found} - {build}
    assert {"vendored folders": 1} == counts
    with_vendored = {each.path.name for each in found_in(tmp_path, include_vendored=True)}
    assert {"a.ex", "b.ex"} == with_vendored - {build}


@pytest.mark.parametrize("name", ["build", "dist", "target", "vendor", "vendors"])
@pytest.mark.parametrize("top", ["package.json", "pom.xml", "go.mod", ".git/HEAD"])
def test_a_package_named_like_a_build_is_read(tmp_path: Path, name: str, top: str) -> None:
    """A folder of a common word is left out at the top of a project, and read in its packages."""
    make(tmp_path, top, f"{name}/A.java", f"src/main/java/shop/{name}/B.java")
    assert [f"src/main/java/shop/{name}/B.java"] == read(tmp_path)[0]


def test_vendors_among_what_a_server_delivers_are_left_out(tmp_path: Path) -> None:
    """Below a folder of static files, a folder of vendors is no package of the program."""
    make(tmp_path, "go.mod", "web/static/vendor/x/zip.js", "web/static/dist/a.js")
    assert ["web/static/dist/a.js"] == read(tmp_path)[0]
    assert {"vendored folders": 1} == read(tmp_path)[1]
    assert 2 == len([one for one in found_in(tmp_path, include_vendored=True) if one.language])


def test_gitignore_is_respected(tmp_path: Path) -> None:
    """Patterns of every folder on the way count, the nearest first."""
    make(tmp_path, "a.py", "b.py", "out/c.py", "x/b.py", "x/keep.py", "x/y/gen_z.py")
    (tmp_path / ".gitignore").write_text("# made\n/b.py\nout/\ngen_*\nkeep.py\n")
    (tmp_path / "x" / ".gitignore").write_text("!keep.py\n")
    assert ["a.py", "x/b.py", "x/keep.py"] == read(tmp_path)[0]
    assert {"named in .gitignore": 3} == read(tmp_path)[1]


@needs_git
@table("lines")  # fmt: skip
def test_gitignore_is_read_as_git_reads_it(tmp_path: Path, lines: str) -> None:
    """What is left out of a folder is what git leaves out of it."""
    make(tmp_path, "a.py", "b.py", "#a.py", "x/a.py", "x/y/z.py", "y/z.py", "z/x/b.py")
    (tmp_path / ".gitignore").write_text(lines + "\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    listed = subprocess.run(
        ["git", "-c", "core.quotePath=false", "ls-files", "-co", "--exclude-standard"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert {name for name in listed if name.endswith(".py")} == set(read(tmp_path)[0])


def git(folder: Path, *arguments: str) -> str:
    """Run git as nobody in particular, without the settings of whoever runs the tests."""
    who = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    who |= {
        f"GIT_{role}_{fact}": "a" for role in ("AUTHOR", "COMMITTER") for fact in ("NAME", "EMAIL")
    }
    return subprocess.run(
        ["git", "-c", "core.quotePath=false", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder, env=os.environ | who, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


@needs_git
@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("digest", ["sha1", "sha256"])
def test_a_tracked_file_is_never_ignored(tmp_path: Path, version: str, digest: str) -> None:
    """What git has in its index goes before .gitignore, in each version of the index."""
    tracked = ["cmd/app/a.py", "cmd/app/deep/ä.py", "gen_kept.py", "x.py"]
    make(tmp_path, *tracked, "cmd/app/made.py", "cmd/b.py", "cmd/apple.py", "gen_made.py")
    git(tmp_path, "init", "-q", f"--object-format={digest}")
    git(tmp_path, "add", *tracked)
    git(tmp_path, "update-index", "--index-version", version)
    if version == "3":  # git writes it only if an entry has a flag that needs it.
        git(tmp_path, "add", "-N", "cmd/b.py")
        git(tmp_path, "update-index", "--skip-worktree", "x.py")
    (tmp_path / ".gitignore").write_text("app\ngen_*\n*.py\n")
    listed = git(tmp_path, "ls-files", "-c").splitlines()
    assert sorted(listed) == sorted(read(tmp_path)[0])
    # The index of a part of it lies above.
    (tmp_path / "cmd" / "app" / ".gitignore").write_text("*.py\n")
    assert ["a.py", "deep/ä.py"] == read(tmp_path / "cmd" / "app")[0]


@needs_git
def test_a_repository_in_another_has_its_own_index(tmp_path: Path) -> None:
    """A submodule and a second working tree have their index elsewhere, which a file names."""
    make(tmp_path / "lib", "a.py", "made.py")
    (tmp_path / "lib" / ".gitignore").write_text("*.py\n")
    git(tmp_path / "lib", "init", "-q")
    git(tmp_path / "lib", "add", "-f", "a.py", ".gitignore")
    git(tmp_path / "lib", "commit", "-qm", "a")
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "submodule", "--quiet", "add", str(tmp_path / "lib"), "sub")
    git(main, "commit", "-qm", "b")
    git(tmp_path / "lib", "worktree", "add", "-q", str(tmp_path / "second"))
    make(tmp_path, "second/made.py", "main/sub/made.py")
    (main / ".gitignore").write_text("sub\n")
    assert (["sub/a.py"], {"named in .gitignore": 1}) == read(main)
    assert (["a.py"], {"named in .gitignore": 1}) == read(tmp_path / "second")


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"DIRC" + bytes(8),
        struct.pack(">4sLL", b"DIRC", 9, 1),
        struct.pack(">4sLL", b"DIRC", 2, 1 << 31) + bytes(200),
        # Each path is the one before and another 4 KiB.
        struct.pack(">4sLL", b"DIRC", 4, 4000) + (bytes(63) + b"a" * 4096 + b"\0") * 4000,
    ],
)
def test_an_index_that_is_broken_lists_nothing(tmp_path: Path, index: bytes) -> None:
    """A .gitignore is then all there is."""
    make(tmp_path, "a.py", "b.py", ".git/HEAD")
    (tmp_path / ".git" / "index").write_bytes(index)
    (tmp_path / ".gitignore").write_text("b.py\n")
    assert (["a.py"], {"named in .gitignore": 1}) == read(tmp_path)


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A loop of links, or a link out of the folder, is counted and goes nowhere."""
    make(tmp_path, "x/a.py")
    (tmp_path / "x" / "loop").symlink_to(tmp_path)
    (tmp_path / "b.py").symlink_to("/etc/passwd")
    (tmp_path / "c.py").symlink_to("c.py")
    assert (["x/a.py"], {"links": 3}) == read(tmp_path)


def test_files_that_are_no_source_are_left_out(tmp_path: Path) -> None:
    """Binary, huge, unreadable and generated files, pipes and other names are not read."""
    make(tmp_path, "a.py", "notes.txt", "jquery.min.js", "swagger-ui-bundle.js", "b.d.ts")
    (tmp_path / "binary.py").write_bytes(b"\0")
    (tmp_path / "huge.py").write_bytes(b"#\n" * (LARGEST_SOURCE // 2 + 1))
    os.mkfifo(tmp_path / "pipe.py")
    found = scan([tmp_path])
    assert [tmp_path / "a.py"] == [each.path for each in found.costs]
    left_out = {"binary": 1, "made by programs": 2, "too large": 1, "with types only": 1}
    assert left_out == found.skipped
    assert () == found.unknown


def test_a_file_that_is_not_read_is_no_reason_for_what_has_no_cost(tmp_path: Path) -> None:
    """What is too weak at any cost says so, and blames no file that it does not need."""
    code = "import crypt\nfrom config import SALT\nh = crypt.crypt(p, '$1$' + SALT)\n"
    (tmp_path / "a.py").write_text(code)
    (tmp_path / "config.py").write_bytes(b"SALT = 'x'\n\0")
    (weak,) = scan([tmp_path]).unknown
    assert ("md5-crypt", "", None) == (weak.hasher, weak.why, weak.unread)


def test_an_archive_behind_a_first_line_holds_no_cost(tmp_path: Path) -> None:
    """Nobody writes a zero byte into a script; a program packs files behind its first line."""
    (tmp_path / "composer").write_bytes(b"#!/usr/bin/env php\n<?php password_hash($p, 1);\n\0")
    (tmp_path / "a.py").write_text("")
    scanned = scan([tmp_path])
    assert () == scanned.unknown
    assert {"binary": 1} == scanned.skipped


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"import bcrypt\0", "it is binary: it holds a zero byte"),
        (b"#\n" * 5_000 + b"bcrypt\0", "it is binary: it holds a zero byte"),
        (CODE.encode("utf-16"), "it is binary: it holds a zero byte"),
        (b"#\n" * (LARGEST_SOURCE // 2) + b"import bcrypt", "it is larger than 512 KiB"),
        (b"#\n" * (LARGEST_SOURCE // 2 - 1) + b"bcrypt", "it is larger than 512 KiB"),
    ],
)
def test_what_is_not_read_and_may_hold_a_cost_is_unknown(
    tmp_path: Path, content: bytes, why: str
) -> None:
    """A file that nobody read passes no gate: it has a row of its own, with the reason."""
    (tmp_path / "a.py").write_bytes(content)
    found = scan([tmp_path])
    assert [(tmp_path / "a.py", why)] == [(each.path, each.why) for each in found.unknown]


@table("name, line")  # fmt: skip
def test_a_word_that_ends_like_a_hasher_is_none(tmp_path: Path, name: str, line: str) -> None:
    """The quick search of a file that is not read takes no part of a word for a hasher."""
    (tmp_path / name).write_text(line + FILLER)
    found = scan([tmp_path])
    assert ((), {"too large": 1}) == (found.unknown, found.skipped)


@table("name, line")  # fmt: skip
def test_a_hasher_is_found_in_names_of_any_style(tmp_path: Path, name: str, line: str) -> None:
    """The quick search finds a hasher wherever a word of a name begins."""
    (tmp_path / name).write_text(line + FILLER)
    assert [tmp_path / name] == [each.path for each in scan([tmp_path]).unknown]


@pytest.mark.parametrize("name", ["a.js", "a.ts", "a.php"])
@pytest.mark.parametrize(
    ("text", "is_unread"),
    [
        (f"var a;\n{LONG}\n", False),
        ("function __webpack_require__(id) {}\nargon2();\n", False),
        ('var f=new Error("no module");throw f.code="MODULE_NOT_FOUND",f\nargon2();\n', False),
        # People put data on long lines, and own code beside a minified library.
        (f"{'A' * 60_000} argon2()\n", True),
        (f"{LONG}\nargon2();\n", True),
        ("function a() { argon2(); }\n", True),
    ],
)
def test_bundled_code_in_a_large_file_is_others_work(
    tmp_path: Path, name: str, text: str, *, is_unread: bool
) -> None:
    """A large file has a row only if code or data that people write may set a cost."""
    (tmp_path / name).write_text(text + FILLER)
    assert is_unread == bool(scan([tmp_path]).unknown)


@table("first_line, code, language")  # fmt: skip
def test_a_script_without_an_end_is_told_by_its_first_line(
    tmp_path: Path, first_line: str, code: str, language: str
) -> None:
    """A program whose name has no end is read in the language of its interpreter."""
    make(tmp_path, "bin/populate", text=f"{first_line}\n{code}\n")
    (source,) = found_in(tmp_path)
    assert source.language is not None
    found = scan([tmp_path])
    assert (language, [("bcrypt", {"cost": 4})]) == (
        source.language.language,
        [(cost.hasher, cost.params) for cost in found.costs],
    )


@table("first_line")  # fmt: skip
def test_other_scripts_are_no_source(tmp_path: Path, first_line: str) -> None:
    """A file without an end is no source code unless its first line names an interpreter."""
    make(tmp_path, "bin/populate", text=f"{first_line}\n{CODE}")
    make(tmp_path, "bin/populate.txt", text=f"#!/usr/bin/env python3\n{CODE}")
    assert ([], {}) == read(tmp_path)


def test_a_script_follows_what_it_imports(tmp_path: Path) -> None:
    """A script without an end finds a constant in the files of its own language only."""
    make(tmp_path, "lib/costs.rb", text="module Costs\n  COST = 5\nend\n")
    make(tmp_path, "lib/costs.py", text="COST = 6\n")
    script = "#!/usr/bin/env ruby\nrequire_relative '../lib/costs'\n"
    made = "BCrypt::Password.create(x, cost: Costs::COST)\n"
    make(tmp_path, "bin/populate", text=script + made)
    (cost,) = scan([tmp_path]).costs
    assert (3, {"cost": 5}) == (cost.line, cost.params)


def test_a_script_without_an_end_is_left_out_as_others_are(tmp_path: Path) -> None:
    """What git ignores, and what a folder of tests or vendored code holds, counts for it, too."""
    text = f"#!/usr/bin/env python3\n{CODE}"
    make(tmp_path, "bin/a", "out/b", "node_modules/.bin/c", "tests/d", text=text)
    (tmp_path / ".gitignore").write_text("out/\n")
    assert ["bin/a", "tests/d"] == read(tmp_path)[0]
    assert {"named in .gitignore": 1, "vendored folders": 1} == read(tmp_path)[1]
    assert [False, True] == [each.in_tests for each in scan([tmp_path]).costs]


@pytest.mark.parametrize("name", ["a.py", "a.rb"])
def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path, name: str) -> None:
    """A source file that begins with a byte order mark is read as it is without one."""
    code = {"a.py": CODE, "a.rb": "BCrypt::Password.create(x, cost: 4)\n"}[name]
    (tmp_path / name).write_text(code, "utf-8-sig")
    found = scan([tmp_path])
    assert ([], 1) == (list(found.unknown), len(found.costs))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_are_counted(tmp_path: Path) -> None:
    """What may not be read is counted and stops nothing."""
    make(tmp_path, "a.py", "b.py", "x/c.py")
    (tmp_path / "b.py").chmod(0)
    (tmp_path / "x").chmod(0)
    try:
        found = scan([tmp_path])
    finally:
        (tmp_path / "x").chmod(0o700)
    assert {"unreadable": 2} == found.skipped


@table("name")  # fmt: skip
def test_tests_are_told_by_their_place(tmp_path: Path, name: str) -> None:
    """The folders and names that tests have set them apart from what runs."""
    make(tmp_path, name)
    assert [True] == [each.in_tests for each in found_in(tmp_path)]


@table("name")  # fmt: skip
def test_what_only_sounds_like_tests_is_read(tmp_path: Path, name: str) -> None:
    """A folder is one of tests by a whole word of its name."""
    make(tmp_path, name)
    assert [False] == [each.in_tests for each in found_in(tmp_path)]


def test_folders_within_folders_end(tmp_path: Path) -> None:
    """Folders of a depth that nobody makes are left out with a count."""
    deep = tmp_path.joinpath(*["d"] * 128)
    make(tmp_path, "a.py", deep.relative_to(tmp_path).joinpath("b.py").as_posix())
    make(tmp_path, deep.relative_to(tmp_path).joinpath("d", "d", "c.py").as_posix())
    found, skipped = read(tmp_path)
    assert ["a.py", "b.py"] == [Path(name).name for name in found]
    assert {"too deep": 1} == skipped


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A missing path, a loop of links and a device are one clear error."""
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "none", tmp_path / "loop", Path(os.devnull)):
        with pytest.raises(UnreadableInputError, match="cannot read"):
            found_in(path)


def test_a_hostile_pattern_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that takes years to match ends with the time for reading, and its folder fails."""
    make(tmp_path, "a" * 200 + ".py")
    (tmp_path / ".gitignore").write_text("*a" * 8 + "*b\n")
    monkeypatch.setattr(gates, "READING_SECONDS", 2.0)
    (row,) = scan([tmp_path]).unknown
    assert Unread.TOO_SLOW is row.unread
    assert ".gitignore used up the 2 s of CPU time" in row.why


def test_an_invalid_pattern_leaves_nothing_out(tmp_path: Path) -> None:
    """Brackets that do not close are no pattern, as to git."""
    make(tmp_path, "[" * 200 + ".py")
    (tmp_path / ".gitignore").write_text("[" * 300 + "\n")
    assert [] != read(tmp_path)[0]


def test_without_its_library_no_pattern_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project is found where the extra is not installed, with what git would leave out."""
    make(tmp_path, "a.py")
    (tmp_path / ".gitignore").write_text("a.py\n")
    assert [".gitignore"] == [path.name for path, _ in own_files(tmp_path, Gate())]
    monkeypatch.setitem(sys.modules, "pathspec", None)
    assert [".gitignore", "a.py"] == [path.name for path, _ in own_files(tmp_path, Gate())]


def test_a_file_goes_to_another_process_by_the_name_of_its_language(tmp_path: Path) -> None:
    """Its rules are loaded there; sent with each of thousands of files, they would take long."""
    make(tmp_path, "a.ts")
    (source,) = sources([tmp_path], left_out=LeftOut(), gate=Gate())
    sent = pickle.dumps(source)
    assert len(sent) < 1000
    assert pickle.loads(sent) == source  # noqa: S301 - what it just made
