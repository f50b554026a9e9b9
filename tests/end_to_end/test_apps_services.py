"""``calibrate emit`` for services: real parsers read it, and real libraries hash with it."""

import configparser
import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from apps.services import SCHEMES, SERVICES, label
from end_to_end.emitted import emitted
from end_to_end.real_programs import AbsentError, with_go, with_java, with_php, with_ruby
from hashcost.apps.interface import App
from hashcost.apps.schemes import Scheme
from hashcost.core.measurement import Params
from hashcost.stored.formats.registry import APPS, read

pytestmark = pytest.mark.slow


def _yaml(text: str, *path: str) -> Any:
    found = YAML(typ="safe").load(text)
    for key in path:
        found = found[key]
    return found


def _flat(text: str) -> dict[str, str]:
    """Lines of ``key=value``."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def _words(text: str) -> list[str]:
    """The words of a command, which a shell takes too."""
    checked = subprocess.run(["sh", "-n"], input=text, encoding="utf-8", check=False)
    assert checked.returncode == 0
    return shlex.split(text, comments=True)


def _authelia(text: str, scheme: Scheme) -> str:
    password = _yaml(text, "authentication_backend", "file", "password")
    settings = password[password["algorithm"]]
    variant = settings.pop("variant", "")
    request = {"app": "authelia", "algorithm": password["algorithm"], "variant": variant}
    return with_go(json.dumps({**request, "settings": settings}))


def _gitea(text: str, scheme: Scheme) -> str:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    specification = parser["security"]["PASSWORD_HASH_ALGO"]
    return with_go(json.dumps({"app": "gitea", "algorithm": specification}))


def _kratos(text: str, scheme: Scheme) -> str:
    hashers = _yaml(text, "hashers")
    settings = hashers[hashers["algorithm"]]
    if "memory" in settings:
        settings["memory"] = int(settings["memory"].removesuffix("KB"))
    request = {"app": "kratos", "algorithm": hashers["algorithm"], "settings": settings}
    return with_go(json.dumps(request))


def _caddy(text: str, scheme: Scheme) -> str:
    words = _words(text)
    flags = dict(zip(words[2::2], words[3::2], strict=True))
    if flags["--algorithm"] == "bcrypt":
        return with_go(
            json.dumps({"app": "caddy", "settings": {"cost": int(flags["--bcrypt-cost"])}})
        )
    names = {"memory": "memory", "iterations": "time", "parallelism": "threads"}
    settings = {name: int(flags[f"--argon2id-{flag}"]) for name, flag in names.items()}
    return with_go(json.dumps({"app": "kratos", "algorithm": "argon2", "settings": settings}))


def _opensearch(text: str, scheme: Scheme) -> str:
    root = "plugins.security.password.hashing"
    settings = _yaml(text)
    algorithm = settings[f"{root}.algorithm"]
    order = {
        "bcrypt": ("rounds",),
        "pbkdf2": ("function", "iterations", "length"),
        "argon2": ("memory", "iterations", "parallelism"),
    }[algorithm]
    words = [str(settings[f"{root}.{algorithm}.{name}"]) for name in order]
    return with_java(" ".join(["opensearch", algorithm, *words]))


def _elasticsearch(text: str, scheme: Scheme) -> str:
    return with_java(
        f"elasticsearch {_yaml(text, 'xpack.security.authc.password_hashing.algorithm')}"
    )


def _keycloak(text: str, scheme: Scheme) -> str:
    if scheme.hasher == "argon2id":
        options = _flat(text)
        order = ("memory", "iterations", "parallelism")
        words = [options[f"spi-password-hashing--argon2--{name}"] for name in order]
        return with_java(" ".join(["keycloak", "argon2", *words]))
    policy = _words(text)[-1].removeprefix("passwordPolicy=")
    parts = dict(part.rstrip(")").split("(") for part in policy.split(" and "))
    return with_java(f"keycloak {parts['hashAlgorithm']} {parts['hashIterations']}")


def _kafka(text: str, scheme: Scheme) -> str:
    mechanism, settings = _words(text)[-1].rstrip("]").split("=[")
    iterations = dict(each.split("=") for each in settings.split(","))["iterations"]
    return with_java(f"kafka {mechanism} {iterations}")


def _foreman(text: str, scheme: Scheme) -> str:
    settings = _yaml(text)
    algorithm = settings[":password_hash"]
    cost = settings[":bcrypt_cost" if algorithm == "bcrypt" else ":pbkdf2_cost"]
    return with_ruby(algorithm, cost)


def _mongodb(text: str, scheme: Scheme) -> str:
    assert len(_yaml(text, "setParameter")) == 1
    raise AbsentError("no package registry has mongod")


def _mysql(text: str, scheme: Scheme) -> str:
    parser = configparser.ConfigParser()
    parser.read_string(text)
    assert int(parser["mysqld"]["caching_sha2_password_digest_rounds"]) % 1000 == 0
    raise AbsentError("no package registry has mysqld")


def _nextcloud(text: str, scheme: Scheme) -> str:
    return with_php(text)


def _vaultwarden(text: str, scheme: Scheme) -> str:
    assert set(_flat(text)) == {"PASSWORD_ITERATIONS"}
    raise AbsentError("Vaultwarden is no crate")


_HASH: dict[str, Callable[[str, Scheme], str]] = {
    "authelia": _authelia,
    "caddy": _caddy,
    "elasticsearch": _elasticsearch,
    "foreman": _foreman,
    "gitea": _gitea,
    "kafka": _kafka,
    "keycloak": _keycloak,
    "kratos": _kratos,
    "mongodb": _mongodb,
    "mysql": _mysql,
    "nextcloud": _nextcloud,
    "opensearch": _opensearch,
    "vaultwarden": _vaultwarden,
}


@pytest.mark.parametrize(
    ("app", "scheme"), [case for case in SCHEMES if case[0].name in SERVICES], ids=label
)
def test_the_real_library_hashes_with_it(app: App, scheme: Scheme, tmp_path: Path) -> None:
    """A hash that the service's own library makes with the snippet, and verifies, has the cost."""
    cost = emitted(app.name, scheme.hasher, tmp_path, target="250ms")
    stored = _HASH[app.name](cost.snippet, scheme)
    assert (cost.hasher, cost.params) == _stored_cost(app, stored)


def _stored_cost(app: App, stored: str) -> tuple[str | None, Params]:
    """What the stored hash says, or the column beside it."""
    if app.name == "gitea" and not stored.startswith("$2"):
        specification, length = stored.split(":")
        assert int(length) == 32
        (column,) = app.read(f"[security]\nPASSWORD_HASH_ALGO = {specification}\n")
        return column.hasher, column.params
    if app.name == "kafka":
        iterations = re.search(r"iterations=(\d+)", stored)
        assert iterations is not None
        digest = 512 if len(re.findall(r"stored_key=([^,]*)", stored)[0]) > 60 else 256
        return f"pbkdf2-sha{digest}", {"iterations": int(iterations[1])}
    reading = read(stored, app.name if app.name in APPS else None)
    return reading.hasher, reading.params
