"""What `calibrate emit` ends with: it writes no cost that `calibrate` would doubt in silence."""

import json
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from checks import MEMORY_HARD as PROFILE
from checks import measurement_of, widened, with_rows
from corpora import table
from end_to_end.command import calibrate
from fakes import decided_cost
from hashcost.core.machine import HUGE_PAGES
from hashcost.core.measurement import Doubt, Params
from hashcost.core.profile import Failure
from hashcost.core.units import format_setting
from hashcost.recommend.recommendation import recommendation, recommended_row
from hashcost.storage.decision import Decision, save_decision
from hashcost.storage.profile import save_profile
from made_up import MEMORY_HARD_FILE

MEMORY_HARD: Final = MEMORY_HARD_FILE


@pytest.mark.parametrize(("target", "code"), [("40ms", 0), ("2s", 0), ("10us", 5)])
def test_the_code_is_that_of_the_recommendation(target: str, code: int) -> None:
    """The same profile and target end with the same code; without an answer, with no snippet."""
    asked = ("--from", str(MEMORY_HARD), "--target", target, "--policy", "none")
    answered = calibrate("argon2id@argon2-cffi", *asked)
    emitted = calibrate("emit", "argon2-cffi", *asked)
    assert (answered.code, emitted.code) == (code, code), emitted.err
    assert ("PasswordHasher(" in emitted.out) == (code == 0)
    assert bool(emitted.out) == (code == 0)


def test_what_holds_only_in_huge_pages_names_the_variable(tmp_path: Path) -> None:
    """Where each kind of service takes it; `check` names it as a condition, and only there."""
    asking = {"huge_pages": "madvise", "libc": "glibc 2.36", "malloc": HUGE_PAGES}
    machine = replace(PROFILE.machine, **asking)
    save_profile(replace(PROFILE, machine=machine), tmp_path / "huge.json")
    variable = f"GLIBC_TUNABLES={HUGE_PAGES}"
    for file, is_huge in (("huge.json", True), (str(MEMORY_HARD), False)):
        asked = ("--target", "400ms", "--policy", "none")
        emitted = calibrate("emit", "argon2-cffi", "--from", file, *asked, cwd=tmp_path)
        as_json = calibrate(
            *("emit", "argon2-cffi", "--from", file, "--format", "json"), *asked, cwd=tmp_path
        )
        (snippet,) = json.loads(as_json.out)
        cost = f"argon2id@argon2-cffi={format_setting(snippet['params'])}"
        checked = calibrate("check", cost, "--profile", file, *asked, cwd=tmp_path)

        assert is_huge == (f"#   Dockerfile  ENV {variable}\n" in emitted.out), emitted.out
        assert is_huge == (f"set {variable} for it" in emitted.err)
        assert is_huge == bool(snippet["environment"])
        assert is_huge == (f"the service has {variable}." in " ".join(checked.out.split()))
        compile(emitted.out, "snippet", "exec")


def test_what_is_too_noisy_is_not_written(tmp_path: Path) -> None:
    """A cost whose time is uncertain ends with 3, without a snippet and with what to do."""
    noisy = widened(measurement_of("argon2id@argon2-cffi", PROFILE), 0.5, 2.0)
    gone = Failure(hasher="bcrypt", implementation="x", code="unavailable", error="gone")
    save_profile(with_rows(PROFILE, noisy, gone), tmp_path / "noisy.json")
    ended = calibrate("emit", "argon2-cffi", "--from", "noisy.json", cwd=tmp_path)
    assert (ended.code, ended.out) == (3, ""), ended.err
    assert "is too uncertain; measure again when the machine is quieter" in ended.err


def test_a_minimum_beyond_the_target_is_out_of_reach(tmp_path: Path) -> None:
    """An application that accepts nothing as quick as the target ends as a hasher does; a file
    that is there keeps what it has.
    """
    profile, output = str(MEMORY_HARD.with_name("profile.json")), tmp_path / "Config.java"
    output.write_text("before\n", "utf-8")
    asked = ("emit", "spring", "--hasher", "bcrypt", "--from", profile, "--target", "1us")
    ended = calibrate(*asked, "--policy", "none", "-o", str(output))

    assert (5, "", "before\n") == (ended.code, ended.out, output.read_text("utf-8"))
    assert (
        "nothing is written: the lowest cost that Spring Security accepts, cost=4, takes"
        in ended.err
    )


def test_the_highest_accepted_cost_is_not_called_the_minimum_of_a_policy() -> None:
    """Where an application accepts less than a policy asks for, the limit is named as one."""
    asked = ("--from", str(MEMORY_HARD.with_name("profile.json")), "--target", "1ms")
    ended = calibrate("emit", "postgresql", *asked)
    assert "the highest cost that it accepts, iterations=100000, takes" in ended.err
    assert "policy's minimum" not in ended.err
    assert "(the target is 1.00 ms)" in ended.out


def test_a_minimum_goes_before_the_target() -> None:
    """What the policy asks for is written, with what it takes beside the target; `check` on the
    same profile, target and policy accepts it.
    """
    asked = ("--from", str(MEMORY_HARD.with_name("profile.json")), "--target", "10ms")
    ended = calibrate("emit", "spring", "--hasher", "bcrypt", *asked)
    assert (0, True) == (ended.code, "new BCryptPasswordEncoder(10)" in ended.out)
    assert "the quickest cost that meets the policy, cost=10, takes" in ended.err
    assert "the target was 10.0 ms" in ended.err
    judged = calibrate("check", "bcrypt=10", *asked)
    assert judged.code == 0, judged.out


@pytest.mark.parametrize(
    ("app", "release", "first"), [("caddy", "2.9.1", "2.11"), ("laravel", "5.5.2", "12")]
)
def test_nothing_is_written_for_a_release_without_the_setting(
    app: str, release: str, first: str
) -> None:
    """A release that lacks the setting is named, with the first supported one that has it."""
    asked = ("emit", app, "--from", str(MEMORY_HARD.with_name("profile.json")))
    ended = calibrate(*asked, "--app-version", release)
    assert ended.out == ""
    assert f"{release} does not have this setting for " in ended.err
    assert f"upgrade to {first}, which has" in ended.err


def test_an_older_release_gets_the_hasher_that_it_uses() -> None:
    """Without --hasher it is the release's default, as in a check; with it, only what can be
    written is named instead.
    """
    source = str(MEMORY_HARD.with_name("profile.json"))
    asked = ("emit", "keycloak", "--from", source, "--app-version", "20.0.1")
    assert "hashAlgorithm(pbkdf2-sha256)" in calibrate(*asked).out
    refused = calibrate(*asked, "--hasher", "argon2id").err
    assert "or name another with `--hasher pbkdf2-sha512`" in refused
    # Nothing here is near MySQL's own sha256-crypt.
    mysql = calibrate("emit", "mysql", "--hasher", "pbkdf2-sha512", "--app-version", "8.4.1")
    assert "does not have this setting" in mysql.err
    assert "--hasher" not in mysql.err


def test_the_origin_of_a_factor_is_detail() -> None:
    """What a factor between two libraries rests on is said only with --explain; JSON has it."""
    asked = ("emit", "vaultwarden", "--from", str(MEMORY_HARD.with_name("profile.json")))
    told, explained = calibrate(*asked), calibrate(*asked, "--explain")
    (answer,) = json.loads(calibrate(*asked, "--format", "json").out)

    assert "times as long as hashlib\n" in told.err
    assert answer["factor_source"].startswith("median of ")
    assert answer["factor_source"] not in told.err
    assert f"the factor is from: {answer['factor_source']}" in explained.err


def test_a_saved_doubt_is_not_of_this_run(tmp_path: Path) -> None:
    """A doubt that a profile holds says that it is about the measurement, which can be done
    again; nothing says that this command ran anything.
    """
    doubtful = replace(measurement_of("argon2id@argon2-cffi", PROFILE), doubt=Doubt.CHANGED)
    row = recommended_row(recommendation(doubtful, PROFILE.target_seconds))
    profile = replace(with_rows(PROFILE, doubtful), results=(row,))
    save_profile(profile, tmp_path / "doubtful.json")
    asked = ("--from", "doubtful.json", "--policy", "none")
    for command in (("emit", "argon2-cffi"), ("argon2id@argon2-cffi",)):
        ended = calibrate(*command, *asked, cwd=tmp_path)
        told = " ".join(ended.err.split())

        assert "argon2id@argon2-cffi: when measured: the machine, or the library, seems" in told
        assert "measure again" in told
        assert "run" not in told.replace("earlier runs", "").replace("three runs", "")


def test_json_says_what_was_timed_for_an_application() -> None:
    """The application, its hasher, the library that stands for its own, and the cost."""
    profile = str(MEMORY_HARD.with_name("profile.json"))
    asked = ("spring", "--hasher", "bcrypt", "--from", profile, "--target", "40ms")
    (told,) = json.loads(calibrate("emit", *asked, "--policy", "none", "-f", "json").out)

    named = {name: told[name] for name in ("app", "title", "hasher", "implementation", "params")}
    assert named == {
        "app": "spring",
        "title": "Spring Security",
        "hasher": "bcrypt",
        "implementation": "libcrypt",
        "params": {"cost": 9},
    }


def test_what_the_profile_lacks_is_added_by_one_command() -> None:
    """The command that adds it names the profile."""
    lacking = calibrate("emit", "php", "--from", str(MEMORY_HARD))
    assert (lacking.code, lacking.out) == (4, "")
    assert f"add it with `calibrate bcrypt@libcrypt --save {MEMORY_HARD}`" in lacking.err


@table("app, implementation, params, told")
def test_a_decision_of_what_another_program_timed(
    tmp_path: Path, app: str, implementation: str, params: Params, told: str
) -> None:
    """The host's library by its Python is the library, and an application's own comes first."""
    hasher = "bcrypt" if "cost" in params else "sha512-crypt"
    cost = decided_cost(hasher, params, implementation, time_seconds=0.0998, cpu_model="AMD EPYC")
    save_decision(Decision(cost=(cost,)), tmp_path / "decision.toml")
    ended = calibrate(
        *("emit", app, "--hasher", hasher, "--from", "decision.toml", "-q"), cwd=tmp_path
    )

    assert (0, "") == (ended.code, ended.err)
    assert told in ended.out


@pytest.mark.parametrize(
    ("app", "cure"),
    [
        (("spring", "--hasher", "bcrypt"), "name another with --hasher pbkdf2-sha256"),
        (("php",), "PHP has no approved hasher that can be timed here; leave the policy out"),
    ],
)
def test_a_hasher_that_is_not_approved_is_not_written(app: tuple[str, ...], cure: str) -> None:
    """What a policy does not approve at any cost gets no snippet; the line names a hasher of the
    application that is approved, if it has one.
    """
    profile = str(MEMORY_HARD.with_name("profile.json"))
    ended = calibrate("emit", *app, "--from", profile, "--policy", "fips", "--policy", "owasp")

    assert (1, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert f": fips does not approve bcrypt at any cost; {cure}\n" in ended.err


def test_a_decision_has_its_own_target(tmp_path: Path) -> None:
    """A target beside a decision is refused, because the decided cost is written as it is."""
    cost = decided_cost("bcrypt", {"cost": 12}, "node:bcryptjs")
    save_decision(Decision(cost=(cost,)), tmp_path / "decision.toml")
    asked = ("emit", "node-bcryptjs", "--from", "decision.toml", "--target", "1s")
    ended = calibrate(*asked, cwd=tmp_path)

    refusal = "--target does not apply to a decision, which has its own; leave it out"
    assert (2, "", f"calibrate: {refusal}\n") == (ended.code, ended.out, ended.err)


def test_the_settings_say_what_no_option_says(tmp_path: Path) -> None:
    """Without an application the listed ones are set, by the target, the profile and the policies
    of the settings, unless an option says another.
    """
    profile = MEMORY_HARD.with_name("profile.json")
    (tmp_path / "hashcost.toml").write_text(
        f"policy = ['none']\ntarget = '10ms'\nprofile = '{profile}'\napp.spring = 'Config.java'\n"
    )
    for options, cost in (
        ((), 7),
        (("--target", "40ms"), 9),
        (("--policy", "owasp"), 10),
        (("--policy", "none", "--target", "40ms"), 9),
    ):
        ended = calibrate("emit", *options, cwd=tmp_path)
        assert (0, True) == (ended.code, f"BCryptPasswordEncoder({cost});" in ended.out), ended
        assert ", 2026-11-20: cost=" in ended.out, "it was solved from the profile"
