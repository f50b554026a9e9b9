"""The cost that an application takes from its file."""

from pathlib import Path
from typing import NoReturn

import msgspec
import pytest
from msgspec.structs import replace

from apps.services import SCHEMES, label, made_up_profile, measured
from checks import FORTY, MADE_UP, with_rows
from corpora import table
from hashcost.apps.interface import App
from hashcost.apps.references import Factor, Reference
from hashcost.apps.registry import load_tunable as tunable
from hashcost.apps.schemes import Scheme
from hashcost.checks.app_costs import ForeignFileError, costs_in, costs_in_files
from hashcost.checks.app_files import costs_of, read_files, release_of
from hashcost.checks.app_releases import AppRelease
from hashcost.checks.app_unknowns import unread_file
from hashcost.checks.check import check_one
from hashcost.checks.judgement import FAILING, Configured, CostKind, Judgement, Outcome
from hashcost.checks.judging import completed
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import Unread, UnreadableInputError, UnreadError
from hashcost.core.text import IF_AT_EACH_REQUEST
from hashcost.core.units import format_setting
from hashcost.recommend.emission import emission_for
from hashcost.recommend.library_times import multiple_of
from hashcost.storage.gate import Gate
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import load_policy


def cost_in(name: str, text: str) -> Configured:
    """The one cost that an application takes from this text."""
    (cost,) = costs_in(tunable(name), text, "the file", None)
    assert isinstance(cost, Configured)
    return cost


@table("name, text, blocks")
def test_the_length_of_the_key_counts(name: str, text: str, blocks: int) -> None:
    """Each block of PBKDF2's output takes the time of the first."""
    cost = cost_in(name, text)
    assert cost.scheme is not None
    one = 1.0 if cost.scheme.reference is None else cost.scheme.reference.factor
    assert pytest.approx(blocks * one) == multiple_of(cost.scheme, cost.blocks)


@table("name, text, version, told")
def test_the_release_decides_the_default(name: str, text: str, version: str, told: str) -> None:
    """A default counts from its release on; before the first that is known, it is unknown.

    Without a release, those count that are supported.
    """
    release = AppRelease(version) if version else None
    (cost,) = costs_in(tunable(name), text, "the file", release)
    known = isinstance(cost, Configured)
    assert told == (f"{cost.hasher} {format_setting(cost.params)}" if known else "unknown")


def test_the_first_of_several_hashers_is_not_called_another() -> None:
    """Where a file sets none of the hashers that each password gets, only the rest are "also"."""
    both = costs_in(tunable("mongodb"), "net:\n  port: 27017\n", "the file", None)
    said = [isinstance(cost, Configured) and "also" in cost.note for cost in both]
    assert said == [False, True]


@pytest.mark.parametrize(
    ("app", "scheme"), [(app, scheme) for app, scheme in SCHEMES if scheme.since], ids=label
)
def test_what_only_newer_releases_read_is_cured_by_one_of_them(app: App, scheme: Scheme) -> None:
    """What `calibrate emit` writes for the newest release is of no use in one before it."""
    target = 1.0
    standard = replace(FORTY, target_seconds=target, policies=(load_policy("owasp"),))
    params = {name: limits.minimum for name, limits in scheme.limits.items()}
    profile = None
    if scheme.reference is not None:
        profile = made_up_profile(app.name)
        _, measurement = measured(scheme, target=target)
        floors = floors_of(standard.policies, scheme.hasher)
        # The cost to set instead is the one that is set.
        params = emission_for(app, scheme, measurement, target, floors).params
    assert scheme.since is not None
    told = costs_in(
        app, scheme.write(params), "the file", AppRelease(_before(scheme.since.release))
    )
    for row in told:
        if isinstance(row, Judgement):
            assert row.outcome in {Outcome.UNKNOWN, Outcome.UNSUITABLE}
        elif row.hasher == scheme.hasher:
            judged = check_one(row, profile, standard)
            assert judged.outcome in {*FAILING, Outcome.UNKNOWN}
            assert "upgrade to" in judged.advice
            assert "target" not in judged.advice


def _before(release: str) -> str:
    """Write a release that comes before another."""
    *line, last = map(int, release.removesuffix(".0").split("."))
    return ".".join(map(str, [*line, last - 1, 99]))


@pytest.mark.parametrize("path", ["keycloak/values.yaml", "values-prod.yml", "kc.values.yaml"])
def test_values_of_helm_are_to_be_rendered(path: str) -> None:
    """The chart writes the file that the application reads."""
    (row,) = costs_in(tunable("keycloak"), "auth:\n  adminUser: ines\n", path, None)
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNKNOWN
    assert row.advice.startswith("render its chart with `helm template`, and name the file")


@table("name, text, advice")
def test_what_to_do_fits_the_place(name: str, text: str, advice: str) -> None:
    """Where no other file sets a cost, the advice does not ask for one."""
    (cost,) = costs_in(tunable(name), text, "the file", None)
    assert isinstance(cost, Judgement)
    assert cost.outcome is Outcome.UNKNOWN
    assert advice in f"{cost.message}; {cost.advice}"


def test_what_is_said_of_a_file_has_no_line() -> None:
    """The line that shows whose file it is sets nothing itself."""
    text = "cluster_name: a\nauthenticator: PasswordAuthenticator\n"
    (cost,) = costs_in(tunable("cassandra"), text, "cassandra.yaml", None)
    assert cost.place == Place(path="cassandra.yaml")


@table("factors, outcome")
def test_a_cost_is_fine_only_if_it_is_with_the_quickest_library(
    factors: list[float], outcome: str
) -> None:
    """A cost that one build makes weak does not pass for what another takes."""
    cost = cost_in("gitea", "[security]\nPASSWORD_HASH_ALGO = pbkdf2$100000$32\n")
    assert cost.scheme is not None
    reference = Reference(
        implementation="hashlib",
        factors=tuple(Factor(build=str(each), factor=each, source="timed") for each in factors),
    ).on(None)
    cost = msgspec.structs.replace(
        cost, scheme=msgspec.structs.replace(cost.scheme, reference=reference)
    )
    alike = msgspec.structs.replace(cost, app=None, scheme=None)
    plain = check_one(alike, MADE_UP, FORTY)
    assert plain.time_seconds is not None
    standard = replace(FORTY, target_seconds=plain.time_seconds * 1.05)
    judged = check_one(cost, MADE_UP, standard)
    assert judged.outcome.value == outcome


@table("name, text")
def test_a_line_of_another_language_is_no_other_applications(name: str, text: str) -> None:
    """A file whose lines only look like another program's is not refused as that program's."""
    told = costs_in(tunable(name), text, "the file", None)
    assert [Outcome.UNKNOWN] == [cost.outcome for cost in told if isinstance(cost, Judgement)]


def test_what_nobody_timed_is_advised_only_if_the_application_takes_it() -> None:
    """Keystone fixes scrypt's n, so the minimum to set is the one with that n."""
    cost = cost_in(
        "keystone", "[identity]\npassword_hash_algorithm = scrypt\nscrypt_block_size = 4\n"
    )
    standard = replace(FORTY, policies=(load_policy("owasp"),))
    judged = check_one(cost, with_rows(MADE_UP), standard)
    assert judged.outcome is Outcome.BELOW_MIN
    # No line of the file sets p.
    command = "`calibrate emit keystone --hasher scrypt` writes the setting"
    assert judged.advice == f"set n=65536,r=8,p=2 ({command})"


@pytest.mark.parametrize(("count", "outcome"), [(9, "below-min"), (10**6, "unavailable")])
def test_a_library_that_nothing_comes_near_has_no_time(count: int, outcome: str) -> None:
    """Only a policy judges its cost; another library's time is not taken for its own."""
    cost = cost_in("gitea", f"[security]\nPASSWORD_HASH_ALGO = pbkdf2${count}$32\n")
    assert cost.scheme is not None
    scheme = msgspec.structs.replace(cost.scheme, reference=None, note="time a login")
    cost = msgspec.structs.replace(cost, scheme=scheme)
    judged = check_one(cost, MADE_UP, replace(FORTY, policies=(load_policy("owasp"),)))
    assert (judged.outcome.value, judged.time_seconds) == (outcome, None)
    assert (scheme.library in judged.message) == (outcome == "unavailable")


@pytest.mark.parametrize(
    ("name", "why"), [("kratos", "Ory Kratos accepts no lower cost"), ("spring", "the policy")]
)
def test_why_no_lower_cost_can_be_set_is_said(name: str, why: str) -> None:
    """Either the application refuses lower ones, or the policy asks for this one."""
    app = tunable(name)
    scheme = app.scheme("bcrypt")
    assert scheme is not None
    standard = replace(FORTY, target_seconds=1e-6, policies=(load_policy("owasp"),))
    floors = floors_of(standard.policies, "bcrypt")
    _, measurement = measured(scheme, target=standard.target_seconds)
    params = emission_for(app, scheme, measurement, 1e-6, floors).params
    (cost,) = costs_in(app, scheme.write(params), "the file", None)
    assert isinstance(cost, Configured)
    judged = check_one(cost, made_up_profile(name), standard)
    assert judged.outcome is Outcome.OVER_BUDGET
    assert judged.advice.startswith(why)
    assert judged.advice.endswith("; raise the target")


@table("name, text, version, told")
def test_a_release_is_that_of_the_program_that_hashes(
    name: str, text: str, version: str, told: str
) -> None:
    """An application's own releases decide nothing where another program's do."""
    (cost,) = costs_in(tunable(name), text, "the file", AppRelease(version))
    assert told in ((cost.note + cost.refused) if isinstance(cost, Configured) else cost.message)


def test_another_method_by_a_flag_is_read() -> None:
    """The -5 of mkpasswd is MD5; of it and -m the last one counts."""
    calls = {"-5": "unsuitable", "-m sha-512 -5": "unsuitable", "-5 -m bcrypt -R 12": "bcrypt"}
    for options, told in calls.items():
        (cost,) = costs_in(tunable("mkpasswd"), f"mkpasswd {options} secret\n", "Makefile", None)
        assert told == (cost.hasher if isinstance(cost, Configured) else cost.outcome.value)


@pytest.mark.parametrize(("line", "hasher"), [("", "DES"), ("MD5_CRYPT_ENAB yes\n", "MD5")])
def test_what_hashes_where_login_defs_names_no_method_is_said(line: str, hasher: str) -> None:
    """Before 4.20 it is DES, or MD5; PAM may decide instead."""
    (row,) = costs_in(tunable("login-defs"), f"MAIL_DIR /var/mail\n{line}", "login.defs", None)
    assert isinstance(row, Judgement)
    assert (row.outcome, row.hasher) == (Outcome.UNSUITABLE, hasher)
    assert row.message.endswith("pam_unix decides: name its file too")


def test_what_the_application_makes_of_a_value_goes_before_another_librarys_range() -> None:
    """A cost that libcrypt refuses, which is timed in place of the library of etcd, is 10."""
    text = "bcrypt-cost: 40\ndata-dir: /var/lib/etcd\n"
    (cost,) = costs_in(tunable("etcd"), text, "etcd.conf.yml", None)
    assert isinstance(cost, Configured)
    refused = completed(cost, made_up_profile("etcd"), ()).refused
    assert refused == "cost=40 is out of range for etcd: 10 is used instead"


def test_a_hash_of_each_request_is_told() -> None:
    """What a server verifies for HTTP Basic is no login; a line of htpasswd may go elsewhere."""
    for name in ("htpasswd", "caddy", "prometheus"):
        cost = cost_in(name, tunable(name).schemes[0].write({"cost": 12}))
        assert IF_AT_EACH_REQUEST in cost.note


def test_a_container_of_gitea_is_read() -> None:
    """Its variable has the setting, as Compose or Helm writes it."""
    for line, told in (
        ("- GITEA__security__PASSWORD_HASH_ALGO=pbkdf2$$600000$$32", {"iterations": 600000}),
        ("GITEA__security__PASSWORD_HASH_ALGO: bcrypt", {"cost": 10}),
    ):
        text = f"services:\n  git:\n    image: gitea/gitea:1.22\n    environment:\n      {line}\n"
        assert cost_in("gitea", text).params == told


@pytest.mark.parametrize(
    "command", ["--default-authentication-plugin=mysql_native_password", '[mysqld, "{}"]']
)
def test_a_container_of_mysql_with_digests_is_told(command: str) -> None:
    """Compose files for old clients choose the plugin in the command."""
    command = command.format("--default-authentication-plugin=mysql_native_password")
    text = f"services:\n  db:\n    image: mysql:8.0\n    command: {command}\n"
    (row,) = costs_in(tunable("mysql"), text, "compose.yml", None)
    assert isinstance(row, Judgement)
    assert (row.outcome, row.hasher) == (Outcome.UNSUITABLE, "SHA-1")


def test_a_hash_in_a_file_is_cured_by_another_hash() -> None:
    """No setting changes the cost of a hash that GRUB's configuration has."""
    line = f"password_pbkdf2 root grub.pbkdf2.sha512.10000.{'AB' * 64}.{'CD' * 64}\n"
    (cost,) = costs_in(tunable("grub"), line, "40_custom", None)
    assert isinstance(cost, Configured)
    standard = replace(FORTY, policies=(load_policy("owasp"),))
    row = check_one(cost, made_up_profile("grub"), standard)
    assert row.advice.startswith("hash its password anew with iterations=")


def test_a_release_that_hashes_with_a_digest_is_told_to_upgrade() -> None:
    """No setting of Mosquitto before 2.0 chooses another algorithm."""
    command = "mosquitto_passwd -b passwd user secret\n"
    (row,) = costs_in(tunable("mosquitto"), command, "Dockerfile", AppRelease("1.6.15"))
    assert isinstance(row, Judgement)
    assert row.advice == "upgrade to 2.0, and set each password again"


@pytest.mark.parametrize(
    ("release", "advice"),
    [
        ("9.4", "upgrade to 14, and set each password again"),
        ("12.5", "set password_encryption to scram-sha-256, and set each password again"),
    ],
)
def test_a_release_that_can_hash_better_is_told_the_setting(release: str, advice: str) -> None:
    """PostgreSQL has SCRAM since 10, and takes it by default since 14."""
    (row,) = costs_in(tunable("postgresql"), "max_connections = 9\n", "a", AppRelease(release))
    assert isinstance(row, Judgement)
    assert row.advice == advice


def test_an_upgrade_leads_to_a_release_that_is_supported() -> None:
    """Matomo has had no MD5 since 3.0, but its makers support only newer releases."""
    matomo = tunable("matomo")
    assert ["5.0", "5.10"] == [matomo.supported_from(first) for first in ("3.0", "5.10")]


@pytest.mark.parametrize("app", ["synapse", "gitea"])
def test_settings_in_nix_are_not_read_as_those_of_another_format(app: str) -> None:
    """A value there has quotes and ends with a semicolon, and here it is another program's."""
    text = '{ ... }: { settings = {\n  password_encryption = "scram-sha-256";\n}; }\n'
    (row,) = costs_in(tunable(app), text, "hosts/postgres.nix", None)
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNKNOWN
    assert "does not read the settings" in row.message
    assert row.advice.startswith("name the file that Nix makes of it, or ")


def test_the_rounds_of_keystone_are_a_logarithm_only_for_scrypt() -> None:
    """Before 27 they are, and a count of PBKDF2 is one in each release."""
    text = "[identity]\npassword_hash_algorithm = {}\npassword_hash_rounds = {}\n"
    for algorithm, rounds, told in (
        ("pbkdf2_sha512", 220000, {"iterations": 220000}),
        ("scrypt", 15, {"n": 32768, "r": 8, "p": 1}),
    ):
        keystone = text.format(algorithm, rounds)
        (cost,) = costs_in(tunable("keystone"), keystone, "the file", AppRelease("26"))
        assert isinstance(cost, Configured)
        assert cost.params == told


def test_a_longer_key_takes_longer() -> None:
    """The same count with a key of two blocks takes twice as long, and lower counts fit."""
    short, long = (
        check_one(
            cost_in("gitea", f"[security]\nPASSWORD_HASH_ALGO = pbkdf2$100000${key}\n"),
            MADE_UP,
            FORTY,
        )
        for key in (32, 50)
    )
    assert short.time_seconds is not None
    assert pytest.approx(2 * short.time_seconds) == long.time_seconds
    assert short.recommended is not None
    assert long.recommended is not None
    assert pytest.approx(short.recommended["iterations"], rel=0.01) == (
        2 * long.recommended["iterations"]
    )


@pytest.mark.parametrize(
    ("policies", "outcome"), [(("owasp",), Outcome.BELOW_MIN), ((), Outcome.UNKNOWN)]
)
def test_what_the_application_refuses_fails(policies: tuple[str, ...], outcome: Outcome) -> None:
    """A cost that the application refuses is below the minimum, or else unknown, and the one that
    `emit` writes is advised.
    """
    cost = cost_in(
        "kafka", "kafka-configs --add-config 'SCRAM-SHA-256=[iterations=100,password=x]'\n"
    )
    standard = replace(FORTY, policies=tuple(map(load_policy, policies)))
    judged = check_one(cost, MADE_UP, standard)

    assert (outcome, True) == (judged.outcome, judged.out_of_range)
    assert "iterations=100 is out of range for Apache Kafka: refused by" in judged.message
    assert {"iterations": 16384} == judged.instead


def test_what_is_not_among_the_values_allowed_is_not_said_to_be_out_of_range() -> None:
    """An application may know only some values between the lowest and the highest."""
    said = []
    for asked in (600000, 2000000):
        key = "xpack.security.authc.password_hashing.algorithm"
        cost = cost_in("elasticsearch", f"{key}: pbkdf2_{asked}\n")
        said.append(check_one(cost, MADE_UP, FORTY).message)
    among, above = said
    assert "iterations=600000 is not among 1000, 10000, 50000" in among
    assert "iterations=2000000 is out of range for Elasticsearch" in above


def test_a_cost_at_the_limit_of_its_application_passes() -> None:
    """The most that PostgreSQL's clients accept is below a policy's minimum, and passes with a
    warning; a lower one is below the minimum, and the limit is its cure, timed or not.
    """
    standard = replace(FORTY, policies=(load_policy("owasp"),))
    untimed = with_rows(MADE_UP)
    for count, outcome in ((100_000, Outcome.AT_LIMIT), (99_999, Outcome.BELOW_MIN)):
        cost = cost_in("postgresql", f"scram_iterations = {count}\n")
        for profile in (MADE_UP, untimed):
            judged = check_one(cost, profile, standard)

            assert outcome is judged.outcome
            assert judged.instead == (None if count == 100_000 else {"iterations": 100_000})
            if outcome is Outcome.BELOW_MIN:
                assert "it is the most to set for PostgreSQL (above" in judged.advice
                assert judged.advice.endswith("and still below")
    most = check_one(cost_in("postgresql", "scram_iterations = 100000\n"), MADE_UP, standard)
    assert "is the most to set for PostgreSQL (above that, some clients refuse it)" in most.message
    above = check_one(cost_in("postgresql", "scram_iterations = 200000\n"), MADE_UP, standard)
    assert above.outcome is Outcome.AT_LIMIT
    assert "iterations=200000 is above the most to set for PostgreSQL, 100000" in above.message


def test_a_damaged_file_beside_others_is_a_row() -> None:
    """It is `unread`, and the others are judged; where all are damaged, nothing is."""
    good, damaged = ("a.yml", "hashers:\n  bcrypt:\n    cost: 12\n"), ("b.yml", "hashers: [\n")
    cost, row = costs_in_files(tunable("kratos"), (good, damaged), None)

    assert isinstance(cost, Configured)
    assert {"cost": 12} == cost.params
    assert isinstance(row, Judgement)
    assert (Outcome.UNREAD, "b.yml") == (row.outcome, str(row.place))
    assert row.message.startswith("not read: line 2: not YAML")
    for files in ((damaged,), (damaged, damaged)):
        with pytest.raises(UnreadableInputError, match=r"^b\.yml: line 2: not YAML"):
            costs_in_files(tunable("kratos"), files, None)


def test_the_row_of_an_unread_file_names_it_once(tmp_path: Path) -> None:
    """Its place has the path, and the message only says why, whatever the file is called."""
    good, odd = tmp_path / "a.yml", tmp_path / "b\\c.yml"
    good.write_text("hashers:\n  bcrypt:\n    cost: 12\n", "utf-8")
    odd.write_bytes(b"cost: \xff\n")
    (row,) = read_files(tunable("kratos"), (good, odd)).unread

    assert row.message == "not read: it is not UTF-8; convert it first"


@pytest.mark.parametrize(
    ("app", "text", "says"),
    [
        ("dovecot", "driver = mysql\ndefault_pass_scheme = md5\n", "no setting holds a cost"),
        ("authelia", "authentication_backend:\n  ldap:\n    address: x\n", "hashes no password"),
    ],
)
def test_a_setting_that_holds_no_cost_is_named(app: str, text: str, says: str) -> None:
    """A file of the application in which no cost can be is not called one without its settings."""
    (row,) = costs_in_files(tunable(app), (("a.conf", text),), None)

    assert isinstance(row, Judgement)
    assert row.outcome in {Outcome.UNKNOWN, Outcome.UNSUITABLE}
    assert says in row.message


def test_a_file_that_is_named_and_stands_beside_another_is_read_once(tmp_path: Path) -> None:
    """An application reads some files by itself; naming one of them gives no second cost."""
    files = (tmp_path / "login.defs", tmp_path / "pam.d" / "common-password")
    files[1].parent.mkdir()
    files[0].write_text("ENCRYPT_METHOD SHA512\n", "utf-8")
    files[1].write_text("password required pam_unix.so sha512 rounds=5000\n", "utf-8")
    for named in (files, files[:1]):
        read = read_files(tunable("login-defs"), named)
        assert ("pam-unix", files) == (read.app.name, read.paths)


def test_a_name_that_many_applications_have_is_no_sign_of_one() -> None:
    """Gitea's file sets APP_NAME as Laravel's does, and is no file of Laravel for that."""
    with pytest.raises(ForeignFileError, match="--app gitea"):
        costs_in_files(
            tunable("laravel"), (("app.ini", "APP_NAME = x\n[server]\n[security]\n"),), None
        )


def test_a_script_that_writes_a_configuration_leads_to_it() -> None:
    """What stands around the settings in a script is no YAML, and the file that it writes is."""
    script = (
        "#!/bin/sh\nif true; then\n echo 'usage: x'\nfi\ncat > e.yml <<E\ncluster.name: x\nE\n"
    )
    (row,) = costs_in_files(tunable("elasticsearch"), (("install.sh", script),), None)

    assert isinstance(row, Judgement)
    assert Outcome.UNKNOWN is row.outcome
    assert "name the file that it writes" in row.advice


def test_one_line_does_not_show_whose_file_it_is() -> None:
    """A script that sets a domain is no file of each program with a setting of that name."""
    (row,) = costs_in_files(tunable("openldap"), (("run.sh", "DOMAIN=example.org\n"),), None)

    assert isinstance(row, Judgement)
    assert Outcome.UNKNOWN is row.outcome
    assert "seems to be" not in row.message


def test_the_row_of_a_foreign_file_names_it_once() -> None:
    """Another application's file beside others is a row whose message is without the path."""
    good = ("a.yml", "hashers:\n  bcrypt:\n    cost: 12\n")
    foreign = ("login.defs", "ENCRYPT_METHOD SHA512\nSHA_CRYPT_MIN_ROUNDS 5000\n")
    _, row = costs_in_files(tunable("kratos"), (good, foreign), None)

    assert isinstance(row, Judgement)
    assert (Outcome.UNKNOWN, "login.defs") == (row.outcome, str(row.place))
    assert row.message.startswith(
        "it sets no cost of Ory Kratos that is known here; it seems to be"
    )


LIST = "INSTALLED_APPS = []\nMIDDLEWARE = []\nPASSWORD_HASHERS = ['mysite.hashers.Stronger']\n"
CLASS = """\
from django.contrib.auth.hashers import PBKDF2PasswordHasher
class Stronger(PBKDF2PasswordHasher):
    iterations = 1_500_000
"""


@pytest.mark.parametrize("names", [("a.py", "b.py"), ("b.py", "a.py")])
def test_a_class_beside_the_settings_is_judged_with_them(names: tuple[str, str]) -> None:
    """Django imports it from the module that PASSWORD_HASHERS names."""
    files = list(zip(names, (LIST, CLASS), strict=True))
    (cost,) = costs_in_files(tunable("django"), files, None)
    assert isinstance(cost, Configured)
    assert ({"iterations": 1_500_000}, names[1]) == (cost.params, cost.place and cost.place.path)


@pytest.mark.parametrize("other", [LIST.replace("mysite.hashers.Stronger", "x.MD5"), ""])
def test_two_settings_are_judged_apart(other: str) -> None:
    """A strong one hides no other, and a class that none names is not what hashes."""
    settings = LIST if other else LIST.partition("PASS")[0]
    files = [("a.py", other or settings), ("b.py", settings), ("c.py", CLASS)]
    told = costs_in_files(tunable("django"), files, None)
    assert {"a.py", "b.py", "c.py"} == {each.place.path for each in told if each.place}


@table("name, text, version, note")
def test_a_default_says_whose_it_is(name: str, text: str, version: str, note: str) -> None:
    """It names the program, since when, and how the version is known, or how to give it."""
    release = AppRelease(version) if version else None
    (cost,) = costs_in(tunable(name), text, "the file", release)
    assert isinstance(cost, Configured)
    assert note == cost.note.partition("; unless ")[0]


def test_a_setting_that_overrides_the_file_is_named_unless_the_file_shows_it() -> None:
    """A fine cost in a file is no fine cost if the environment sets another."""
    ini = "[security]\nPASSWORD_HASH_ALGO = bcrypt$12\n"
    variable = "GITEA__security__PASSWORD_HASH_ALGO"
    compose = (
        "services:\n  a:\n    image: gitea/gitea:1.22\n    environment:\n"
        f"      {variable}: bcrypt$$12\n"
    )
    for text, is_said in ((ini, True), (compose, False)):
        (cost,) = costs_in(tunable("gitea"), text, "the file", None)
        assert isinstance(cost, Configured)
        assert is_said == (f"unless {variable} in the environment overrides it" in cost.note)


@table("name, text, told")
def test_a_release_that_only_a_file_shows_is_said_of_the_file(
    name: str, text: str, told: str
) -> None:
    """A newer release may read a file that an old one wrote."""
    (cost,) = costs_in(tunable(name), text, "the file", None)
    if isinstance(cost, Configured):
        assert told in cost.note
    else:
        assert told in f"{cost.message}; {cost.advice}"


@pytest.mark.parametrize(
    ("error", "verb"),
    [
        (UnreadError(Unread.TOO_LARGE, "it is too large"), "shorten"),
        (UnreadableInputError("not YAML"), "mend"),
    ],
)
def test_a_file_is_shortened_if_a_limit_kept_it_from_being_read(
    error: UnreadableInputError, verb: str
) -> None:
    """What is damaged is mended instead."""
    row = unread_file("the file", error)
    assert Outcome.UNREAD is row.outcome
    assert row.advice == f"{verb} the file, or look for the cost yourself and accept it"


def test_what_a_limit_ended_is_no_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was not read whole says nothing of its cost, and is no pass."""

    def ended(app: App, text: str) -> NoReturn:
        raise UnreadError(Unread.TOO_LARGE, "it is too large")

    monkeypatch.setattr(App, "read", ended)
    (row,) = costs_in(
        tunable("synapse"), "server_name: x\nreport_stats: false\n", "the file", None
    )
    assert isinstance(row, Judgement)
    assert (Outcome.UNREAD, "not read: it is too large") == (row.outcome, row.message)


def test_containers_are_told_though_the_file_is_not_of_their_application() -> None:
    """What is no YAML of the application's, but starts it, is no damaged file."""
    text = "services:\n  a: {image: kratos, command: {{ command }}}\n"
    (row,) = costs_in(tunable("kratos"), text, "the file", None)
    assert isinstance(row, Judgement)
    assert row.message == (
        "it starts containers, and none is known to run Ory Kratos;"
        " check the configuration and the variables of the one that does"
    )


@table("app, text, message, advice")
def test_what_is_unknown_is_named_with_its_cure(
    app: str, text: str, message: str, advice: str
) -> None:
    """The reason names the file, the scheme or the class, and the advice what to do about it."""
    (row, *_) = costs_in(tunable(app), text, "the file", None)
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNKNOWN
    assert message in row.message
    assert advice in row.advice


@table("scheme, is_unfit")
def test_a_scheme_that_is_no_password_hash_is_called_that(scheme: str, is_unfit: bool) -> None:
    """How Dovecot reads a hash without its scheme is told of each scheme, in any case."""
    for text in (f"default_pass_scheme = {scheme}\n", f"  args = scheme={scheme} /users\n"):
        (row,) = costs_in(tunable("dovecot"), text, "the file", None)
        assert isinstance(row, Judgement)
        assert is_unfit == (row.outcome is Outcome.UNSUITABLE)


def test_every_unfit_scheme_of_dovecot_is_called_that() -> None:
    """A word that ``doveadm`` hashes unfit with is as unfit in a setting."""
    dovecot = tunable("dovecot")
    for scheme in dovecot.reading["unfit"]:
        (row,) = costs_in(dovecot, f"default_pass_scheme = {scheme.upper()}\n", "the file", None)
        assert isinstance(row, Judgement)
        assert row.outcome is Outcome.UNSUITABLE


@table("tag, release, told")
def test_a_tag_that_moves_tells_no_release(
    tag: str, release: str, told: str, tmp_path: Path
) -> None:
    """The newest of all releases that begin so may be any; one in which nothing changed is it."""
    compose = tmp_path / "docker-compose.yml"
    compose.write_text(f"services:\n  git:\n    image: gitea/gitea:{tag}\n")
    gate = Gate()
    gitea = tunable("gitea")
    found = release_of(gitea, compose, gate)
    assert release == (found.version if found else "")
    (row,) = costs_of(read_files(gitea, [compose]), None, gate)
    known = isinstance(row, Configured)
    assert told == (format_setting(row.params) if known else "unknown")


@table("text, idle")
def test_what_is_set_in_vain_is_said(text: str, idle: bool) -> None:
    """Beside a default stands what else the file sets, and what would make it count."""
    cost = cost_in("kratos", text)
    assert (cost.hasher, cost.params) == ("bcrypt", {"cost": 12})
    said = "what is set for argon2id counts only if hashers.algorithm is argon2"
    assert idle == (said in cost.note)


@table("text, version, told")
def test_a_release_that_the_file_states_counts(text: str, version: str, told: str) -> None:
    """Where nothing else tells the release, an export does, and of several the oldest."""
    release = AppRelease(version) if version else None
    (cost,) = costs_in(tunable("keycloak"), text, "realm.json", release)
    assert isinstance(cost, Configured)
    assert told == f"{cost.hasher} {format_setting(cost.params)}"


def test_the_cure_of_a_stored_hash_is_to_hash_the_password_anew() -> None:
    """Nothing can be set where a hash is, whatever the release can set."""
    bcrypt = "$2a$05$" + "d" * 53
    for release in (None, AppRelease("2.0")):
        (cost,) = costs_in(tunable("caddy"), f"\tal {bcrypt}\n", "Caddyfile", release)
        assert isinstance(cost, Configured)
        row = check_one(cost, None, replace(FORTY, policies=(load_policy("owasp"),))).at(cost)
        assert row.kind is CostKind.STORED
        assert row.outcome is Outcome.BELOW_MIN
        assert row.advice.startswith("hash its password anew with ")


@pytest.mark.parametrize(
    "text",
    [
        "o.CompatibilityMode = PasswordHasherCompatibilityMode.IdentityV2;\n",
        '{"PasswordHasher": {"CompatibilityMode": "IdentityV2"}}\n',
    ],
)
def test_the_cure_of_a_cost_that_another_setting_fixes_is_to_remove_that(text: str) -> None:
    """No count can be set in the mode of old hashes."""
    standard = replace(FORTY, policies=(load_policy("owasp"),))
    row = check_one(cost_in("aspnet-identity", text), None, standard)
    assert row.outcome is Outcome.BELOW_MIN
    assert row.advice.startswith("remove IdentityV2")
    assert row.instead is None


def test_hashes_of_an_application_without_logins_follow_otherwise() -> None:
    """Ansible hashes whenever it runs, and nobody logs in to it."""
    text = "- x: \"{{ p | password_hash('md5') }}\"\n"
    (row,) = costs_in(tunable("ansible"), text, "site.yml", None)
    assert isinstance(row, Judgement)
    assert "with every run that sets the password" in row.advice
    assert "logs in" not in row.advice


def test_a_cost_that_older_code_computes_is_not_timed_by_the_newer() -> None:
    """Before 3.4 CouchDB hashes in Erlang, which takes longer than OpenSSL."""
    text = "[chttpd_auth]\niterations = 2000000\n"
    (cost,) = costs_in(tunable("couchdb"), text, "local.ini", AppRelease("3.3"))
    assert isinstance(cost, Configured)
    row = check_one(cost, MADE_UP, FORTY)
    assert row.outcome is Outcome.UNAVAILABLE
    assert row.time_seconds is None


@table("app, path, text, often")
def test_a_file_that_only_tests_read_shows_no_cost_of_production(
    app: str, path: str, text: str, often: str
) -> None:
    """Tests lower the cost on purpose, and nobody logs in there."""
    (row,) = costs_in_files(tunable(app), ((path, text),), None)
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNKNOWN
    assert row.message == "by its path, only tests read it"
    assert f"(often {often})" in row.advice
    (cost,) = costs_in_files(tunable(app), (("live", text),), None)
    assert isinstance(cost, Configured), "the text would set a cost anywhere else"


def test_a_file_that_only_tests_read_changes_no_cost_of_production() -> None:
    """Beside the files of production it is left out, also where files count as one."""
    live = ("config/config.exs", "config :bcrypt_elixir, log_rounds: 12\n")
    for_tests = ("config/test.exs", "config :bcrypt_elixir, log_rounds: 1\n")
    (cost,) = costs_in_files(tunable("elixir"), (live, for_tests), None)
    assert isinstance(cost, Configured)
    assert cost.params == {"cost": 12}


@table("app")
def test_no_snippet_warns_of_releases_that_ended_long_ago(app: str) -> None:
    """Only a release that is named, or still supported, may lack a setting."""
    scheme = tunable(app).schemes[0]
    assert "lacks" not in tunable(app).caution_of(scheme)
    assert scheme.since is not None
    old = tunable(app).at("0.1")
    assert f"before {scheme.since.release} lacks this setting" in old.caution_of(scheme)


def test_the_way_on_from_code_without_a_setting_is_the_project() -> None:
    """Any class may make the encoder, so that no file has a usual name."""
    (row,) = costs_in(tunable("spring"), "class WebSecurityConfig {}\n", "Config.java", None)
    assert isinstance(row, Judgement)
    assert row.advice.startswith("run `calibrate scan` on the whole project")


@table("text, why")
def test_a_configuration_in_php_is_never_judged_by_half(text: str, why: str) -> None:
    """A condition, or a value that is made elsewhere, decides."""
    (row,) = costs_in(tunable("symfony"), text, "config/packages/security.php", None)
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNKNOWN
    assert why in row.message


@table("app, text, cure")
def test_the_way_to_another_hasher_is_in_the_words_of_the_application(
    app: str, text: str, cure: str
) -> None:
    """Nobody can write the name of a hasher into a file that calls it otherwise."""
    rows = costs_in(tunable(app), text, "the file", None)
    assert any(cure in row.advice for row in rows if isinstance(row, Judgement))


def test_a_default_says_that_older_releases_hash_otherwise() -> None:
    """Of CouchDB before 3.4 the default is ten rounds of SHA-1."""
    (row,) = costs_in(tunable("couchdb"), "[couchdb]\nsingle_node = true\n", "a", None)
    assert isinstance(row, Configured)
    assert "older releases hash with another: give one as --app-version" in row.note


def test_a_unit_with_all_of_its_options_has_the_default() -> None:
    """A unit of etcd that names no other file is the whole configuration."""
    unit = "[Service]\nExecStart=/opt/bin/etcd \\\n  --data-dir=/var/lib/etcd{}\n"
    (row,) = costs_in(tunable("etcd"), unit.format(""), "etcd.service", None)
    assert isinstance(row, Configured)
    assert row.params == {"cost": 10}
    (row,) = costs_in(tunable("etcd"), unit.format(" --bcrypt-cost=12"), "etcd.service", None)
    assert isinstance(row, Configured)
    assert row.params == {"cost": 12}


@pytest.mark.parametrize(
    ("policy", "command"),
    [
        ("hashAlgorithm(pbkdf2-sha512) and hashIterations(1000)", ""),
        ("hashAlgorithm(pbkdf2-sha512)", "calibrate emit keycloak --hasher pbkdf2-sha512"),
        ("hashAlgorithm(argon2)", "calibrate emit keycloak"),
    ],
)
def test_what_the_file_does_not_set_is_advised_with_the_command_that_writes_it(
    policy: str, command: str
) -> None:
    """A realm names the algorithm, and options of the server set the cost of Argon2."""
    cost = cost_in("keycloak", f'{{"realm": "r", "passwordPolicy": "{policy}"}}')
    judged = check_one(cost, None, replace(FORTY, policies=(load_policy("owasp"),)))
    assert judged.written_by == (command if judged.instead else "")
    assert (f"(`{command}` writes the setting)" in judged.advice) == bool(judged.written_by)


def test_a_hasher_that_older_releases_lack_is_named_with_its_condition() -> None:
    """CouchDB hashes with SHA-1 before 3.4; a file that names no digest is not of one release."""
    unset = cost_in("couchdb", "[chttpd_auth]\niterations = 10\n")
    assert "before 3.4 that means another hasher: give --app-version" in unset.note
    named = cost_in("couchdb", "[chttpd_auth]\niterations = 10\npbkdf2_prf = sha256\n")
    assert "another hasher" not in named.note


def test_a_file_that_nothing_shows_to_be_the_applications_may_be_anothers() -> None:
    """A quote that does not end is damage in postgresql.conf, and may be right in YAML."""
    with pytest.raises(UnreadableInputError, match="name the file that sets the cost") as another:
        costs_in(tunable("postgresql"), 'run = "a" "b\n', "patroni.yml", None)
    assert "(often postgresql.conf)" in str(another.value)
    text = 'listen_addresses = "*"\nrun = "a" "b\n'
    with pytest.raises(UnreadableInputError, match=r"unclear; close its quotes$"):
        costs_in(tunable("postgresql"), text, "postgresql.conf", None)


@pytest.mark.parametrize(
    ("written", "outcome"), [("md5", Outcome.UNSUITABLE), ("scram-sha-256", Outcome.UNKNOWN)]
)
def test_the_parameters_of_postgresql_in_yaml_are_seen(written: str, outcome: Outcome) -> None:
    """Patroni and CloudNativePG have them so."""
    text = f"postgresql:\n  parameters:\n    password_encryption: {written}\n"
    (told,) = costs_in(tunable("postgresql"), text, "patroni.yml", None)
    assert isinstance(told, Judgement)
    assert told.outcome is outcome


@pytest.mark.parametrize(
    ("overlay", "only"), [("overlay ppolicy", True), ("ppolicy_hash_cleartext", False)]
)
def test_slapd_hashes_what_clients_write_only_if_its_overlay_does(
    overlay: str, only: bool
) -> None:
    """Without ppolicy_hash_cleartext a plain modify stores a password as it comes."""
    text = f'database mdb\nsuffix "dc=x"\n{overlay}\n'
    (told,) = costs_in(tunable("openldap"), text, "slapd.conf", None)
    assert isinstance(told, Judgement)
    assert ("only what the Password Modify operation sets" in told.message) == only


def test_an_account_of_mysql_by_its_old_plugin_is_seen_in_sql() -> None:
    """The statement names what hashes, whatever the server takes by default."""
    text = "CREATE USER 'a'@'%' IDENTIFIED WITH mysql_native_password BY 'x';\n"
    (told,) = costs_in(tunable("mysql"), text, "users.sql", None)
    assert isinstance(told, Judgement)
    assert told.outcome is Outcome.UNSUITABLE
