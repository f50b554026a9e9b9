"""A cost goes into every file that can be read, and nothing else changes there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final

import pytest

from applied import FILES, HEAD, Files, higher, raised
from apps.realistic import REALISTIC
from configurations import Configuration
from hashcost.apps.interface import App, Scheme
from hashcost.apps.registry import app_names, load_app, load_tunable
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Params
from hashcost.verdicts.app_costs import costs_in_files
from hashcost.verdicts.applying import Change, change_for, hasher_of
from hashcost.verdicts.edit_trial import Target

_LEAST_APPLIED: Final = 120
"""Files of the corpus that get their cost; the others have none of their own, as is said."""

APPS: Final = tuple(
    app for name in app_names() for app in (load_app(name),) if isinstance(app, App)
)
SCHEMES: Final = tuple((app, scheme) for app in APPS for scheme in app.schemes)
IDS: Final = [f"{app.name}-{scheme.hasher}" for app, scheme in SCHEMES]

_NOT_TOLD: Final = {
    "login-defs-bcrypt": "shadow may be built without bcrypt",
    "openldap-pbkdf2-sha256": "most releases ignore the count",
    "openldap-pbkdf2-sha512": "most releases ignore the count",
}
"""Snippets that a check does not trust either."""


def _target(
    app: App,
    scheme: Scheme,
    params: Params,
    text: str,
    *,
    path: str = "file",
    day: int = 22,
    lower: bool = False,
) -> Target:
    head = app.comment.format(HEAD.replace("22", str(day)))
    return Target(
        app=app, scheme=scheme, params=params, path=path, text=text, head=(head,), lower=lower
    )


def _usual(scheme: Scheme) -> Params:
    lowest = {param: limits.nearest(2) for param, limits in scheme.limits.items()}
    return {**lowest, **(scheme.defaults[-1].params if scheme.defaults else {})}


def _changed_lines(change: Change) -> Iterator[tuple[str, str]]:
    """Each line that was replaced, with the one in its place."""
    before, after = change.before.splitlines(), change.after.splitlines()
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, False).get_opcodes():  # noqa: FBT003
        assert tag != "delete"
        if tag == "replace":
            yield from zip(before[a:b], after[c:d], strict=False)


def _without_numbers(line: str) -> str:
    return re.sub(r"[0-9][0-9_]*", "N", line)


@pytest.mark.parametrize(("app", "scheme"), SCHEMES, ids=IDS)
def test_what_was_emitted_can_be_raised(app: App, scheme: Scheme) -> None:
    """Of every application's own snippet only the numbers change, to those of the new cost."""
    usual = _usual(scheme)
    wanted = higher(scheme, usual)
    if f"{app.name}-{scheme.hasher}" in _NOT_TOLD:
        with pytest.raises(UnreadableInputError):
            change_for(_target(app, scheme, wanted, scheme.write(usual)))
        return
    change = change_for(_target(app, scheme, wanted, scheme.write(usual)))
    assert scheme.write(wanted) == change.after
    again = change_for(_target(app, scheme, wanted, change.after, day=23))
    assert not again.is_needed


@pytest.mark.parametrize(("app", "scheme"), SCHEMES, ids=IDS)
def test_a_cost_is_lowered_only_if_that_is_asked_for(app: App, scheme: Scheme) -> None:
    """A slower machine's profile weakens nothing unasked."""
    usual = _usual(scheme)
    raised_cost = higher(scheme, usual)
    if raised_cost == usual or f"{app.name}-{scheme.hasher}" in _NOT_TOLD:
        return
    text = scheme.write(raised_cost)
    with pytest.raises(UsageError, match="is weaker; `--lower` lowers it all the same"):
        change_for(_target(app, scheme, usual, text))
    lowered = change_for(_target(app, scheme, usual, text, lower=True))
    assert usual == app.read(lowered.after)[-1].params
    assert _without_numbers(text) == _without_numbers(lowered.after)


def _outcome(configuration: Configuration, path: str) -> str:
    found = raised(configuration, path)
    if found is None:
        return "untold"
    target, costs = found
    try:
        change = change_for(target)
    except UnreadableInputError as error:
        return "refused" if str(error).startswith(path) else f"refused without a file: {error}"
    replaced = list(_changed_lines(change))
    assert len(replaced) <= costs * len(target.params) + 1
    for before, after in replaced:
        kept = _without_numbers(after)
        words = _without_numbers(before)
        subclass = "Calibrated" in kept  # In the place of a stock class of Django.
        assert words == kept or subclass or _is_extended(words, kept), (before, after)
    assert isinstance(target.reader, Files)
    reader = Files({**target.reader.texts, path: change.after})
    held = costs_in_files(target.app, [(path, change.after)], target.version, reader)
    ours = [each.params for each in held if each.hasher == target.scheme.hasher]
    assert ours
    assert all(params == target.params for params in ours)
    again = change_for(
        Target(
            app=target.app,
            scheme=target.scheme,
            params=target.params,
            path=path,
            text=change.after,
            head=(target.app.comment.format(HEAD.replace("22", "23")),),
            version=target.version,
            reader=reader,
        )
    )
    assert not again.is_needed
    return "applied" if change.is_needed else "the highest already"


def _is_extended(before: str, after: str) -> bool:
    """Whether all words of a line are there still, in their order: some were added."""
    rest = iter(re.findall(r"\w+", after))
    # A name such as `pbkdf2_hi` stands for a count, and becomes one.
    words = [re.split(r"N|_hi|BCRYPT", each)[0] for each in re.findall(r"\w+", before)]
    return all(any(word in each for each in rest) for word in words)


def test_most_files_of_the_corpus_get_their_cost() -> None:
    """Whoever wrote them: all lines but those of the cost stay as they are, to the byte.

    A second run changes nothing, and what is refused is refused with the file's name.
    """
    outcomes = [_outcome(configuration, path) for configuration, path in FILES]
    assert outcomes.count("applied") >= _LEAST_APPLIED
    assert set(outcomes) == {"applied", "the highest already", "refused", "untold"}


@pytest.mark.parametrize("name", sorted(REALISTIC))
def test_files_of_a_system_keep_all_else(name: str) -> None:
    """What is added to a long file is the setting with its comment, or words of its line."""
    app, text = load_tunable(name), REALISTIC[name]
    hasher = hasher_of(app, "file", text, None, Files({}))
    scheme = app.scheme(hasher)
    assert scheme is not None
    wanted = higher(scheme, _usual(scheme))
    try:
        change = change_for(_target(app, scheme, wanted, text))
    except UnreadableInputError:
        assert name in {"mkpasswd", "htpasswd", "openldap", "dovecot", "grub", "luks"}
        return
    before = change.before.splitlines()
    kept = [line for line in change.after.splitlines() if line in before]
    assert len(before) - len(kept) <= 1
    assert not change_for(_target(app, scheme, wanted, change.after)).is_needed


def test_a_number_in_a_name_is_no_cost() -> None:
    """Without the option's name a default counts, which may be the very cost that is wanted."""
    app = load_tunable("caddy")
    scheme = app.scheme("argon2id")
    assert scheme is not None
    text = "caddy hash-password -a argon2id --argon2id-time 2 --argon2id-memory 8192\n"
    wanted = {"time_cost": 1, "memory_kib": 8192, "parallelism": 1}
    change = change_for(_target(app, scheme, wanted, text, lower=True))
    assert change.after == text.replace("time 2", "time 1")


def test_a_stock_class_gets_a_subclass() -> None:
    """The rest of the list, which may have hashers of one's own, stays."""
    app = load_tunable("django")
    scheme = app.scheme("argon2id")
    assert scheme is not None
    text = (
        "PASSWORD_HASHERS = [\n"
        '    "django.contrib.auth.hashers.Argon2PasswordHasher",\n'
        '    "ours.Legacy",\n'
        "]\n"
    )
    change = change_for(_target(app, scheme, higher(scheme, _usual(scheme)), text))
    assert change.after.endswith(
        "\n\n\nPASSWORD_HASHERS = [\n"
        '    f"{__name__}.CalibratedArgon2PasswordHasher",\n'
        '    "ours.Legacy",\n'
        "]\n"
    )
    assert "class CalibratedArgon2PasswordHasher(hashers.Argon2PasswordHasher):" in change.after
    other = text.replace("Argon2PasswordHasher", "Argon2PasswordHasher2")
    with pytest.raises(UnreadableInputError):
        change_for(_target(app, scheme, higher(scheme, _usual(scheme)), other))


def test_a_default_that_is_wanted_is_written_down() -> None:
    """Another release has another default; what has the same key elsewhere is left alone."""
    app = load_tunable("kratos")
    text = "dsn: memory\nother:\n  cost: 5\n"
    usual = app.schemes[0].defaults[-1].params
    change = change_for(_target(app, app.schemes[0], usual, text))
    assert change.after.startswith(text + "# hashcost ")
    assert change.after.endswith(app.schemes[0].write(usual))


def test_a_file_of_numbers_is_given_up() -> None:
    """No file is read without end to find the number that is the cost."""
    app = load_tunable("argon2-cffi")
    scheme = app.schemes[0]
    constants = "".join(f"N{number} = 3\n" for number in range(150))
    code = "from argon2 import PasswordHasher\nh = PasswordHasher(time_cost=1 + 2)\n"
    wanted = {**_usual(scheme), "time_cost": 4}
    with pytest.raises(UnreadableInputError):
        change_for(_target(app, scheme, wanted, constants + code))


# What is refused, and what it says.

_DJANGO: Final = """\
INSTALLED_APPS = []
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
"""
_LARAVEL: Final = """\
<?php return ['driver' => 'bcrypt',
'bcrypt' => ['rounds' => env('BCRYPT_ROUNDS', 10)]];
"""
_GO: Final = """\
import "golang.org/x/crypto/bcrypt"
func f() {
bcrypt.GenerateFromPassword(p, bcrypt.DefaultCost)
}
"""
_CADDY: Final = """\
basic_auth {
  a $2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy
}
"""
_COMPUTED: Final = """\
from argon2 import PasswordHasher
import x
h = PasswordHasher(time_cost=x.f())
"""
_ENVIRONMENT: Final = (
    "file:2: 10 counts only where the environment lacks BCRYPT_ROUNDS; set BCRYPT_ROUNDS"
)
_OTHER: Final = "file:2: it hashes with argon2id, not pbkdf2-sha256; add `--hasher argon2id`"


@pytest.mark.parametrize(
    ("name", "hasher", "text", "told"),
    [
        ("laravel", "bcrypt", _LARAVEL, _ENVIRONMENT),
        ("argon2-cffi", "argon2id", _COMPUTED, "file:3: "),
        ("django", "pbkdf2-sha256", _DJANGO, _OTHER),
        ("vaultwarden", "pbkdf2-sha256", "hello\n", "file: it contains no known setting of Vault"),
        ("vaultwarden", "pbkdf2-sha256", '{"domain": "https://x"}\n', "file: "),
        ("go-bcrypt", "bcrypt", _GO, "file: line 3 has no number that is the cost"),
        ("caddy", "bcrypt", _CADDY, "file: line 2 has no number that is the cost"),
    ],
)
def test_a_refusal_names_the_line_and_what_to_edit(
    name: str, hasher: str, text: str, told: str
) -> None:
    """What the environment, other code or a stored hash decides is not edited."""
    app = load_tunable(name)
    scheme = app.scheme(hasher)
    assert scheme is not None
    wanted = higher(scheme, higher(scheme, _usual(scheme)))
    with pytest.raises((UsageError, UnreadableInputError)) as refused:
        change_for(_target(app, scheme, wanted, text))
    assert str(refused.value).startswith(told)


def test_the_place_of_a_cost_in_another_file_is_named() -> None:
    """The file that is named is not the one to edit."""
    app = load_tunable("laravel")
    files = Files(
        {
            ".env": "APP_ENV=production\n",
            "config/hashing.php": "<?php return ['driver' => 'bcrypt',\n"
            "'bcrypt' => ['rounds' => 9]];\n",
        }
    )
    target = Target(
        app=app,
        scheme=app.schemes[0],
        params={"cost": 12},
        path=".env",
        text=files.texts[".env"],
        reader=files,
    )
    with pytest.raises(UnreadableInputError, match=r"the cost stands in config/hashing\.php:2"):
        change_for(target)


def test_a_comment_of_an_earlier_run_tells_of_the_new_cost() -> None:
    """It is renewed with the cost, and never without it; comments of others stay."""
    app = load_tunable("vaultwarden")
    text = (
        "# hashcost 0.1.0, 2026-11-20: iterations 700000\n"
        "# takes 100 ms, by hashlib\n"
        "# on 2 x AMD EPYC\n"
        "# asked for by Ann\n"
        "PASSWORD_ITERATIONS=700000\n"
    )
    head = ("# hashcost 0.2.0, 2026-11-22: iterations 800000", "# takes 99 ms of 100 ms, by x")

    def changed(iterations: int) -> str:
        target = Target(
            app=app,
            scheme=app.schemes[0],
            params={"iterations": iterations},
            path=".env",
            text=text,
            head=head,
        )
        return change_for(target).after

    assert changed(700000) == text
    rest = "# asked for by Ann\nPASSWORD_ITERATIONS=800000\n"
    assert changed(800000) == "\n".join((*head, rest))
