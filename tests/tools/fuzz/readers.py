"""Everything that reads what others wrote, with valid samples of it, and what is made of it."""

import contextlib
import datetime as dt
import io
import json
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final

from apps.realistic import FILES
from hashcost.apps.comments import comments_in_file
from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.apps.schemes import Scheme
from hashcost.checks.app_costs import costs_in
from hashcost.checks.audit import audit
from hashcost.checks.explanation import explain
from hashcost.checks.waivers import parse_waiver
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import HashcostError, UnreadableInputError
from hashcost.core.machine import TOOL
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile
from hashcost.core.text import printable
from hashcost.core.units import parse_age, parse_duration, parse_rate, parse_share, parse_size
from hashcost.core.waiver_comments import may_have_waivers
from hashcost.hashers.registry import candidates
from hashcost.machine.history import run_in
from hashcost.recommend.recorded import profile_from_json
from hashcost.render import FORMATS, render
from hashcost.render.commands.audit import audit_document
from hashcost.render.commands.explain import explanation_document
from hashcost.render.document import Document
from hashcost.source_code.rules import LANGUAGES, by_suffix, load_language
from hashcost.source_code.scan import CPU_SECONDS, Failed, comments_of, read_one
from hashcost.source_code.versions import FILES as LOCK_FILES
from hashcost.source_code.versions import fixed_in
from hashcost.storage.profile import from_json
from hashcost.storage.settings import SHARED_FILE, settings_from_toml
from hashcost.stored.formats.registry import APPS
from hashcost.stored.formats.registry import read as read_hash
from hashcost.stored.layouts import Layout, rows_in
from hashcost.stored.lines import lines_of
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.catalogue import load_policy, policy_from_toml
from hashcost.strength.policies.policy import Policy
from made_up import HISTORY_FILE, MEMORY_HARD_FILE, PROFILE_FILE, SAMPLES_FILE, SETTINGS_FILE
from secret_files import SecretFile
from sources import program

_CORPUS: Final = Path(__file__).parents[2] / "corpus"
_PROFILES: Final = (PROFILE_FILE, MEMORY_HARD_FILE)
_LAYOUTS: Final = (None, *Layout)


@dataclass(frozen=True)
class Reader:
    """What reads bytes; anything but a `HashcostError` is a failure.

    Of ``secret`` inputs only the shape is shown. Each may take ``seconds`` of CPU time, also with
    a ``run`` of bytes of one marker.
    """

    name: str
    samples: Callable[[], tuple[bytes, ...]]
    read: Callable[[bytes], object]
    secret: bool = False
    seconds: float = 1.0
    run: int = 1_000_000


_IN_A_CHILD: Final = 2 * CPU_SECONDS + 1
"""Code is read for its costs and for its waivers, each in a child that ends with a refusal after
so many seconds."""


@cache
def readers() -> dict[str, Reader]:
    """Every reader by its name."""
    every = [
        Reader("hash", _hashes, _hash, secret=True),
        # A run may be half a million lines, which take 0.8 s.
        Reader("hash files", _hash_files, _hash_file, secret=True, seconds=2.0),
        Reader("profile", lambda: _compact(*_PROFILES), partial(from_json, name="profile.json")),
        Reader("samples", lambda: (SAMPLES_FILE.read_bytes(),), _recording),
        Reader("history", lambda: _compact(HISTORY_FILE), partial(run_in, name="run.json")),
        Reader("settings", lambda: (_SETTINGS,), partial(_settings, name="hashcost.toml")),
        Reader("pyproject", lambda: _PYPROJECTS, partial(_settings, name=SHARED_FILE)),
        Reader("policy", _policy_samples, _policy),
        # Each text is read as some thirty files.
        Reader("versions", _version_samples, _versions, run=250_000),
        Reader("argument", lambda: _ARGUMENTS, _argument),
        Reader("waiver", lambda: _WAIVERS, _waiver),
    ]
    for name in app_names():
        app = load_app(name)
        if isinstance(app, App):
            samples = cache(partial(_app_samples, app))
            seconds = 1.0
            otherwise = app.reading.get("otherwise", {}).get("format", "")
            if "yaml" in (app.reading["format"] + otherwise).lower():
                # ruamel.yaml takes more than a second over 100 kB of short lines.
                seconds = 3.0
            elif app.reading.get("languages") or app.reading["format"] == "java.spring":
                seconds = _IN_A_CHILD
            read = partial(_app, app)
            every.append(Reader(f"app {name}", samples, read, seconds=seconds, run=250_000))
    for name in LANGUAGES:
        of_language, read = partial(_source_samples, name), partial(_source, name)
        reader = Reader(f"source {name}", of_language, read, seconds=_IN_A_CHILD, run=100_000)
        every.append(reader)
    return {reader.name: reader for reader in every}


@cache
def _compact(*files: Path) -> tuple[bytes, ...]:
    return tuple(json.dumps(json.loads(file.read_bytes())).encode() for file in files)


def _text(content: bytes) -> str:
    """Decode text as the commands do."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UnreadableInputError("it is not UTF-8; convert it first") from error


def _render(document: Document, content: bytes) -> None:
    """Render in one of the formats, which the input chooses."""
    forms = FORMATS if document.findings else FORMATS[:4]
    render(document, forms[len(content) % len(forms)])


# Stored hashes


@cache
def _hashes() -> tuple[bytes, ...]:
    return tuple(text.encode() for text in SecretFile(1, real=True).hashes)


def _hash(content: bytes) -> None:
    """One hash, for any application and for one of them, explained."""
    read_hash(content)
    reading = read_hash(content, APPS[len(content) % len(APPS)])
    explained = explain(
        reading,
        tool=TOOL,
        format_name=reading.format,
        policies=_policies(),
        devices=(load_device("rtx-4090"),),
        profile=_whole_profile(),
    )
    _render(explanation_document(explained, ()), content)


@cache
def _hash_files() -> tuple[bytes, ...]:
    file = SecretFile(2)
    return (file.lines(), file.users(), file.shadow(), file.table(), file.objects())


def _hash_file(content: bytes) -> None:
    """A file in the layout that is told from it, or in any; judged and shown."""
    layout = _LAYOUTS[len(content) % len(_LAYOUTS)]
    columns = {Layout.CSV: ["2"], Layout.JSONL: ["password"]}.get(layout or Layout.HASH, [])
    lines = lines_of(io.BytesIO(content))
    _, rows = rows_in(lines, layout=layout, columns=columns, read=read_hash)
    hashes = (text for text, *_ in rows)
    counted = audit(
        Counter(map(read_hash, hashes)) or Counter((read_hash("x"),)),
        tool=TOOL,
        layout="hash",
        policies=_policies(),
        devices=(load_device("rtx-4090"),),
        profile=_whole_profile(),
        target_seconds=0.25,
    )
    _render(audit_document(counted), content)


# What this program wrote


@cache
def _policies() -> tuple[Policy, ...]:
    return tuple(map(load_policy, ("owasp", "disa-stig")))


@cache
def _whole_profile() -> Profile:
    return from_json(PROFILE_FILE.read_bytes(), name="profile")


def _recording(content: bytes) -> None:
    if b'"samples"' in content:
        profile_from_json(content, name="web1.json")


# What a user wrote


_SETTINGS: Final = SETTINGS_FILE.read_bytes()
_PYPROJECTS: Final = (
    b'[project]\nname = "a.b"\n[tool.ruff]\nx.y.z = 1\n[tool.hashcost]\n' + _SETTINGS,
    b'[project]\nname = "a.b"\n',
)


def _settings(content: bytes, *, name: str) -> None:
    settings = settings_from_toml(content, Path(name), shown=Path(name))
    for text, _ in settings.check if settings else ():
        with contextlib.suppress(HashcostError):
            parse_cost(text)


@cache
def _policy_samples() -> tuple[bytes, ...]:
    folder = Path(__file__).parents[3] / "src/hashcost/strength/policies/data"
    return tuple(file.read_bytes() for file in sorted(folder.glob("*.toml")))


def _policy(content: bytes) -> None:
    hashers = {candidate.hasher for candidate in candidates()}
    policy_from_toml(content, name="house.toml", known_hashers=hashers)


_ARGUMENTS: Final = tuple(
    b"40ms 0.25s 1e3us 90d 1y 20% 20/s 300/min 64MiB bcrypt=12 scrypt=n=16384,r=8,p=1"
    b" argon2id@argon2-cffi=m=19456,t=2,p=1".split()
)


def _argument(content: bytes) -> None:
    text = content.decode(errors="surrogateescape")
    parsers = (parse_duration, parse_age, parse_share, parse_rate, parse_size, parse_cost)
    for parse in parsers:
        try:
            parse(text)
        except HashcostError as error:
            printable(str(error)).encode()


_WAIVERS: Final = (
    b"bcrypt=10 below-min, drifted until 2027-03-01: rehashed at login",
    b"argon2id m=19456,t=2,p=1 drifted until 2027-03-01: x",
    b"plain text unsuitable until 2027-03-01: x",
    b"unknown until 2027-03-01: looked at",
)


def _waiver(content: bytes) -> None:
    parse_waiver(content.decode(errors="surrogateescape"), dt.date(2026, 11, 27))


# What others' programs are configured by


def _app_samples(app: App) -> tuple[bytes, ...]:
    """Configurations of the corpus, and the snippets that `emit` writes."""
    texts = [scheme.write(_params(scheme)) for scheme in app.schemes]
    path = _CORPUS / "configurations" / f"{app.name}.toml"
    tables = tomllib.loads(path.read_text("utf-8"))["configuration"] if path.exists() else []
    texts += [text for table in tables for text in table["files"].values()]
    texts += [text for name, text in FILES if name == app.name]
    waiver = app.comment.format(f"hashcost: accept {_WAIVERS[0].decode()}")
    texts += [f"{waiver}\n{text}" for text in texts[:1]]
    return tuple(text.encode() for text in texts)


def _params(scheme: Scheme) -> Params:
    lowest = {name: limit.minimum for name, limit in scheme.limits.items()}
    return {**lowest, "parallelism": 1, **(scheme.defaults[-1].params if scheme.defaults else {})}


def _app(app: App, content: bytes) -> None:
    try:
        comments_in_file(app, "file", _text(content), {1, 2, 3})
        costs_in(app, _text(content), "file", None)
    except HashcostError as error:
        if not str(error).isprintable() or len(str(error)) > 300:
            raise ValueError(f"no short line: {error!r}") from error
        raise


@cache
def _source_samples(language: str) -> tuple[bytes, ...]:
    """Those of the corpus, and an example of each rule."""
    suffixes = tuple(end for end, (kind, _) in by_suffix().items() if kind.language == language)
    texts = [program(language, rule.example) for rule in load_language(language).rule]
    for path in sorted((_CORPUS / "snippets").glob("*.toml")):
        for table in tomllib.loads(path.read_text("utf-8"))["snippet"]:
            texts += [text for name, text in table["files"].items() if name.endswith(suffixes)]
    mark = "#" if language in {"python", "ruby", "elixir"} else "//"
    waiver = f"{mark} hashcost: accept {_WAIVERS[0].decode()}\n"
    # PHP begins with its own mark.
    texts += ["\n".join([*text.split("\n")[:1], waiver * 3, text]) for text in texts[:1]]
    return tuple(text.encode() for text in texts)


@cache
def _version_samples() -> tuple[bytes, ...]:
    """What the tests read versions from."""
    cases = tomllib.loads((_CORPUS.parent / "source_code/project.toml").read_text("utf-8"))
    return tuple(text.encode() for _, text, *_ in cases["versions_are_read_from_lock_files"])


def _versions(content: bytes) -> None:
    """Read a text as each file that fixes versions."""
    text = content.decode(errors="replace")
    for pattern in LOCK_FILES:
        list(fixed_in(pattern.replace("*", ""), text))


def _source(language: str, content: bytes) -> None:
    text = content.decode(errors="replace")
    reading: object = read_one(text, language)
    if may_have_waivers(text):
        reading = comments_of(text, language, None, {1, 2, 3})
    if isinstance(reading, Failed):
        raise UnreadableInputError(reading.why)
