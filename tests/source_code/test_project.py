"""What the other files of a project tell: imports, constants, and versions of packages."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from corpora import table
from hashcost.core.errors import Unread
from hashcost.source_code import matching
from hashcost.source_code import project as project_module
from hashcost.source_code.files import LARGEST_SOURCE
from hashcost.source_code.matching import Matches, found_in, project_of
from hashcost.source_code.parsed.file import ParsedFile
from hashcost.source_code.project import Imported, Module, Modules, Project, imports_in
from hashcost.source_code.python.file import PythonFile
from hashcost.source_code.rules import by_suffix, load_language
from hashcost.source_code.scan import scan
from hashcost.source_code.values import Value
from hashcost.source_code.versions import Pin, pins_beside
from hashcost.storage.gate import Gate
from sources import told


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def found(folder: Path, files: dict[str, str]) -> Matches:
    """What the first of some files holds, with the others around it."""
    _write(folder, files)
    first = folder / next(iter(files))
    language, grammar = by_suffix()[first.suffix]
    return found_in(
        first.read_text("utf-8"),
        language.language,
        grammar=grammar,
        path=str(first),
        project=project_of([str(folder / name) for name in files], Gate()),
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
            *("src/limits.config.ts", "src/com/x/AuthLimits.java", "lib/auth_limits.rb", beside),
        )
    )
    assert ((path,) if path else ()) == known.of(Imported(module), beside)


@table("files")
def test_a_constant_of_another_file_is_followed(tmp_path: Path, files: dict[str, str]) -> None:
    """What another file of the project names counts, and that file is named."""
    (cost,) = found(tmp_path, files).costs
    assert {"cost": 9} == cost.params
    assert "sets it" in cost.why


@table("name, text, package, version")
def test_versions_are_read_from_lock_files(
    tmp_path: Path, name: str, text: str, package: str, version: str
) -> None:
    """The nearest file above a source tells which version of a package it uses."""
    (tmp_path / "src").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, "utf-8", newline="")
    pin = pins_beside(str(tmp_path / "src/a"), Gate())[package]
    assert (version, name) == (pin.version, pin.file)


def test_requirements_are_read_as_powershell_writes_them(tmp_path: Path) -> None:
    """`pip freeze > requirements.txt` writes UTF-16 there, with a mark that pip heeds."""
    (tmp_path / "requirements.txt").write_text("Werkzeug==2.2.3\n", "utf-16")
    pins = pins_beside(str(tmp_path / "app.py"), Gate())
    assert Pin("2.2.3", "requirements.txt", is_lowest=False) == pins["werkzeug"]


@table("files, costs")
def test_a_class_of_the_project_goes_before_a_library(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A class that a file sees is the project's: no library tells its default."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_other_files_are_followed(tmp_path: Path, files: dict[str, str], costs: list[str]) -> None:
    """What the other files of a project say counts, to an end, and nothing is guessed."""
    assert costs == told(found(tmp_path, files))


@pytest.mark.parametrize(
    ("name", "package", "cost"), [("user/m.go", "user", "cost"), ("m.go", "main", "user.cost")]
)
def test_a_package_of_many_files_tells_its_constants(
    tmp_path: Path, name: str, package: str, cost: str
) -> None:
    """A constant is found in any file of a package, however many come before it."""
    asked = f"func f() {{ bcrypt.GenerateFromPassword(p, {cost}) }}\n"
    files = {name: f'package {package}\nimport "example.com/shop/user"\n{asked}'}
    files |= {f"user/a{number}.go": "package user\n" for number in range(100)}
    files["user/z.go"] = "package user\nconst cost = 9\n"
    (found_cost,) = found(tmp_path, files).costs
    assert {"cost": 9} == found_cost.params


@table("files, rows")
def test_a_setting_of_the_project_has_the_only_row(
    tmp_path: Path, files: dict[str, str], rows: list[str]
) -> None:
    """A call that leaves its cost to a setting has no row beside that setting's own."""
    _write(tmp_path, files)
    scanned = scan([tmp_path])
    costs = {
        f"{cost.path.name} {cost.params['cost']}" for cost in scanned.costs if not cost.in_tests
    }
    assert rows == sorted({*costs, *(f"{row.path.name} ?" for row in scanned.unknown)})


@pytest.mark.parametrize(
    ("other", "unread"),
    [
        pytest.param("api.hash(1);", None, id="a function of that name"),
        pytest.param("passwordHash.hash(1);", Unread.TOO_LARGE, id="its module"),
    ],
)
def test_a_file_that_may_call_a_function_has_to_be_read(
    tmp_path: Path, other: str, unread: Unread | None
) -> None:
    """A file too large to be read is named only if it also names the function's module."""
    function = "exports.hash = function hash(p, n) { return bcrypt.hash(p, n); };\n"
    files = {"password-hash.js": function, "api.js": other + " " * LARGEST_SOURCE}
    (unknown,) = found(tmp_path, files).unknown
    assert unread is unknown.unread


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
        project = project_of([str(path) for path in sorted(tmp_path.iterdir())], Gate())
        path = tmp_path / "hash.go"
        found_in(path.read_text(), "go", path=str(path), project=project)
    assert len(asked) <= 64


def test_a_name_that_no_file_has_is_looked_up_once(tmp_path: Path) -> None:
    """Modules that pass on each other's names do not ask each other again and again."""
    settings = (
        "from shop.core.db import db\nfrom shop.db import row_to_model\n"
        "from shop.settings import AdminSettings, EditableSettings, SettingsField, settings\n"
        "async def read_all():\n    sets = await db.one()\n"
        "    return AdminSettings(sources=settings.sources)\n"
        "async def reset():\n    settings = await read_all()\n"
    )
    text = (
        "from shop.core.crud.users import is_valid_name\n"
        "from shop.settings import AuthMethods, settings\nfrom ..crud import UserExtra\n"
        "async def join(account, data):\n"
        "    if settings.is_method_allowed(AuthMethods.name_and_password):\n"
        "        account.hash(data.password)\n"
        "async def single(provider):\n"
        "    settings.is_method_allowed(AuthMethods(provider))\n"
    )
    _write(tmp_path, {"core/views/auth.py": text, "core/crud/settings.py": settings})
    path = str(tmp_path / "core/views/auth.py")
    project = project_of([path, str(tmp_path / "core/crud/settings.py")], Gate())
    asked = 0
    exported = PythonFile.exported

    def counted(file: PythonFile, members: Sequence[str]) -> Value | None:
        nonlocal asked
        asked += 1
        assert asked < 100
        return exported(file, members)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PythonFile, "exported", counted)
        found_in(text, "python", path=path, project=project)
    assert asked > 1


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("Shard::new(limits::size());", id="another's name"),
        pytest.param("let limits = Shard::new(limits::new(limits::size()));", id="its own value"),
    ],
)
def test_no_other_file_is_read_for_a_call_that_no_rule_is_about(tmp_path: Path, call: str) -> None:
    """What such a call is given may lead through a whole workspace: one file took six seconds."""
    text = f"use argon2::Argon2;\nfn join() {{ {call} }}\nfn h() {{ Argon2::default() }}\n"
    _write(tmp_path, {"src/join.rs": text, "src/limits.rs": "pub fn size() -> u32 { 9 }\n"})
    opened: list[str] = []

    def counted(path: str, text: str, project: Project) -> Module:
        opened.append(path)
        return matching._opened(path, text, project)

    path = tmp_path / "src/join.rs"
    files = [str(path), str(tmp_path / "src/limits.rs")]
    project = Project(files, matching._text, counted, Gate(), {})
    (cost,) = found_in(text, "rust", path=str(path), project=project).costs
    assert cost.line == 3
    assert opened == []


def test_a_field_is_looked_up_once_for_all_files_that_read_it(tmp_path: Path) -> None:
    """Each of the files that share a word would search all others for it."""
    setting = "fn made() -> Setting { Setting { cost: 13 } }\n"
    reader = "fn h(s: Setting) {{ bcrypt::hash(p, s.cost) }} // {}\n"
    files = {f"{name}.rs": reader.format(name) for name in ("a", "b", "c")}
    _write(tmp_path, {**files, "setting.rs": setting})
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    project = project_of(paths, Gate())
    asked = 0
    fields = ParsedFile.fields

    def counted(file: ParsedFile, name: str) -> Sequence[Value]:
        nonlocal asked
        asked += file.text == setting
        return fields(file, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ParsedFile, "fields", counted)
        for name, text in files.items():
            path = str(tmp_path / name)
            found_there = found_in(text, "rust", path=path, project=project)
            assert [cost.params["cost"] for cost in found_there.costs] == [13]
    assert asked == 1


def test_a_constant_of_php_is_looked_up_once_for_all_files(tmp_path: Path) -> None:
    """Each file of a large project would read all others for the name of an algorithm."""
    names = ("a.php", "b.php", "c.php")
    text = "<?php\n" + "password_hash($p, PASSWORD_BCRYPT, ['cost' => COST]);\n" * 3
    _write(tmp_path, {**dict.fromkeys(names, text), "d.php": "<?php\ndefine('COST', 9);\n"})
    project_files = [str(path) for path in sorted(tmp_path.iterdir())]
    project = project_of(project_files, Gate())
    read: list[str] = []
    content = project_module._content

    def counted(path: str) -> bytes:
        read.append(path)
        return content(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project_module, "_content", counted)
        for name in names:
            path = str(tmp_path / name)
            costs = found_in(text, "php", path=path, project=project).costs
            assert [9, 9, 9] == [cost.params["cost"] for cost in costs]
    # Each of both names is looked for in all files, and asked of those that have it.
    assert len(read) <= 2 * 2 * len(project_files)


def test_a_constant_is_one_of_its_language(tmp_path: Path) -> None:
    """A constant of PHP is none of Kotlin, whichever is looked up first."""
    files = {
        "A.kt": "fun f(p: String) = BCrypt.hashpw(p, BCrypt.gensalt(COST))\n",
        "B.kt": "const val COST = 9\n",
        "c.php": "<?php\npassword_hash($p, PASSWORD_BCRYPT, ['cost' => COST]);\n",
        "d.php": "<?php\ndefine('COST', 8);\n",
    }
    _write(tmp_path, files)
    assert [9, 8] == [cost.params["cost"] for cost in scan([tmp_path]).costs]


def test_files_without_a_name_are_not_opened_for_it(tmp_path: Path) -> None:
    """Each of hundreds of names would open thousands of files."""
    files = {
        "a.php": "<?php\npassword_hash($p, PASSWORD_BCRYPT, ['cost' => COST]);\n",
        "b.php": "<?php\ndefine('COST', 9);\n",
        "c.php": "<?php\ndefine('OTHER', 10);\n",
    }
    _write(tmp_path, files)
    read = set()
    content = project_module._content

    def noted(path: str) -> bytes:
        read.add(Path(path).name)
        return content(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project_module, "_content", noted)
        (cost,) = scan([tmp_path]).costs
    assert cost.params == {"cost": 9}
    assert "b.php" in read
    assert "c.php" not in read


def test_only_functions_that_may_set_a_name_are_read(tmp_path: Path) -> None:
    """A file that is asked for a constant has functions, too, and reading them took seconds."""
    others = "def total(cart):\n    price = cart.price\n    return price\n"
    settings = f"class Settings:\n    def __init__(self):\n        self.cost = 11\n{others}"
    files = {
        "hash.py": (
            "import bcrypt\nfrom limits import COST\nfrom settings import Settings\n"
            "bcrypt.gensalt(COST)\nbcrypt.gensalt(Settings().cost)\n"
        ),
        "limits.py": f"COST = 13\n{others}",
        "settings.py": settings,
    }
    read: list[str] = []
    read_functions = PythonFile.read_functions

    def counted(file: PythonFile) -> None:
        read.append(Path(file._path).name)
        read_functions(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PythonFile, "read_functions", counted)
        costs = [cost.params["cost"] for cost in found(tmp_path, files).costs]
    assert costs == [13, 11]
    assert read == ["settings.py", "hash.py"]


def test_only_the_argument_that_is_asked_for_is_followed(tmp_path: Path) -> None:
    """The others may lead through all files, or so far that nothing is left to follow."""
    files = {
        "kdf.js": "exports.derive = (s, n, label) => { return bcrypt.hash('x', n); };\n",
        "join.js": (
            "const kdf = require('./kdf');\nconst { N, PEPPER } = require('./limits');\n"
            "exports.join = () => kdf.derive(PEPPER, N, PEPPER);\n"
        ),
        "limits.js": "exports.N = 9;\nexports.PEPPER = 'salty';\n",
    }
    asked: list[str] = []
    exported = ParsedFile.exported

    def noted(file: ParsedFile, members: Sequence[str]) -> Value | None:
        asked.extend(members)
        return exported(file, members)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ParsedFile, "exported", noted)
        (cost,) = found(tmp_path, files).costs
    assert ({"cost": 9}, {"N"}) == (cost.params, set(asked))


@table("files, costs")
def test_the_default_of_a_declaration_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A setting that a library fills has the default of its annotation, attribute or schema."""
    assert costs == told(found(tmp_path, files))


@table("name, text, cost")
def test_a_property_file_goes_before_the_default_of_an_annotation(
    tmp_path: Path, name: str, text: str, cost: str
) -> None:
    """What the project's property files set takes the place of the default in the code."""
    resources = tmp_path / "src/main/resources"
    resources.mkdir(parents=True)
    (resources / name).write_text(text)
    field = '@Value("${auth.cost:12}") int cost;'
    code = f"class A {{ {field} Object f() {{ return new BCryptPasswordEncoder(cost); }} }}"
    assert [cost] == told(found(tmp_path, {"src/main/java/A.java": code}))


@table("name, settings, cost, found_cost")
def test_what_the_settings_of_dotnet_give_counts(
    tmp_path: Path, name: str, settings: str, cost: str, found_cost: str
) -> None:
    """What appsettings.json sets takes the place of the default in the code."""
    for folder in ("shop/api", "other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "shop/api" / name).write_text(settings)
    # Another project is next to this one.
    beside = tmp_path / "other/appsettings.json"
    beside.write_text('{ "Auth": { "Cost": 5 }, "Hashing": { "Cost": 5 } }')
    code = (
        "class HashingOptions { public int Cost { get; set; } = 12; }\n"
        'class LimitOptions { const string At = "Auth:Limits"; public int Rounds { get; set; } }\n'
        "class A(IOptions<HashingOptions> options, LimitOptions limits) {"
        f" string F() => BCrypt.HashPassword(p, {cost}); }}\n"
    )
    files = {"core/A.cs": code, "api/Program.cs": "class Program { }\n"}
    assert [found_cost] == told(found(tmp_path / "shop", files))


@table("files, costs")
def test_what_a_derived_class_passes_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """Callers of a method or a constructor include derived classes in other files."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_what_python_passes_on_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """Arguments that a wrapper of Python passes on are those of its callers, with its defaults."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_a_caller_by_another_name_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """Callers count that import a function by another name, or from a file that passes it on."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_what_is_passed_on_by_another_name_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A file that passes a name on may rename it; so may one that only exports its own."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_a_default_of_a_lookup_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A default that is given with a key counts, unless the map is known and has another."""
    assert costs == told(found(tmp_path, files))


@table("language, filled, read, properties, cost")
def test_what_a_library_fills_from_the_configuration_counts(
    tmp_path: Path, language: str, filled: str, read: str, properties: str, cost: str
) -> None:
    """A field of such a class has what the property files set, or else the class's default."""
    made = f"return new BCryptPasswordEncoder({read});"
    uses = f"class A {{ final Auth auth; Object f() {{ {made} }} }}"
    suffix = "java"
    if language == "kotlin":
        uses = f"class A(val auth: Auth) {{ fun f() = BCryptPasswordEncoder({read}) }}"
        suffix = "kt"
    files = {
        f"src/main/{language}/A.{suffix}": uses,
        f"src/main/{language}/Auth.{suffix}": f'@ConfigurationProperties("app.auth") {filled}\n',
        "src/main/resources/application.yml": properties,
    }
    assert [cost] == told(found(tmp_path, files))


def test_a_class_that_no_library_fills_tells_nothing_of_its_objects(tmp_path: Path) -> None:
    """An object of it may be given anything, and a property of such a name is another."""
    files = {
        "A.java": "class A { Auth a; Object f() { return new BCryptPasswordEncoder(a.getN()); } }",
        "Auth.java": "class Auth { private int n = 9; int getN() { return n; } }",
        "src/main/resources/application.yml": "n: 7\nauth.n: 7\n",
    }
    assert ["bcrypt ? @1: cost is a.getN(...)"] == told(found(tmp_path, files))


@table("given, others, cost")
def test_what_is_registered_as_configuration_counts(
    tmp_path: Path, given: str, others: dict[str, str], cost: str
) -> None:
    """A part of the configuration is asked for by its dotted name, or injected by its key."""
    service = f"""\
import * as bcrypt from 'bcrypt';
import authConfig from '../config/auth.config';
import db from '../config/db';
@Injectable()
export class A {{
  constructor(@Inject(authConfig.KEY) private readonly auth: ConfigType<typeof authConfig>,
    @Inject(db.KEY) private db, private readonly configService: ConfigService) {{}}
  f(p: string) {{ return bcrypt.hash(p, {given}); }}
}}
"""
    registered = """\
import { registerAs } from '@nestjs/config';
export default registerAs('auth', (): Auth => {
  check();
  return {
    rounds: 9,
    deep: { cost: parseInt(process.env.COST || '8', 10) },
  };
});
"""
    files = {"src/auth/a.ts": service, "src/config/auth.config.ts": registered, **others}
    assert [cost] == told(found(tmp_path, files))


@table("files, costs")
def test_what_is_taken_from_options_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A map that is taken apart gives its entries, else what callers pass, else the defaults."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_what_is_annotated_as_settings_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A field of an argument has the default of its class, if no object of that is given one."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_a_constant_of_a_type_counts(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A constant counts in whichever file its type or its package has it, if it is only one."""
    assert costs == told(found(tmp_path, files))


@table("files, costs")
def test_a_choice_has_the_value_of_production(
    tmp_path: Path, files: dict[str, str], costs: list[str]
) -> None:
    """A choice by the environment has the value of production, or else the one outside tests."""
    assert costs == told(found(tmp_path, files))
