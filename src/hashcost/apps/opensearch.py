"""OpenSearch: ``plugins.security.password.hashing`` in ``opensearch.yml``.

Read in opensearch-project/security at 78236897, hasher/PasswordHasherFactory.java, with its
tests of argon2 (OpenSearch 3.2); the defaults of argon2 in its release notes.
"""

from __future__ import annotations

from hashcost.apps.factors import JAVA, PASSWORD4J_ARGON2, PASSWORD4J_BCRYPT
from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import Group, costs, of_first_document, setting
from hashcost.apps.files.yaml_file import Value, values
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Write
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params

_ROOT = "plugins.security.password.hashing"
_FACTORY = "opensearch-project/security, hasher/PasswordHasherFactory.java"
_REFUSED = "the node does not start"
_LARGEST = 2**31 - 1
_DIGESTS = ("sha1", "sha224", "sha256", "sha384", "sha512")
_VARIANTS = ("argon2id", "argon2i", "argon2d")


def _write(algorithm: str, **settings: object) -> str:
    lines = [f"{_ROOT}.algorithm: {algorithm}"]
    lines += [f"{_ROOT}.{algorithm}.{name}: {value}" for name, value in settings.items()]
    return "".join(line + "\n" for line in lines)


def _write_bcrypt(params: Params) -> str:
    return _write("bcrypt", rounds=params["cost"])


def _write_pbkdf2(params: Params) -> str:
    return _write("pbkdf2", function="SHA256", length=256, iterations=params["iterations"])


def _write_pbkdf2_sha512(params: Params) -> str:
    return _write("pbkdf2", function="SHA512", length=512, iterations=params["iterations"])


def _write_argon2(params: Params) -> str:
    return _write(
        "argon2",
        type="argon2id",
        memory=params["memory_kib"],
        iterations=params["time_cost"],
        parallelism=params["parallelism"],
    )


def _one_of(found: tuple[Value, ...], name: str, known: tuple[str, ...], default: str) -> str:
    value = setting(found, f"{_ROOT}.{name}")
    if value is None:
        return default
    if value.text.lower() not in known:
        shown = printable(value.text)[:40]
        raise UnreadableInputError(
            f"line {value.line}: {value.name} is {shown!r}; OpenSearch knows {', '.join(known)}"
        )
    return value.text.lower()


def _read(text: str) -> tuple[Found, ...]:
    found = of_first_document(values(text))
    named = setting(found, f"{_ROOT}.algorithm")
    algorithm = _one_of(found, "algorithm", ("bcrypt", "pbkdf2", "argon2"), "bcrypt")
    digest = _one_of(found, "pbkdf2.function", _DIGESTS, "sha256")
    variant = _one_of(found, "argon2.type", _VARIANTS, "argon2id")
    groups = {
        "bcrypt": Group(hasher="bcrypt", keys={"cost": f"{_ROOT}.bcrypt.rounds"}),
        "pbkdf2": Group(
            hasher=f"pbkdf2-{digest}", keys={"iterations": f"{_ROOT}.pbkdf2.iterations"}
        ),
        "argon2": Group(
            hasher=variant,
            keys={
                "memory_kib": f"{_ROOT}.argon2.memory",
                "time_cost": f"{_ROOT}.argon2.iterations",
                "parallelism": f"{_ROOT}.argon2.parallelism",
            },
        ),
    }
    told = (
        f"bcrypt is used unless {_ROOT}.algorithm says otherwise"
        if named is None
        else f"{_ROOT}.algorithm is {algorithm}"
    )
    read = [
        each
        for name, group in groups.items()
        for each in costs(
            found,
            group,
            used=name == algorithm,
            because="" if name == algorithm else told,
            at=None if named is None else named.line,
        )
    ]
    return with_ranges(read, APP.schemes, APP.title)


def _pbkdf2(hasher: str, write: Write, *defaults: Default) -> Scheme:
    return Scheme(
        hasher=hasher,
        library="Password4j, with Java's PBKDF2",
        timing=JAVA[hasher],
        keys={"iterations": f"{_ROOT}.pbkdf2.iterations"},
        limits={"iterations": Limits(minimum=1, maximum=_LARGEST, beyond=_REFUSED)},
        write=write,
        defaults=defaults,
    )


APP = App(
    name="opensearch",
    title="OpenSearch",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="Password4j",
            timing=PASSWORD4J_BCRYPT,
            keys={"cost": f"{_ROOT}.bcrypt.rounds"},
            limits={"cost": Limits(minimum=4, maximum=31, beyond=_REFUSED)},
            write=_write_bcrypt,
            defaults=(Default(since="1.0", params={"cost": 12}, source=_FACTORY),),
        ),
        _pbkdf2(
            "pbkdf2-sha256",
            _write_pbkdf2,
            Default(since="2.16", params={"iterations": 600_000}, source=_FACTORY),
        ),
        _pbkdf2("pbkdf2-sha512", _write_pbkdf2_sha512),
        Scheme(
            hasher="argon2id",
            library="Password4j",
            timing=PASSWORD4J_ARGON2,
            keys={
                "memory_kib": f"{_ROOT}.argon2.memory",
                "time_cost": f"{_ROOT}.argon2.iterations",
                "parallelism": f"{_ROOT}.argon2.parallelism",
            },
            limits={
                "memory_kib": Limits(minimum=8, maximum=_LARGEST, beyond=_REFUSED),
                "time_cost": Limits(minimum=1, maximum=_LARGEST, beyond=_REFUSED),
                "parallelism": Limits(minimum=1, maximum=_LARGEST, beyond=_REFUSED),
            },
            write=_write_argon2,
            defaults=(
                Default(
                    since="3.2",
                    params={"memory_kib": 65536, "time_cost": 3, "parallelism": 1},
                    source="opensearch-project/security, release notes of 3.2",
                ),
            ),
        ),
    ),
    comment="# {}",
    read=_read,
    places=("config/opensearch.yml", "/etc/opensearch/opensearch.yml"),
    rehashes="never; a password change is needed",
    sources=(_FACTORY,),
    note="All nodes need the same; a hash of another algorithm cannot be verified.",
)
