"""What ``calibrate emit`` writes for code, put into the real program and run.

A password is hashed and verified, and the stored hash has exactly the emitted cost.
Where a hash does not say its cost, Python derives the same key at the emitted one.
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest
from ruamel.yaml import YAML

from corpora import table
from end_to_end.command import TIMEOUT_SECONDS, calibrate
from end_to_end.emitted import PASSWORD, Emitted, emitted, program, run
from hashcost.apps.registry import load_tunable
from hashcost.core.measurement import Params

pytestmark = pytest.mark.slow

PROGRAMS: Final = Path(__file__).with_name("programs")
SALT: Final = b"0123456789abcdef"
NPM: Final = ("bcrypt@6.0.0", "bcryptjs@3.0.3")
GO: Final = "golang.org/x/crypto@v0.58.0"
SPRING: Final = (
    ("org.springframework.security", "spring-security-crypto", "6.5.11"),
    ("org.bouncycastle", "bcprov-jdk18on", "1.86"),
    ("commons-logging", "commons-logging", "1.4.0"),
)
SHORT_JVM: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For a program that ends before the better compiler has paid off."""


def fetch(*command: str, cwd: Path) -> None:
    """Fetch from a registry, or skip where it cannot be reached."""
    program(command[0])
    env = {**os.environ, "MAVEN_OPTS": " ".join(SHORT_JVM)}
    try:
        subprocess.run(
            command, cwd=cwd, capture_output=True, timeout=TIMEOUT_SECONDS, check=True, env=env
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        pytest.skip(f"{command[0]} does not reach its registry")


def assert_stored(printed: str, cost: Emitted) -> None:
    """The program stored a hash of this cost, and verified the password against it."""
    stored, verified = printed.splitlines()[-2:]
    assert verified.strip().lower() == "true"
    cost.assert_stored(stored)


def derive(cost: Emitted, salt: bytes, length: int) -> bytes:
    """The key that Python derives."""
    params, given = cost.params, PASSWORD.encode()
    if cost.hasher == "scrypt":
        n, r, p = params["n"], params["r"], params["p"]
        memory = 128 * r * (n + p + 2)
        return hashlib.scrypt(given, salt=salt, n=n, r=r, p=p, maxmem=memory, dklen=length)
    digest = cost.hasher.removeprefix("pbkdf2-")
    return hashlib.pbkdf2_hmac(digest, given, salt, params["iterations"], length)


def filled(file: str, **values: str) -> str:
    """A program of the folder with its snippet and the password."""
    template = (PROGRAMS / file).read_text("utf-8")
    for name, value in {**values, "password": PASSWORD}.items():
        template = template.replace(f"{{{name}}}", value)
    return template


@table("file, hasher, needed")
def test_scripts(file: str, hasher: str, needed: str, tmp_path: Path) -> None:
    """Libraries of PHP and gems of Ruby store the emitted cost."""
    app, _, language = file.partition(".")
    interpreter = program({"rb": "ruby"}.get(language, language))
    if needed.startswith("/") and not Path(needed).exists():
        pytest.skip(f"{needed} is absent")
    if language == "rb":
        asked = [interpreter, "-e", f"require '{needed}'"]
        if subprocess.run(asked, capture_output=True, check=False).returncode:
            pytest.skip(f"Ruby has no {needed}")
    if hasher == "argon2id" and hasher not in run("php", "-r", "echo join(password_algos());"):
        pytest.skip("this PHP has no argon2id")
    cost = emitted(app, hasher, tmp_path)
    snippet = cost.snippet
    if app == "symfony":
        (config,) = YAML(typ="safe").load(snippet)["security"]["password_hashers"].values()
        snippet = json.dumps(config)
    (tmp_path / "snippet").write_text(snippet)
    (tmp_path / file).write_text(filled(file, snippet=snippet, needed=needed))
    env = {"RAILS_ENV": "production"}
    assert_stored(run(interpreter, file, cwd=tmp_path, env=env), cost)


@pytest.mark.parametrize("package", ["bcrypt", "bcryptjs"])
def test_node_bcrypt(package: str, tmp_path: Path) -> None:
    """Both bcrypts of npm store the emitted cost."""
    fetch("npm", "install", "--silent", "--no-audit", "--no-fund", *NPM, cwd=tmp_path)
    cost = emitted(f"node-{package}", "bcrypt", tmp_path)
    (tmp_path / "run.js").write_text(
        filled("node-bcrypt.js", package=package, snippet=cost.snippet)
    )
    assert_stored(run("node", "run.js", cwd=tmp_path), cost)


@pytest.mark.parametrize("hasher", ["pbkdf2-sha256", "pbkdf2-sha512", "scrypt"])
def test_node_crypto(hasher: str, tmp_path: Path) -> None:
    """Node's crypto derives, from the emitted call, the key of the emitted cost."""
    program("node")
    cost = emitted("node-crypto", hasher, tmp_path)
    (tmp_path / "run.js").write_text(
        "const crypto = require('node:crypto');\n"
        f"const password = '{PASSWORD}';\nconst salt = '{SALT.decode()}';\n{cost.snippet}\n"
        "console.log(key.toString('hex'));\n"
    )
    key = bytes.fromhex(run("node", "run.js", cwd=tmp_path))
    assert derive(cost, SALT, len(key)) == key


def test_go_bcrypt(tmp_path: Path) -> None:
    """Go's x/crypto stores the emitted cost."""
    cost = emitted("go-bcrypt", "bcrypt", tmp_path)
    (tmp_path / "main.go").write_text(filled("go-bcrypt.go.txt", snippet=cost.snippet))
    fetch("go", "mod", "init", "run", cwd=tmp_path)
    fetch("go", "get", GO, cwd=tmp_path)
    assert_stored(run("go", "run", ".", cwd=tmp_path), cost)


@pytest.fixture(scope="module")
def spring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Spring Security's jars."""
    program("javac")
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
        f'String hash = encoder.encode("{PASSWORD}");\nSystem.out.println(hash);\n'
        f'System.out.println(encoder.matches("{PASSWORD}", hash));\n}}\n}}\n'
    )
    jars = ":".join(sorted(str(jar) for jar in (folder / "lib").glob("*.jar")))
    return run("java", *SHORT_JVM, "-cp", jars, "Run.java", cwd=folder)


@pytest.mark.parametrize("hasher", ["bcrypt", "pbkdf2-sha256", "pbkdf2-sha512"])
def test_spring(spring: Path, hasher: str, tmp_path: Path) -> None:
    """Spring Security stores the emitted cost; of PBKDF2, whose hash has none, the key tells."""
    cost = emitted("spring", hasher, tmp_path)
    printed = spring_prints(spring, cost.snippet)
    if hasher == "bcrypt":
        assert_stored(printed, cost)
        return
    stored, verified = printed.splitlines()[-2:]
    raw = bytes.fromhex(stored)
    assert (verified, raw[16:]) == ("true", derive(cost, raw[:16], len(raw) - 16))


@table("hasher, params")
def test_spring_memory_hard(spring: Path, hasher: str, params: Params) -> None:
    """What is written of Spring's memory-hard encoders, which are not timed, has that cost."""
    scheme = load_tunable("spring").scheme(hasher)
    assert scheme is not None
    text = scheme.write(params)
    assert_stored(spring_prints(spring, text), Emitted(text, "", hasher, params))


def test_what_cannot_be_timed_is_said() -> None:
    """A library that nothing here comes near is not guessed at."""
    ended = calibrate("emit", "elixir", "--hasher", "pbkdf2-sha512")
    assert 4 == ended.code
    assert "pbkdf2_elixir, whose loop is Elixir" in ended.err
