"""What ``calibrate emit`` writes for code, put into the real program and run.

A password is hashed and verified, and the stored hash has exactly the emitted cost.
Where a hash does not say its cost, Python derives the same key at the emitted one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from apps.services import made_up_profile
from end_to_end.command import RAN, TIMEOUT_SECONDS, calibrate
from hashcost.apps.interface import App, Found
from hashcost.apps.registry import load_app
from hashcost.core.measurement import Params
from hashcost.documents.profile import save_profile
from hashcost.stored.formats.registry import read

pytestmark = pytest.mark.slow

PROBE = "probe-pass12"
SALT = b"0123456789abcdef"
TARGET = "4ms"
MEMORY_HARD_TARGET = "40ms"

NPM = ("bcrypt@6.0.0", "bcryptjs@3.0.3")
GO = "golang.org/x/crypto@v0.58.0"
SPRING = (
    ("org.springframework.security", "spring-security-crypto", "6.5.11"),
    ("org.bouncycastle", "bcprov-jdk18on", "1.86"),
    ("commons-logging", "commons-logging", "1.4.0"),
)

APPS = (
    *("php", "laravel", "symfony", "rails", "devise", "go-bcrypt", "spring"),
    *("node-bcrypt", "node-bcryptjs", "node-crypto"),
)
SHORT_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For a program that ends before the better compiler has paid off."""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up machine that hashes about as fast as a server, so that costs are small."""
    path = tmp_path_factory.mktemp("profile") / "here.json"
    save_profile(made_up_profile(*APPS), path)
    return path


Emit = Callable[..., tuple[str, Params]]


@pytest.fixture
def emit(profile: Path) -> Emit:
    """Emits for an application, and reads the cost that was emitted."""

    def run(name: str, hasher: str | None = None, target: str = TARGET) -> tuple[str, Params]:
        which = () if hasher is None else ("--hasher", hasher)
        ended = calibrate("emit", name, "--from", str(profile), "--target", target, *which)
        if ended.code == 4:
            pytest.skip(f"not timed here: {ended.err.strip()}")
        assert ended.code in RAN, ended.err
        (found,) = cost_in(name, ended.out)
        return ended.out, found.params

    return run


def cost_in(name: str, text: str) -> tuple[Found, ...]:
    """The costs that an application reads."""
    app = load_app(name)
    assert isinstance(app, App)
    return app.read(text)


def need(*programs: str) -> None:
    """Skip where a program is absent."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def run(*command: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a program that must succeed; what it printed."""
    ended = subprocess.run(
        command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=TIMEOUT_SECONDS,
        check=False, env={**os.environ, **(env or {})},
    )  # fmt: skip
    assert 0 == ended.returncode, ended.stderr
    return ended.stdout.strip()


def fetch(*command: str, cwd: Path) -> None:
    """Fetch from a registry, or skip where it cannot be reached."""
    try:
        ended = subprocess.run(
            command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=TIMEOUT_SECONDS,
            check=False, env={**os.environ, "MAVEN_OPTS": " ".join(SHORT_JVM)},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.skip(f"{command[0]} does not reach its registry in time")
    if ended.returncode:
        last = (ended.stderr.strip() or ended.stdout.strip()).splitlines()[-1:]
        pytest.skip(f"{command[0]} does not reach its registry: {' '.join(last)}")


def assert_stored(printed: str, hasher: str, params: Params) -> None:
    """The program stored a hash of this cost, and verified the password against it."""
    stored, verified = printed.splitlines()[-2:]
    assert verified.strip().lower() == "true"
    found = read(stored)
    assert (hasher, params) == (found.hasher, found.params)


def php(folder: Path, *lines: str) -> str:
    """Run lines of PHP with the password set."""
    need("php")
    text = f"<?php\n$password = '{PROBE}';\n" + "\n".join(lines)
    (folder / "run.php").write_text(text)
    return run("php", "run.php", cwd=folder)


@pytest.mark.parametrize("hasher", ["bcrypt", "argon2id"])
def test_php(emit: Emit, tmp_path: Path, hasher: str) -> None:
    """PHP's password_hash stores the emitted cost."""
    need("php")
    if hasher not in php(tmp_path, "echo implode(' ', password_algos()), ' bcrypt';"):
        pytest.skip(f"this PHP has no {hasher}")
    text, params = emit("php", hasher, TARGET if hasher == "bcrypt" else MEMORY_HARD_TARGET)
    printed = php(
        tmp_path, text, 'echo "$hash\n", json_encode(password_verify($password, $hash));'
    )
    assert_stored(printed, hasher, params)


def test_laravel(emit: Emit, tmp_path: Path) -> None:
    """Laravel's hasher, with the rounds of the emitted .env, stores the emitted cost."""
    autoload = Path("/usr/share/php/Illuminate/Hashing/autoload.php")
    if not autoload.exists():
        pytest.skip("php-illuminate-hashing is not installed")
    text, params = emit("laravel")
    (tmp_path / ".env").write_text(text)
    printed = php(
        tmp_path,
        f"require '{autoload}';",
        "preg_match_all('/^([A-Z_]+)=(.*)$/m', file_get_contents('.env'), $found);",
        "$env = array_combine($found[1], $found[2]);",
        "$rounds = (int) $env['BCRYPT_ROUNDS'];",
        "$made = new Illuminate\\Hashing\\BcryptHasher(['rounds' => $rounds]);",
        "$hash = $made->make($password);",
        'echo "$hash\n", json_encode($made->check($password, $hash));',
    )
    assert_stored(printed, "bcrypt", params)


def test_symfony(emit: Emit, tmp_path: Path) -> None:
    """Symfony's factory, given the emitted configuration, stores the emitted cost."""
    autoload = Path("/usr/share/php/Symfony/Component/PasswordHasher/autoload.php")
    if not autoload.exists():
        pytest.skip("php-symfony-password-hasher is not installed")
    text, params = emit("symfony")
    (config,) = YAML(typ="safe").load(text)["security"]["password_hashers"].values()
    options = json.dumps(json.dumps(config))
    printed = php(
        tmp_path,
        f"require '{autoload}';",
        f"$config = json_decode({options}, true);",
        "$factory = new Symfony\\Component\\PasswordHasher\\Hasher\\PasswordHasherFactory(",
        "  ['user' => $config]);",
        "$hasher = $factory->getPasswordHasher('user');",
        "$hash = $hasher->hash($password);",
        'echo "$hash\n", json_encode($hasher->verify($hash, $password));',
    )
    assert_stored(printed, "bcrypt", params)


def ruby(folder: Path, *lines: str) -> str:
    """Run lines of Ruby."""
    (folder / "run.rb").write_text("\n".join(lines))
    return run("ruby", "run.rb", cwd=folder, env={"RAILS_ENV": "production"})


def need_gem(name: str) -> None:
    """Skip where Ruby or a gem is absent."""
    need("ruby")
    command = ["ruby", "-e", f"require {name!r}"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(f"Ruby has no {name}")


def test_rails(emit: Emit, tmp_path: Path) -> None:
    """bcrypt-ruby, after the emitted initializer, stores the emitted cost."""
    need_gem("bcrypt")
    text, params = emit("rails")
    printed = ruby(
        tmp_path,
        "require 'bcrypt'",
        text,
        f"hash = BCrypt::Password.create('{PROBE}')",
        "puts hash.to_s",
        f"puts BCrypt::Password.new(hash.to_s) == '{PROBE}'",
    )
    assert_stored(printed, "bcrypt", params)


def test_devise(emit: Emit, tmp_path: Path) -> None:
    """Devise, set up by the emitted initializer in production, stores the emitted cost."""
    need_gem("rails")
    need_gem("devise")
    text, params = emit("devise")
    printed = ruby(
        tmp_path,
        "require 'rails'",
        "require 'devise'",
        text,
        f"hash = Devise::Encryptor.digest(Devise, '{PROBE}')",
        "puts hash",
        f"puts Devise::Encryptor.compare(Devise, hash, '{PROBE}')",
    )
    assert_stored(printed, "bcrypt", params)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with npm's packages."""
    need("node", "npm")
    folder = tmp_path_factory.mktemp("node")
    fetch("npm", "install", "--silent", "--no-audit", "--no-fund", *NPM, cwd=folder)
    return folder


@pytest.mark.parametrize("package", ["bcrypt", "bcryptjs"])
def test_node_bcrypt(emit: Emit, node: Path, package: str) -> None:
    """Both bcrypts of npm store the emitted cost."""
    text, params = emit(f"node-{package}")
    (node / "run.js").write_text(
        f"const bcrypt = require('{package}');\n(async () => {{\n"
        f"const password = '{PROBE}';\n{text}\n"
        "console.log(hash);\nconsole.log(await bcrypt.compare(password, hash));\n})();\n"
    )
    assert_stored(run("node", "run.js", cwd=node), "bcrypt", params)


@pytest.mark.parametrize("hasher", ["pbkdf2-sha256", "pbkdf2-sha512", "scrypt"])
def test_node_crypto(emit: Emit, tmp_path: Path, hasher: str) -> None:
    """Node's crypto derives, from the emitted call, the key of the emitted cost."""
    need("node")
    text, params = emit(
        "node-crypto", hasher, MEMORY_HARD_TARGET if hasher == "scrypt" else TARGET
    )
    (tmp_path / "run.js").write_text(
        "const crypto = require('node:crypto');\n"
        f"const password = '{PROBE}';\nconst salt = '{SALT.decode()}';\n{text}\n"
        "console.log(key.toString('hex'));\n"
    )
    key = bytes.fromhex(run("node", "run.js", cwd=tmp_path))
    assert derive(hasher, PROBE.encode(), SALT, params, len(key)) == key


def derive(hasher: str, password: bytes, salt: bytes, params: Params, length: int) -> bytes:
    """The key that Python derives."""
    if hasher == "scrypt":
        n, r, p = params["n"], params["r"], params["p"]
        memory = 128 * r * (n + p + 2)
        return hashlib.scrypt(password, salt=salt, n=n, r=r, p=p, maxmem=memory, dklen=length)
    digest = hasher.removeprefix("pbkdf2-")
    return hashlib.pbkdf2_hmac(digest, password, salt, params["iterations"], length)


def test_go_bcrypt(emit: Emit, tmp_path: Path) -> None:
    """Go's x/crypto stores the emitted cost."""
    need("go")
    text, params = emit("go-bcrypt")
    (tmp_path / "main.go").write_text(
        'package main\n\nimport (\n"fmt"\n\n"golang.org/x/crypto/bcrypt"\n)\n\nfunc main() {\n'
        f'password := []byte("{PROBE}")\n{text}\nif err != nil {{ panic(err) }}\n'
        "fmt.Println(string(hash))\n"
        "fmt.Println(bcrypt.CompareHashAndPassword(hash, password) == nil)\n}\n"
    )
    fetch("go", "mod", "init", "run", cwd=tmp_path)
    fetch("go", "get", GO, cwd=tmp_path)
    assert_stored(run("go", "run", ".", cwd=tmp_path), "bcrypt", params)


@pytest.fixture(scope="module")
def spring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Spring Security's jars."""
    need("java", "javac", "mvn")
    folder = tmp_path_factory.mktemp("spring")
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
        f"<version>{version}</version></dependency>"
        for group, name, version in SPRING
    )
    (folder / "pom.xml").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>run</groupId>"
        f"<artifactId>run</artifactId><version>1</version><dependencies>{wanted}</dependencies>"
        "</project>"
    )
    copy = "dependency:copy-dependencies"
    fetch("mvn", "-q", "-B", copy, f"-DoutputDirectory={folder / 'lib'}", cwd=folder)
    return folder


def spring_prints(folder: Path, text: str) -> str:
    """What the encoder of a configuration makes of the password, and whether it verifies."""
    packages = ("argon2", "bcrypt", "password", "scrypt")
    imports = "".join(f"import org.springframework.security.crypto.{p}.*;\n" for p in packages)
    (folder / "Run.java").write_text(
        f"{imports}public class Run {{\n@interface Bean {{}}\n{text}\n"
        "public static void main(String[] a) {\n"
        "PasswordEncoder encoder = new Run().passwordEncoder();\n"
        f'String hash = encoder.encode("{PROBE}");\nSystem.out.println(hash);\n'
        f'System.out.println(encoder.matches("{PROBE}", hash));\n}}\n}}\n'
    )
    jars = ":".join(sorted(str(jar) for jar in (folder / "lib").glob("*.jar")))
    return run("java", *SHORT_JVM, "-cp", jars, "Run.java", cwd=folder)


def test_spring_bcrypt(emit: Emit, spring: Path) -> None:
    """Spring Security's bcrypt stores the emitted cost."""
    text, params = emit("spring")
    assert_stored(spring_prints(spring, text), "bcrypt", params)


@pytest.mark.parametrize(("hasher", "length"), [("pbkdf2-sha256", 32), ("pbkdf2-sha512", 64)])
def test_spring_pbkdf2(emit: Emit, spring: Path, hasher: str, length: int) -> None:
    """Spring Security's PBKDF2, whose hash has no cost, derives the key of the emitted one."""
    text, params = emit("spring", hasher)
    stored, verified = spring_prints(spring, text).splitlines()[-2:]
    assert verified == "true"
    raw = bytes.fromhex(stored)
    assert derive(hasher, PROBE.encode(), raw[:16], params, length) == raw[16:]


@pytest.mark.parametrize(
    ("hasher", "params"),
    [
        ("scrypt", {"n": 2048, "r": 8, "p": 2}),
        ("argon2id", {"memory_kib": 1024, "time_cost": 3, "parallelism": 2}),
    ],
)
def test_spring_memory_hard(spring: Path, hasher: str, params: Params) -> None:
    """What is written of Spring's memory-hard encoders, which are not timed, has that cost."""
    app = load_app("spring")
    assert isinstance(app, App)
    scheme = app.scheme(hasher)
    assert scheme is not None
    assert_stored(spring_prints(spring, scheme.write(params)), hasher, params)


def test_what_cannot_be_timed_is_said() -> None:
    """A library that nothing here comes near is not guessed at."""
    ended = calibrate("emit", "elixir", "--hasher", "pbkdf2-sha512")
    assert 4 == ended.code
    assert "pbkdf2_elixir, whose loop is Elixir" in ended.err
