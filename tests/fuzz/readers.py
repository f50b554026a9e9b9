"""Everything that reads what others wrote, with valid samples of it, and what is made of it."""

from __future__ import annotations

import io
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final

from apps.realistic import LOGIN_DEFS, PAM, POSTGRESQL, SCRIPT, SYSTEM_AUTH
from hashcost.apps.interface import App, Scheme
from hashcost.apps.registry import app_names, load_app
from hashcost.compare.comparison import compare, target_of
from hashcost.compare.files import unique_names
from hashcost.compare.measured_machine import machine_of
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import HashcostError, UnreadableInputError, printable
from hashcost.core.measurement import Params
from hashcost.core.place import Place
from hashcost.core.profile import Profile, Rounding
from hashcost.core.tool import TOOL
from hashcost.core.units import parse_age, parse_duration, parse_rate, parse_share, parse_size
from hashcost.documents.profile import from_json
from hashcost.documents.settings import SHARED_FILE, settings_from_toml
from hashcost.hashers.registry import candidates
from hashcost.machine.history import runs_in
from hashcost.recommend.past import summary
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.recorded import profile_from_json
from hashcost.render import FORMATS, render
from hashcost.render.commands.audit import audit_document
from hashcost.render.commands.check import check_document, severity_of
from hashcost.render.commands.compare import comparison_document
from hashcost.render.commands.explain import explanation_document
from hashcost.render.commands.history import history_document
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.commands.sweep import sweep_document
from hashcost.render.document import Document
from hashcost.source_code.rules import LANGUAGES, by_suffix
from hashcost.source_code.scan import Failed, read_one
from hashcost.stored.formats.registry import APPS
from hashcost.stored.formats.registry import read as read_hash
from hashcost.stored.layouts import Layout, hashes_in
from hashcost.stored.lines import lines_of
from hashcost.sweep.file import sweep_from_json
from hashcost.sweep.model import Sweep
from hashcost.sweep.published.answer import answer
from hashcost.sweep.published.table import read_table
from hashcost.verdicts.app_costs import costs_in
from hashcost.verdicts.audit import audit, count
from hashcost.verdicts.check import check_all
from hashcost.verdicts.explanation import explain
from hashcost.verdicts.judgement import (
    REPORT_SCHEMA_VERSION,
    CheckReport,
    Configured,
    Judgement,
    Outcome,
    Standard,
)
from hashcost.worth.appraisal import appraise
from hashcost.worth.attackers.device import load_device
from hashcost.worth.policies.catalogue import load_policy, policy_from_toml
from hashcost.worth.policies.policy import Policy
from made_up import MEMORY_HARD_FILE, PROFILE_FILE, SAMPLES_FILE, SWEEP_FILE
from secret_files import SecretFile
from sources import program, rules

_CORPUS: Final = Path(__file__).parent.parent / "corpus"
_NOW: Final = 1.8e9
_LAYOUTS: Final = (None, *Layout)


@dataclass(frozen=True)
class Reader:
    """What reads bytes; anything but a `HashcostError` is a failure.

    Of ``secret`` inputs only the shape is shown. Each may take ``seconds`` of CPU time.
    """

    name: str
    samples: Callable[[], tuple[bytes, ...]]
    read: Callable[[bytes], object]
    secret: bool = False
    seconds: float = 1.0


@cache
def readers() -> dict[str, Reader]:
    """Every reader by its name."""
    found = [
        Reader("hash", _hashes, _hash, secret=True),
        Reader("hash files", _hash_files, _hash_file, secret=True),
        Reader("profile", _profiles, _profile),
        Reader("samples", _recordings, _recording),
        Reader("sweep", _sweeps, _sweep),
        Reader("history", _histories, _history),
        Reader("settings", _settings_samples, partial(_settings, name="hashcost.toml")),
        Reader("pyproject", _pyprojects, partial(_settings, name=SHARED_FILE)),
        Reader("policy", _policy_samples, _policy),
        Reader("table", _tables, _table),
        Reader("file name", _names, _name),
        Reader("argument", _arguments, _argument),
    ]
    apps = [name for name in app_names() if isinstance(load_app(name), App)]
    found += [
        Reader(
            f"app {name}",
            partial(_app_samples, name),
            partial(_app, name),
        )
        for name in apps
    ]
    found += [
        Reader(
            f"source {name}",
            partial(_source_samples, name),
            partial(_source, name),
        )
        for name in LANGUAGES
    ]
    return {each.name: each for each in found}


def _text(content: bytes) -> str:
    """Text, as the commands decode it."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UnreadableInputError(
            "it is not UTF-8; convert it first; convert it first"
        ) from error


def _shown(document: Document, content: bytes) -> None:
    """In one of the formats, by what was read."""
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
    _shown(explanation_document(explained, ()), content)


@cache
def _hash_files() -> tuple[bytes, ...]:
    file = SecretFile(2)
    return (file.lines(), file.users(), file.shadow(), file.table(), file.objects())


def _hash_file(content: bytes) -> None:
    """A file in the layout that is told from it, or in any; judged and shown."""
    layout = _LAYOUTS[len(content) % len(_LAYOUTS)]
    column = {Layout.CSV: "2", Layout.JSONL: "password"}.get(layout or Layout.HASH)
    lines = lines_of(io.BytesIO(content))
    _, hashes = hashes_in(lines, layout=layout, column=column, read=read_hash)
    counted = audit(
        count(hashes, read_hash) or Counter((read_hash("x"),)),
        tool=TOOL,
        layout="hash",
        policies=_policies(),
        devices=(load_device("rtx-4090"),),
        dollars_per_hour=None,
        profile=_whole_profile(),
        target_seconds=0.25,
    )
    _shown(audit_document(counted), content)


# What this program wrote


@cache
def _policies() -> tuple[Policy, ...]:
    return tuple(map(load_policy, ("owasp", "disa-stig")))


@cache
def _whole_profile() -> Profile:
    return from_json(PROFILE_FILE.read_bytes(), name="profile")


@cache
def _profiles() -> tuple[bytes, ...]:
    files = [PROFILE_FILE, MEMORY_HARD_FILE]
    files += [file.with_name(f"{file.stem}_schema_1.json") for file in files]
    return tuple(json.dumps(json.loads(file.read_bytes())).encode() for file in files)


def _profile(content: bytes) -> None:
    """Shown, solved for other targets, checked by and compared."""
    devices = (load_device("rtx-4090"),)
    profile = appraise(from_json(content, name="profile.json"), _policies(), devices)
    _shown(recommendation_document(profile, policies=_policies(), devices=devices), content)
    for target in (1e-3, 0.25, 10.0):
        solved = appraise(solve_again(profile, target, Rounding.NEAREST), _policies(), devices)
        document = recommendation_document(solved, solved_again=True, policies=_policies())
        _shown(document, content)
    costs = [
        Configured(hasher=row.hasher, implementation=None, params=row.params)
        for row in profile.recommendations
    ]
    judged = check_all(costs, profile, Standard(target_seconds=0.25, policies=_policies()))
    _shown(_checked(profile, tuple(judged)), content)
    _compared(profile, content)


def _checked(profile: Profile, judged: tuple[Judgement, ...]) -> Document:
    report = CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=TOOL,
        live=False,
        measured=profile.created,
        machine=profile.machine,
        target_seconds=0.25,
        tolerance=0.2,
        longest_seconds=None,
        results=judged,
        warnings=(),
    )
    return check_document(report, [*map(severity_of, judged)])


def _compared(found: Profile | Sweep, content: bytes) -> None:
    """With itself, and with what is whole."""
    machines = (
        machine_of(_whole_profile(), name="whole", source="whole.json"),
        machine_of(found, name="found", source="found.json"),
        machine_of(found, name="again", source="again.json"),
    )
    both = compare(
        machines, baseline=machines[1], target_seconds=target_of(machines), policies=_policies()
    )
    _shown(comparison_document(both, policies=_policies(), targets_differ=False), content)


def _recordings() -> tuple[bytes, ...]:
    return (SAMPLES_FILE.read_bytes(),)


def _recording(content: bytes) -> None:
    """Solved and compared."""
    if b'"samples"' in content:
        _compared(profile_from_json(content, name="web1.json"), content)


@cache
def _sweeps() -> tuple[bytes, ...]:
    return (json.dumps(json.loads(SWEEP_FILE.read_bytes())).encode(),)


def _sweep(content: bytes) -> None:
    """Shown, and compared."""
    found = sweep_from_json(content, name="sweep.json")
    _shown(sweep_document(found), content)
    _compared(found, content)


@cache
def _histories() -> tuple[bytes, ...]:
    runs = [
        {
            "ended": _NOW - 3600.0 * index,
            "machine": f"Fake CPU x{index % 2} | fake | 1",
            "probe": "probe",
            "quiet_ratio": 1.1,
            "seconds_per_unit": {
                "bcrypt@bcrypt 5.0.0": 1e-5,
                "scrypt@hashlib 3.5.1 n 16384, r 8, p 1": 0.05,
                "argon2id@argon2-cffi 25.1.0 memory_kib 65536, parallelism 1": 0.04,
            },
            "answers": [
                {"hasher": "argon2id@argon2-cffi 25.1.0", "target_seconds": 0.25,
                 "params": {"memory_kib": 65536, "time_cost": 4, "parallelism": 1}}
            ],
        }
        for index in range(5)
    ]  # fmt: skip
    return (json.dumps({"schema": 3, "runs": runs}).encode(),)


def _history(content: bytes) -> None:
    """Summed up and shown."""
    runs = runs_in(content, name="history.json")
    found = summary(runs, path="history.json", here="Fake CPU x1 | fake | 1", now=_NOW)
    _shown(history_document(found), content)


# What a user wrote


_SETTINGS: Final = b"""\
# What the check holds to.
check = ["bcrypt=12", 'argon2id=m=19456,t=2,p=1',
  "sha512-crypt=656000"]
target = "250ms"
max = "1s"
profile = "production.json"
max-age = "90d"
tolerance = "20%"
policy = ["owasp", "house.toml"]
on-inconclusive = "fail"
on-unknown = "pass"
"""


def _settings_samples() -> tuple[bytes, ...]:
    return (_SETTINGS,)


def _pyprojects() -> tuple[bytes, ...]:
    others = b'[project]\nname = "a.b"\n[tool.ruff]\nx.y.z = 1\n'
    return (others + b"[tool.hashcost]\n" + _SETTINGS, others)


def _settings(content: bytes, *, name: str) -> None:
    found = settings_from_toml(content, Path(name), shown=Path(name))
    for text, _ in found.check if found else ():
        _costs(text)


def _costs(text: str) -> None:
    try:
        parse_cost(text)
    except HashcostError:
        return


@cache
def _policy_samples() -> tuple[bytes, ...]:
    folder = Path(__file__).parents[2] / "src/hashcost/worth/policies/data"
    return tuple(file.read_bytes() for file in sorted(folder.glob("*.toml")))


def _policy(content: bytes) -> None:
    known = {each.hasher for each in candidates()}
    policy_from_toml(content, name="house.toml", known_hashers=known)


_MARKDOWN: Final = b"""\
| hasher | cost | time |
|---|---:|---|
| bcrypt | 8 | 10 ms |
| bcrypt | 9 | 20 ms |
| bcrypt | 10 | 41 ms |
"""
_TABLES: Final = (
    b"rounds,seconds\n1000,0.0011\n5000,0.0052\n10000,0.0103\n50000,0.0514\n",
    b"cost;time (ms)\n8;10,1\n9;20,3\n10;40,4\n11;81,0\n",
    _MARKDOWN,
    b"1000 0.001\n2000 0.002\n4000 0.004\n8000 0.008\n",
)


def _tables() -> tuple[bytes, ...]:
    return _TABLES


def _table(content: bytes) -> None:
    """Read, and solved for targets however far away."""
    found = read_table(_text(content), name="table.csv")
    for target in (5e-324, 1e-9, 0.25, 60.0):
        for each in list(dict.fromkeys(row.hasher for row in found.rows))[:4] or [None]:
            try:
                rows = [row for row in found.rows if row.hasher == each]
                answer(rows, tool=TOOL, target_seconds=target, parameter=found.cost_column)
            except HashcostError:
                continue


def _names() -> tuple[bytes, ...]:
    return (b"hashcost.toml", b"src/auth/login.py", b"/var/lib/app/config.yml", b"../web1.json")


def _name(content: bytes) -> None:
    """A file of this name, in every format that names files, and beside another."""
    name = content.replace(b"\0", b"").decode(errors="surrogateescape")[:4000] or "x"
    unique_names([Path(name), Path("a") / name, Path("a.json")])
    why = printable(f"{name} is not there")
    place = Place(path=content.decode(errors="replace"), line=1)
    judged = Judgement.without_cost(Outcome.UNKNOWN, "bcrypt", place, why, "look")
    document = _checked(_whole_profile(), (judged,))
    for form in FORMATS:
        render(document, form)


def _arguments() -> tuple[bytes, ...]:
    texts = ("40ms", "0.25s", "1e3us", "90d", "1y", "20%", "20/s", "300/min", "64MiB", "bcrypt=12",
             "argon2id@argon2-cffi=m=19456,t=2,p=1", "scrypt=n=16384,r=8,p=1")  # fmt: skip
    return tuple(text.encode() for text in texts)


def _argument(content: bytes) -> None:
    text = content.decode(errors="surrogateescape")
    parsers = (parse_duration, parse_age, parse_share, parse_rate, parse_size, parse_cost)
    for parse in parsers:
        try:
            parse(text)
        except HashcostError as error:
            printable(str(error)).encode()


# What others' programs are configured by


@cache
def _app_samples(name: str) -> tuple[bytes, ...]:
    """Those of the corpus, and the snippets that `emit` writes."""
    app = load_app(name)
    assert isinstance(app, App)
    texts = [scheme.write(_params(scheme)) for scheme in app.schemes]
    path = _CORPUS / "configurations" / f"{name}.toml"
    tables = tomllib.loads(path.read_text("utf-8"))["configuration"] if path.exists() else []
    texts += [text for table in tables for text in table["files"].values()]
    if name in {"login-defs", "pam-unix", "postgresql", "htpasswd", "mkpasswd"}:
        texts += [LOGIN_DEFS, PAM, SYSTEM_AUTH, SCRIPT, POSTGRESQL]
    return tuple(text.encode() for text in texts)


def _params(scheme: Scheme) -> Params:
    lowest = {name: each.minimum for name, each in scheme.limits.items()}
    return {**lowest, "parallelism": 1, **(scheme.defaults[-1].params if scheme.defaults else {})}


def _app(name: str, content: bytes) -> None:
    app = load_app(name)
    assert isinstance(app, App)
    costs_in(app, _text(content), "file", None)


@cache
def _source_samples(language: str) -> tuple[bytes, ...]:
    """Those of the corpus, and an example of each rule."""
    suffixes = tuple(
        suffix for suffix, (known, _) in by_suffix().items() if known.language == language
    )
    return tuple(text.encode() for text in _snippets(suffixes)) + tuple(
        program(language, rule.example).encode()
        for other, rule in rules()
        if other.language == language
    )


def _snippets(suffixes: tuple[str, ...]) -> Iterator[str]:
    for path in sorted((_CORPUS / "snippets").glob("*.toml")):
        for table in tomllib.loads(path.read_text("utf-8"))["snippet"]:
            for name, text in table["files"].items():
                if name.endswith(suffixes):
                    yield text


def _source(language: str, content: bytes) -> None:
    found = read_one(content.decode(errors="replace"), language)
    if isinstance(found, Failed):
        raise UnreadableInputError(found.why)
