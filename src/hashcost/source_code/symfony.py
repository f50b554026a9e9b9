"""The hashers that Symfony's configuration names, in `security.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.measurement import Params
from hashcost.source_code.costs import SetCost, Setting
from hashcost.source_code.stages import DeploymentStage, stage_named
from hashcost.source_code.values import shown

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_SUFFIXES: Final = (".yaml", ".yml")
ENCODERS: Final = "encoders"
"""The key of releases before 5.3, which later ones read until 6.0."""
AUTO_OF_ENCODERS: Final = "auto of encoders is argon2id only where PHP has libsodium"
"""Source: symfony/security-core, EncoderFactory.php at v4.3.0, v4.4.48, v5.2.14 and v5.4.0."""
_ROOTS: Final = ("password_hashers", ENCODERS)
"""The keys of the hashers."""
_PAIRS: Final = ("block_mapping_pair", "flow_pair")
_AROUND: Final = (
    *("stream", "document", "block_node", "flow_node", "block_mapping", "flow_mapping"),
)
"""The kinds of node around the pairs of a mapping."""
_WHEN: Final = "when@"
_DIGITS: Final = re.compile(r"[0-9]{1,9}")
_NAME: Final = re.compile(r"[\w\\.-]++")
"""One name in a text or list of them."""
_ARGON2: Final[Params] = {"memory_kib": 65536, "time_cost": 4, "parallelism": 1}
ALGORITHMS: Final[dict[str, tuple[str, Params]]] = {
    **dict.fromkeys(("auto", "native", "bcrypt"), ("bcrypt", {"cost": 13})),
    **dict.fromkeys(("sodium", "argon2id"), ("argon2id", _ARGON2)),
    "argon2i": ("argon2i", _ARGON2),
    "pbkdf2": ("pbkdf2-sha512", {"iterations": 5000}),
}
"""The hasher of each algorithm, and its params unless the file sets them.

Source: symfony/password-hasher, Hasher/NativePasswordHasher.php and SodiumPasswordHasher.php. For
PBKDF2, the configuration's own default goes before the 1,000 of Pbkdf2PasswordHasher.php:
symfony/symfony, 4.4, 5.4, 6.4, 7.1 and 7.2 (at 5feb7493c3), SecurityBundle/DependencyInjection/
MainConfiguration.php (`iterations`).
"""
_UNFIT: Final = {
    "plaintext": "plain text",
    **dict.fromkeys(("md5", "sha1", "sha256", "sha384", "sha512"), "a digest"),
}
"""They hash no password at any cost: PlaintextPasswordHasher, MessageDigestPasswordHasher."""
PARAMS: Final = {
    "cost": "cost",
    "memory_cost": "memory_kib",
    "time_cost": "time_cost",
    "iterations": "iterations",
}
"""The params by the keys of the configuration."""


def hashers_in(content: bytes, suffix: str) -> Iterator[Setting]:
    """Find the cost of each class of users that a file of YAML sets."""
    if suffix not in _SUFFIXES or not any(root.encode() in content for root in _ROOTS):
        return
    from ast_grep_py import SgRoot

    top = _mapping(SgRoot(content.decode("utf-8-sig", errors="replace"), "yaml").root())
    stages = {"": top}
    for key, value in top.items():
        if key.startswith(_WHEN):
            stages[key] = _mapping(value)
    for stage, settings in stages.items():
        in_tests = stage_named(stage) is DeploymentStage.TESTS
        if "security" not in settings:
            continue
        security = _mapping(settings["security"])
        for root in _ROOTS:
            if root in security:
                for row in _rows(root, _mapping(security[root])):
                    yield replace(row, in_tests=in_tests)


def _rows(root: str, classes: Mapping[str, SgNode]) -> Iterator[Setting]:
    """Read the hasher of each class, without those that others name in ``migrate_from``."""
    older: set[str] = set()
    for value in classes.values():
        settings = _mapping(value)
        if "migrate_from" in settings:
            older.update(_NAME.findall(settings["migrate_from"].text()))
    for name, value in classes.items():
        if name not in older:
            yield _row(root, value)


def _row(root: str, value: SgNode) -> Setting:
    settings = _mapping(value)
    algorithm = "auto"
    line = value.range().start.line + 1
    if "algorithm" in settings:
        algorithm = _text(settings["algorithm"])
        line = settings["algorithm"].range().start.line + 1
    elif not settings:  # ``User: auto`` is short for a mapping with an algorithm.
        algorithm = _text(value)
    unknown = Setting(line=line, call="password_hashers", library="Symfony")
    if "id" in settings:
        return replace(unknown, why="the service in `id` computes the hashes")
    if algorithm.lower() == "auto" and root == ENCODERS:
        return replace(unknown, why=AUTO_OF_ENCODERS)
    if algorithm.lower() in _UNFIT:
        return replace(unknown, hasher=_UNFIT[algorithm.lower()], is_unfit=True)
    if algorithm.lower() not in ALGORITHMS:
        return replace(unknown, why=f"its algorithm is {shown(algorithm)}")
    hasher, default = ALGORITHMS[algorithm.lower()]
    if "hash_algorithm" in settings and algorithm.lower() == "pbkdf2":
        hasher = f"pbkdf2-{_text(settings['hash_algorithm'])}"
        if hasher not in COST_NAMES:
            return replace(unknown, why=f"its algorithm is {shown(hasher)}")
    params = dict(default)
    written = []
    for key, name in PARAMS.items():
        if key not in settings or name not in default:
            continue
        number = _text(settings[key])
        if _DIGITS.fullmatch(number) is None:
            return replace(unknown, hasher=hasher, why=f"{name} is {shown(number)}")
        params[name] = int(number)
        written.append(name)
    why = ""
    if len(written) < len(params):
        why = "Symfony's default"
    return SetCost(
        line=line,
        call=unknown.call,
        why=why,
        library=unknown.library,
        hasher=hasher,
        params=params,
        written=tuple(written),
    )


def _mapping(node: SgNode) -> dict[str, SgNode]:
    """Take the values of the mapping that a node is, by their keys; none if it is another."""
    values = {}
    pending = [node]
    for part in pending:  # Grows while it is read.
        key = part.field("key")
        value = part.field("value")
        if part.kind() in _AROUND:
            pending += part.named_children()
        elif part.kind() in _PAIRS and key is not None and value is not None:
            values[_text(key)] = value
    return values


def _text(node: SgNode) -> str:
    """Take a text without its quotation marks."""
    return node.text().strip("'\"")
