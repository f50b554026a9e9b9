"""Fast digests of passwords in source code."""

from pathlib import Path

from bounded import ends_in_time
from corpora import table
from hashcost.source_code.digests import FastDigest, digests_in, may_help
from hashcost.source_code.scan import scan


def told(found: FastDigest) -> str:
    """Write a finding as the table has it."""
    return f"{found.hasher} @{found.line}"


@table("language, text, found")
def test_a_digest_that_is_kept_as_a_password_is_listed(
    language: str, text: str, found: list[str]
) -> None:
    """What is named as a password, maybe with a salt, is digested; the digest is stored in,
    returned as or compared with something named password or hash.
    """
    assert found == [told(digest) for digest in digests_in(text, language)]


@table("language, text")
def test_other_digests_are_not_listed(language: str, text: str) -> None:
    """Checksums, cache keys, tokens, encryption keys, what a server is sent or asked, and what
    goes on to a password hasher or an HMAC are no passwords that are kept.
    """
    assert [] == [told(digest) for digest in digests_in(text, language)]


@table("files, found")
def test_a_digest_of_what_callers_pass_as_a_password_is_listed(
    tmp_path: Path, files: dict[str, str], found: list[str]
) -> None:
    """A helper may call it anything; other files and other functions call it a password."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert found == [f"{digest.path.name} {told(digest)}" for digest in scan([tmp_path]).digests]


def test_few_files_are_asked_for_helpers() -> None:
    """Programs digest much else: only a function that makes hashes by its name is followed."""
    assert may_help("<?php function hash_it($x) { return md5($x); }", "php")
    assert not may_help("<?php function cache_key($x) { return md5($x); }", "php")
    assert not may_help("<?php function hash_it($x) { return strrev($x); }", "php")
    assert may_help("exports.hash = (x) => createHash('md5').update(x)", "javascript")
    assert not may_help("exports.hash = (x) => md5(x)", "javascript")


def test_a_name_that_leads_to_itself_again_and_again_is_followed_once() -> None:
    """The search for what becomes of a digest does not multiply with each line."""
    ends_in_time(
        "from hashcost.source_code.digests import digests_in\n"
        "line = '    h = str(h)\\n'\n"
        "text = f'def f(password):\\n    h = hashlib.md5(password)\\n{line * 400}'\n"
        "digests_in(text, 'python')"
    )
