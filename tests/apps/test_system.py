"""Each application of the system reads back what it writes, in any surroundings."""

from __future__ import annotations

import datetime as dt

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apps.realistic import REALISTIC
from apps.schemes import IDS, SCHEMES, SYSTEM, legal, tunable
from bounded import ends_in_time
from hashcost.apps.interface import App, Scheme
from hashcost.core.errors import UnreadableInputError
from hashcost.core.machine import Machine, Probe, Tool
from hashcost.core.profile import Profile, Rounding
from hashcost.recommend.emission import Emission, header

PROFILE = Profile(
    schema=1,
    tool=Tool(name="hashcost", version="0.1.0"),
    created=dt.datetime(2026, 11, 20, tzinfo=dt.UTC),
    machine=Machine(
        cpu_model="Intel(R) Xeon(R) 'rounds=1' \"-C 9\" `Processor`",
        cpu_count=2,
        cpu_flags=(),
        cpu_limit=None,
        memory_bytes=None,
        os="Debian",
        kernel="6.1",
        architecture="x86_64",
        virtualization=None,
        python="3.11",
        openssl="3.0",
    ),
    probe=Probe(password_bytes=12, salt_bytes=16),
    target_seconds=0.25,
    rounding=Rounding.DOWN,
    duration_seconds=1.0,
    results=(),
)

scheme_of_each = pytest.mark.parametrize(("app", "scheme"), SCHEMES, ids=IDS)


@scheme_of_each
@given(data=st.data())
def test_reads_back_what_it_writes(app: App, scheme: Scheme, data: st.DataObject) -> None:
    """For every legal cost the reader finds in the snippet exactly what was written."""
    params = data.draw(legal(scheme))
    (found,) = app.read(scheme.write(params))
    assert (found.hasher, found.params, found.wins) == (scheme.hasher, params, True)


@scheme_of_each
@given(data=st.data())
def test_the_header_is_a_comment(app: App, scheme: Scheme, data: st.DataObject) -> None:
    """The comment at the head of the snippet holds no cost, and hides none."""
    params = data.draw(legal(scheme))
    emission = Emission(
        app=app,
        scheme=scheme,
        params=params,
        time_seconds=0.2,
        reached=True,
        target_seconds=0.25,
        reasons=(),
    )
    head = header(emission, PROFILE, "libcrypt 4.4.33", ["meets owasp's minimum (cost=10)"])
    assert app.read(head) == ()
    (found,) = app.read(head + scheme.write(params))
    assert found.params == params
    assert found.line > head.count("\n")


@pytest.mark.parametrize("comment", ["# {}", "// {}", "/* {} */", "<!-- {} -->", "{{# {} #}}"])
@pytest.mark.parametrize("mark", ["*/", "-->", "--", "?>", "{", "}"])
def test_no_profile_ends_a_comment(comment: str, mark: str) -> None:
    """What a profile calls its CPU stays in the comment, in whatever language that is."""
    app, scheme = SCHEMES[0]
    machine = msgspec.structs.replace(PROFILE.machine, cpu_model=f"a{mark}b")
    emission = Emission(
        app=msgspec.structs.replace(app, comment=comment),
        scheme=scheme,
        params={},
        time_seconds=0.2,
        target_seconds=0.25,
        reasons=(),
        reached=True,
    )
    head = header(emission, msgspec.structs.replace(PROFILE, machine=machine), "libcrypt 4", [])
    before, after = comment.format("\0").split("\0")
    for line in head.splitlines():
        assert line.startswith(before)
        assert mark not in line.removeprefix(before).removesuffix(after)
    assert "a b" in head


@scheme_of_each
@given(data=st.data())
def test_reads_it_in_a_realistic_file(app: App, scheme: Scheme, data: st.DataObject) -> None:
    """At the end of a file as it is found on a system, the snippet's cost is what counts."""
    params = data.draw(legal(scheme))
    text = REALISTIC[app.name] + scheme.write(params)
    won = [each for each in app.read(text) if each.wins and each.hasher == scheme.hasher]
    assert won
    assert won[-1].params == params


@scheme_of_each
@given(data=st.data())
def test_snippet_says_each_param_once(app: App, scheme: Scheme, data: st.DataObject) -> None:
    """Each param has a key, a range and a figure in the snippet."""
    params = data.draw(legal(scheme))
    assert set(scheme.keys) == set(scheme.limits) == set(params)
    assert all(str(value) in scheme.write(params) for value in params.values())
    assert scheme.write(params).endswith("\n")


@pytest.mark.parametrize("name", SYSTEM)
@given(
    text=st.one_of(
        st.text(),
        st.lists(
            st.sampled_from(
                (
                    *("ENCRYPT_METHOD", "SHA512", "SHA_CRYPT_MIN_ROUNDS", "BCRYPT_MAX_ROUNDS"),
                    *("password", "required", "pam_unix.so", "sha512", "rounds=", "[", "]"),
                    *("htpasswd", "-B", "-C", "-nbBC", "mkpasswd", "-R", "--rounds=", "-m"),
                    *("doveadm", "pw", "-r", "-s", "grub-mkpasswd-pbkdf2", "-c", "-l", "--"),
                    *("cryptsetup", "luksFormat", "--pbkdf-force-iterations", "--pbkdf", "pbkdf2"),
                    *("olcModuleLoad:", "moduleload", "pw-pbkdf2.so", "argon2", "m=", "{0}"),
                    *(
                        "password-hash",
                        "scram_iterations",
                        "=",
                        "0x",
                        "-1",
                        "99999999999999999999",
                    ),
                    *("12", "08", "$X", "${X:-", "}", "X=", '"', "'", "\\", "\n", " ", "#", "::"),
                    *(
                        "\0",
                        "\x1c",
                        "\u2028",
                        "²",
                        "é",
                        "$(",
                        ")",
                        "|",
                        "grub.pbkdf2.sha512.1.A.B",
                    ),
                )
            ),
            max_size=40,
        ).map(lambda words: "".join(f"{word} " if len(word) > 1 else word for word in words)),
    )
)
@example(text="")
@example(text="\\")
@example(text="htpasswd -B -C")
@example(text="scram_iterations = '")
@example(text="cryptsetup luksFormat --pbkdf-force-iterations")
def test_any_text_is_read_or_refused_in_one_line(name: str, text: str) -> None:
    """Whatever a file holds, the reader answers, or says in one clear line why not."""
    message = refusal(tunable(name), text)
    assert message is None or message.startswith("line ")
    assert message is None or (message.isprintable() and len(message) < 200)


def refusal(app: App, text: str) -> str | None:
    """Why a reader refuses a text; none where it answers."""
    try:
        app.read(text)
    except UnreadableInputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", SYSTEM)
def test_a_long_file_takes_no_time(name: str) -> None:
    """Half a megabyte of nearly matching text ends; no pattern of it backtracks."""
    pieces = ("htpasswd ", "\\\n", "$(" * 9, "password [", "olcModuleLoad: ", "'", "a=${a:-")
    ends_in_time(
        "import contextlib\n"
        "from hashcost.apps.registry import load_app\n"
        "from hashcost.core.errors import UnreadableInputError\n"
        f"for piece in {pieces!r}:\n"
        "    with contextlib.suppress(UnreadableInputError):\n"
        f"        load_app({name!r}).read(piece * (500_000 // len(piece)))"
    )
