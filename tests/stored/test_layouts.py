"""Hashes found in lines: alone, behind names, and in columns."""

import base64
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounded import within_memory
from corpora import table
from hashcost.core.errors import HashcostError, UnreadableInputError, UsageError
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read
from hashcost.stored.layouts import Layout, rows_in
from hashcost.stored.lines import OVERLONG
from stored.formats.samples import SAMPLES, Sample, Secrets

BCRYPT: Final = "$2b$12$" + "d" * 53
SHA512: Final = "$6$salt$" + "d" * 86
SCRAM: Final = f"SCRAM-SHA-256$4096:{'c2Fs' * 4}${'d' * 43}=:{'e' * 43}="
WERKZEUG: Final = f"pbkdf2:sha256:260000$salt${'0a' * 32}"
MEDIAWIKI: Final = f":pbkdf2:sha512:30000:64:{'c2Fs' * 4}:{'d' * 86}=="
KEYCLOAK: Final = '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"a":["b"]}}'
SSHA: Final = "{SSHA}vOOpdG44w+HIM2kRM2KXAnHqMO5jbGVhcg=="
REDIS: Final = "#" + "0a" * 32
ARGON2: Final = f"$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ${'d' * 43}"

HASHES: Final = (BCRYPT, SHA512, SCRAM, WERKZEUG, MEDIAWIKI, KEYCLOAK, SSHA, ARGON2)
CELLS: Final = [*HASHES, "", "!", "hunter2", 'say "hi", you']


def found(
    text: str | bytes, layout: Layout | None = None, column: str | None = None
) -> tuple[Layout, list[str]]:
    """The layout, and the hashes as text."""
    data = text.encode() if isinstance(text, str) else text
    lines = (line.removesuffix(b"\r") for line in data.split(b"\n"))
    columns = [] if column is None else [column]
    told, rows = rows_in(lines, layout=layout, columns=columns, read=read)
    return told, [each if isinstance(each, str) else each.decode() for each, *_ in rows]


@pytest.mark.parametrize("hash_", [*HASHES, REDIS])
def test_a_hash_a_line(hash_: str) -> None:
    """A hash alone is taken whole, whatever colons, braces or hashes it has."""
    assert (Layout.HASH, [hash_]) == found(f"\n  {hash_}\t\r\n\n# {hash_}\n#\n")


@pytest.mark.parametrize("hash_", [BCRYPT, SHA512, SCRAM, WERKZEUG, MEDIAWIKI, SSHA, REDIS])
def test_a_hash_behind_a_name(hash_: str) -> None:
    """What follows the first colon is the hash, with all of its own colons."""
    assert (Layout.USER, [hash_]) == found(f"# users\nalice:{hash_}\n")
    assert (Layout.USER, [hash_]) == found(f"alice: {hash_} \n")


def test_the_name_of_an_algorithm_is_no_user() -> None:
    """Of a hash in an unknown format, what names its algorithm before a colon is a part."""
    salt, key = "QUJDREVGMTIzNDU2QUJD", "QUJDREVGMTIzNDU2QUJDREVGMTIzNDU2QUJDREVGMTIzNDU2"
    for line in (f"scrypt:{salt}:{key}", f"argon2id:{salt}:{key}"):
        assert (Layout.USER, [line]) == found(line, Layout.USER)
    assert (Layout.USER, [f"{salt}:{key}"]) == found(f"alice:{salt}:{key}", Layout.USER)
    # What stands behind the name would be a hash by itself, of another algorithm.
    rest = f"210000:{'0a' * 16}:{'0b' * 64}"
    named = f"PBKDF2WITHHMACSHA512:{rest}"
    assert (Layout.USER, [named]) == found(named, Layout.USER)
    assert (Layout.USER, [rest]) == found(f"alice:{rest}", Layout.USER)


def test_a_document_that_is_nested_deeply_is_refused_like_any_other() -> None:
    """A value beside the hash does not keep the message from naming the way on."""
    deep = "[" * 5000 + "]" * 5000
    members = f'"name": "a",\n"x": {deep},\n"password": "{BCRYPT}"'
    with pytest.raises(HashcostError, match=r"one JSON document.*--column password"):
        found(f'{{\n"users": [\n{{\n{members}\n}}\n]\n}}\n')


@table("line")
@pytest.mark.parametrize("hash_", [BCRYPT, SHA512, "!" + SHA512, "{PLAIN}hunter2", ""])
def test_the_second_field_of_a_table_of_accounts(line: str, hash_: str) -> None:
    """Of passwd, shadow, BSD's master.passwd and Dovecot's file the password alone is taken."""
    assert [hash_] == found(line.format(hash_), Layout.USER)[1]


@table("text, told, hashes, layout, column")
def test_a_file_has_these_hashes(
    text: str, told: str, hashes: list[str], layout: str | None, column: str | None
) -> None:
    """Each hash is found, and what is none is neither left out nor an empty password."""
    assert (Layout(told), hashes) == found(text, Layout(layout) if layout else None, column)


@table("text")
def test_rows_without_a_column_are_refused(text: str) -> None:
    """CSV or JSON lines are not counted as plain text: a column must be named."""
    with pytest.raises(UsageError, match=r"^--column: each line has several values; name"):
        found(text)


@table("text, hashes")
def test_hashes_in_elements_and_attributes_of_xml_are_found(text: str, hashes: list[str]) -> None:
    """A hash between tags or in an attribute counts by its title; names and salts do not."""
    assert (Layout.INSIDE, hashes) == found(text)


@table("text, hashes, column")
def test_digests_of_a_hasher_that_the_row_names_are_not_plain(
    text: str, hashes: list[str], column: str | None
) -> None:
    """A digest without a mark is one of the hasher that another cell or member names."""
    assert hashes == found(text, column=column)[1]


@table("text, hashes")
def test_digests_in_settings_that_are_called_hashes_of_passwords_are_found(
    text: str, hashes: list[str]
) -> None:
    """They may stand beside hashes that name their format; checksums do not count."""
    assert (Layout.INSIDE, hashes) == found(text)


@table("text")
def test_text_is_no_list_of_passwords(text: str) -> None:
    """Settings and prose without a hash that names its format are not counted as plain text."""
    with pytest.raises(UnreadableInputError, match=r"^the lines are settings or text, and no"):
        found(text)


@table("column, told")
def test_which_column_has_the_hashes_is_said_by_its_number(column: str | None, told: str) -> None:
    """No value of the file is shown, and a comma between quotation marks divides nothing."""
    with pytest.raises(HashcostError, match=re.escape(told) + "$") as raised:
        found(f'id,name,password\n1,"a, b",{BCRYPT}\n', None, column)
    assert "password" not in str(raised.value)


@pytest.mark.parametrize("column", [None, "p"])
@pytest.mark.parametrize("text", ['[{"p": "a"}]', '[\n{"p": "a"}\n]', '{\n"p": "a"\n}'])
def test_one_json_document_is_refused(text: str, column: str | None) -> None:
    """A document is no JSON lines, and the message says how to make them of it."""
    with pytest.raises(UnreadableInputError, match=r"^the file is one JSON document; write an"):
        found(text, None, column)


def test_an_export_on_one_line_is_a_document() -> None:
    """An object with a list of others is no line of JSON lines, unless it is a hash itself."""
    text = '{"users": [{"p": "a"}], "total": 1}'
    with pytest.raises(UnreadableInputError, match=r"jq -c '\.users\[\]', or name a member"):
        found(text, None, "p")
    with pytest.raises(UnreadableInputError, match=r"is one JSON document"):
        found(text)
    kept = '{"p": "a", "roles": [{"db": "x"}]}'
    assert (Layout.JSONL, ["a"]) == found(kept, None, "p")


def test_a_document_is_taken_apart_where_its_hashes_are() -> None:
    """A list without hashes is not named, but the object that has one for each user."""
    permissions = '"permissions": [{"name": "edit", "role": "admin"}]'
    text = f'{{"auth": {{"credentials": {{"a": "{BCRYPT}"}}}}, {permissions}}}'
    with pytest.raises(
        UnreadableInputError, match=r"jq -r '\.\. \| \.credentials\? \| \.\[\]\?'$"
    ):
        found(text)
    text = f'{{"auth": {{{permissions}}}, "users": [{{"hash": "{BCRYPT}"}}]}}'
    with pytest.raises(UnreadableInputError, match=r"jq -c '\.users\[\]'"):
        found(text)


def test_a_document_names_the_application_that_its_hashes_need() -> None:
    """A refused document says which --app reads hashes that do not name their format."""
    digest = base64.b64encode(bytes(36)).decode()
    text = f'{{"users": [{{"name": "a", "password_hash": "{digest}"}}]}}'
    with pytest.raises(
        UnreadableInputError, match=r"--column password_hash; --app rabbitmq reads it"
    ):
        found(text)


@pytest.mark.parametrize("name", ["passwordHash", "pass hash"])
def test_a_document_names_the_member_with_its_hashes(name: str) -> None:
    """One message says everything that it takes to read an export."""
    users = ",\n".join(f'{{"id": {n}, "{name}": "{BCRYPT}"}}' for n in range(2))
    with pytest.raises(UnreadableInputError, match=f"name its hash: --column '?{name}'?$"):
        found(f"[\n{users}\n]")


def test_an_object_that_is_a_hash_needs_no_member() -> None:
    """What states its cost in other members is read as a whole."""
    key = base64.b64encode(bytes(64)).decode()
    scheme = '"encryption_scheme": "salted-pbkdf2-hmac-sha512-512", "iterations": 210000'
    user = f'{{"id": {{"n": 1}}, {scheme}, "password": "{key}", "salt": "{key}"}}'
    with pytest.raises(UnreadableInputError, match=r"each line: jq -c '\.\[\]'$"):
        found(f"[\n{user},\n{user}\n]")


def test_a_keystore_has_no_member_to_name() -> None:
    """An object that names only the algorithm of a key leads to a judgement of its cost."""
    store = '{\n"crypto": {\n"kdf": "argon2id",\n"salt": "0a1b2c3d4e5f60718293a4b5c6d7e8f9"\n}\n}'
    with pytest.raises(UnreadableInputError, match=r"names argon2id .* explain argon2id=m="):
        found(store)
    assert Layout.HASH is found(store.replace("\n", ""))[0]


def test_a_user_of_fusionauth_is_judged_by_its_factor() -> None:
    """The object is the hash where its other members hold the cost, whatever the text is like."""
    key = base64.b64encode(bytes(32)).decode()
    scheme = '"encryptionScheme": "salted-pbkdf2-hmac-sha256", "factor": 24000'
    user = f'{{{scheme}, "password": "{key}", "salt": "{key}"}}'
    assert (Layout.JSONL, [user]) == found(user, None, "password")
    digits = (
        f'{{"encryptionScheme": "bcrypt", "factor": 10, "password": "{"1" * 31}", "salt": ""}}'
    )
    assert (Layout.JSONL, [digits]) == found(digits, None, "password")


def test_an_object_without_a_list_is_not_taken_apart() -> None:
    """Only an object of other objects, as of users by their names, is written as its members."""
    one = '{\n"crypto": {"kdf": {"n": 2}},\n"description": "",\n"version": 4\n}'
    for text in (one, one.replace("{", '{\n"id": 1,')):
        with pytest.raises(UnreadableInputError, match=r"each line: jq -c '\.'$"):
            found(text)
    users = '{\n"ines": {\n"p": "a"\n},\n"otto": {\n"p": "b"\n}\n}'
    for text in (users, users[:-1]):
        with pytest.raises(UnreadableInputError, match=r"each line: jq -c '\.\[\]'$"):
            found(text)


@pytest.mark.parametrize("text", ['{"n": 2}\n""\n4\n', '"0a0b"\n"a b"\n', '[]\n"u:1"\nnull\n4'])
def test_values_of_json_are_no_passwords(text: str) -> None:
    """The parts of one object are not counted as plain text, and the message says how to go on."""
    with pytest.raises(UnreadableInputError, match=r"^the lines are values of JSON, such as the"):
        found(text)
    assert Layout.INSIDE is found(f'"{BCRYPT}"\n{text}')[0]


def test_a_list_may_be_the_parts_of_one_hash() -> None:
    """The parts of one hash are not taken for several hashes."""
    with pytest.raises(UnreadableInputError, match=r"if it is one hash, its format"):
        found('["scrypt2", ["a1b2", "3"], "0a0b"]\n["scrypt2", ["c3d4", "3"], "0c0d"]\n')


def test_the_list_in_a_document_is_named() -> None:
    """What makes lines of an export names its list, wherever in the document that is."""
    outer = '{\n"version": 1,\n"users": [\n{"p": "a"}\n]\n}'
    with pytest.raises(UnreadableInputError, match=r"jq -c '\.users\[\]'$"):
        found(outer)
    with pytest.raises(UnreadableInputError, match=r"jq -c '\.\. \| \.users\?\[\]\?'$"):
        found(f'{{\n"data": {outer}\n}}')


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (f'{{"passwordChanged": "2026-01-02", "passwordHash": "{BCRYPT}"}}', "passwordHash"),
        ('{"encryptionScheme": "pbkdf2", "password": "zzA0a1b2C3d4e5f6"}', "password"),
        (f'{{"ann": "{BCRYPT}"}}', "password"),
        (f'{{"ann": {{"id": 1, "pass_hash": "{BCRYPT}"}}}}', "pass_hash"),
        (f"{'0a' * 16},ann,{BCRYPT}", "3"),
        (f"ann,{'0a' * 16}", "2"),
    ],
)
def test_the_column_that_is_named_has_the_hashes(line: str, column: str) -> None:
    """A refusal names the member or the column of hashes, and no name of a user."""
    with pytest.raises(UsageError, match=f"for example --column {column}$"):
        found(f"{line}\n{line}\n")


def test_a_title_tells_the_column_of_unknown_hashes() -> None:
    """No title is counted as somebody's password where no hash of the file is known."""
    text = "id,email,password\n1,a@x.org,zz$0a1b2c3d4e5f60718293a4b5\n"
    with pytest.raises(UsageError, match=r"--column 3$"):
        found(text)
    assert (Layout.CSV, ["zz$0a1b2c3d4e5f60718293a4b5"]) == found(text, None, "3")


def test_a_locked_cell_is_no_column_of_hashes() -> None:
    """A mark in a cell, as passwd(5) has it for a lock, does not tell the column."""
    with pytest.raises(UsageError, match=r"--column 2$"):
        found(f"x,{BCRYPT}\ny,{BCRYPT}\n")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@given(cells=st.lists(st.sampled_from(CELLS)), quoting=st.sampled_from([0, 1]))
def test_a_column_of_csv(delimiter: str, cells: list[str], quoting: int) -> None:
    """What a CSV writer wrote comes back, whatever is quoted and whatever delimits."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
    writer.writerow(["name", "password", "about"])
    for cell in cells:
        writer.writerow(['O"Neil, x', cell, "two\nlines"])
    assert (Layout.CSV, cells) == found(text.getvalue(), None, "password")
    assert (Layout.CSV, cells) == found(text.getvalue(), Layout.CSV, "2")


@given(cells=st.lists(st.sampled_from([*CELLS, None])), name=st.sampled_from(["p", 'a"b', "é"]))
def test_a_member_of_json_lines(cells: list[str | None], name: str) -> None:
    """The member's text comes back; null, with which nobody logs in, is no empty text."""
    rows = [json.dumps({"id": 1, name: cell, "more": {"p": [cell]}}) for cell in cells]
    expected = (Layout.JSONL, ["NULL" if cell is None else cell for cell in cells])
    if cells:
        assert expected == found("\n".join(rows), None, name)
    assert expected == found("\r\n\n".join(rows), Layout.JSONL, name)


@pytest.mark.parametrize(
    "line", ["{", '{"p"', "null", "[]", '"p"', "{}}", '{"p": "\\ud800"}', '{"p":' + "[" * 60000]
)
def test_a_line_that_is_no_object_is_malformed(line: str) -> None:
    """The other lines are read."""
    good = json.dumps({"p": BCRYPT})
    hashes = found(f"{good}\n{line}\n{good}", Layout.JSONL, "p")[1]
    assert [BCRYPT, BCRYPT] == [hashes[0], hashes[-1]]
    assert Kind.UNREADABLE is read(hashes[1]).kind


@pytest.mark.parametrize("name", ["q", 'a"b', "\udcff"])
def test_a_member_that_no_object_has_is_refused(name: str) -> None:
    """A misspelt name does not count as empty passwords."""
    with pytest.raises(UnreadableInputError, match=r"^--column: no object has this member;"):
        found(f'{{"p": "{BCRYPT}"}}', Layout.JSONL, name)


@pytest.mark.parametrize("column", ["hash", "0", "4", "-1", "²", "9" * 5000, ""])
def test_a_column_that_is_not_there_is_refused(column: str) -> None:
    """The message says how many there are and none of their names, which may be users'."""
    with pytest.raises(UnreadableInputError, match=r"not one of the 3 columns; name") as raised:
        found(f"alice,{BCRYPT},bob\n", Layout.CSV, column)
    assert "alice" not in str(raised.value)


@pytest.mark.parametrize("line", ['abcdefgh","', '","', '"', 'a,"b'])
def test_a_row_is_not_gathered_from_a_whole_file(line: str) -> None:
    """However quotes stand, no row takes more than the longest line may, and none is lost."""

    def lines() -> Iterator[bytes]:
        yield b"user,password"
        for _ in range(100_000):
            yield line.encode()

    _, rows = rows_in(lines(), layout=Layout.CSV, columns=["password"], read=read)
    with within_memory(4 << 20):
        count = sum(1 for _ in rows)
    assert count >= 100_000 / 2 - 1


def test_an_overlong_line_is_malformed_in_every_layout() -> None:
    """What was too long to be looked at is counted, and is no empty password."""
    for layout, column in ((Layout.HASH, None), (Layout.USER, None), (Layout.JSONL, "p")):
        good = b'{"p": "a"}' if column else b"a:b"
        columns = [] if column is None else [column]
        _, rows = rows_in((good, OVERLONG), layout=layout, columns=columns, read=read)
        _, (second, *_) = rows
        assert Kind.UNREADABLE is read(second).kind
    _, rows = rows_in((b"p", OVERLONG, b"hunter2"), layout=Layout.CSV, columns=["p"], read=read)
    assert [Kind.UNREADABLE, Kind.PLAIN] == [read(each).kind for each, *_ in rows]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.label)
def test_every_format_survives_every_layout(sample: Sample) -> None:
    """A hash of any format is the same alone, behind a name, in CSV and in JSON lines."""
    text = sample.make(Secrets(7))
    assert [text] == found(json.dumps({"p": text}), Layout.JSONL, "p")[1]
    if not text.isprintable():  # What MySQL writes raw is no line of text.
        return
    rows = io.StringIO()
    csv.writer(rows).writerows([["u", "p"], ["alice", text]])
    assert [text] == found(text, Layout.HASH)[1]
    assert [text] == found(f"alice:{text}", Layout.USER)[1]
    assert [text] == found(rows.getvalue(), Layout.CSV, "p")[1]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (f"id,hash,seen\n1,{BCRYPT}, 2026-01-02 \n2,{SHA512}\n", ("hash", "seen")),
        (f"1,{BCRYPT},2026-01-02\n2,{SHA512},\n", ("2", "3")),
        (
            (
                f'{{"hash": "{BCRYPT}", "seen": "2026-01-02"}}\n'
                f'{{"hash": "{SHA512}", "seen": null}}\n'
            ),
            ("hash", "seen"),
        ),
    ],
)
def test_another_column_comes_with_each_hash(text: str, columns: tuple[str, str]) -> None:
    """The second column is read beside the first; what a row lacks of it is an empty text."""
    lines = text.encode().splitlines()
    _, rows = rows_in(lines, layout=None, columns=columns, read=read)
    assert [(BCRYPT, "2026-01-02"), (SHA512, "")] == list(rows)


@pytest.mark.parametrize("text", [f"hash\n{BCRYPT}\n", f'{{"hash": "{BCRYPT}"}}\n'])
def test_another_column_that_is_not_there_is_refused(text: str) -> None:
    """The message names the option of the column that is missing."""
    lines = text.encode().splitlines()
    _, rows = rows_in(lines, layout=None, columns=("hash", "seen"), read=read)
    with pytest.raises(UnreadableInputError, match=r"^--last-login: "):
        list(rows)


def test_accounts_of_prosody_are_read_as_they_lie() -> None:
    """Each file is a table; several may follow each other, and some have the password itself."""
    hashed = (
        'return {\n\t["iteration_count"] = 10000;\n\t["stored_key"] = "' + "0a" * 20 + '";\n'
        '\t["inner"] = {\n\t\t["salt"] = "x";\n\t};\n\t["salt"] = "s";\n};\n'
    )
    plain = 'return {\n\t["password"] = "hunter2";\n};\n'
    layout, hashes = found(hashed + plain + hashed)

    assert Layout.INSIDE is layout
    assert ["hunter2"] == hashes[1:2]
    assert [{"iterations": 10000}] * 2 == [read(text).params for text in (hashes[0], hashes[2])]


def test_a_document_that_is_one_hash_is_not_called_one_without() -> None:
    """Whoever has a hash in several lines is told to write it in one."""
    document = '{\n"kdf": "scrypt",\n"n": 32768, "r": 8, "p": 1,\n"hash": "' + "0a" * 32 + '"\n}\n'
    with pytest.raises(UnreadableInputError) as raised:
        found(document)
    assert str(raised.value).endswith("write an object on each line: jq -c '.'")
    assert [{"n": 32768, "r": 8, "p": 1}] == [
        read(text).params for text in found(document.replace("\n", ""))[1]
    ]


def test_the_list_to_take_apart_is_the_one_that_has_the_hashes() -> None:
    """It may be inside another, and a salt is no hash."""
    salted = f'"password_salt": "{"0a" * 16}", "passwordHash": "{BCRYPT}"'
    document = '{\n"users": [{"name": "ann", "credentials": [{' + salted + "}]}]}\n"
    with pytest.raises(UnreadableInputError) as raised:
        found(document)
    assert str(raised.value).endswith(
        "jq -c '.. | .credentials?[]?', and name its hash: --column passwordHash"
    )


def test_a_hash_behind_any_number_of_settings_is_found() -> None:
    """The first lines tell that a file is no list, and not that it has no hash."""
    settings = "".join(f"setting_{number} = a value of it\n" for number in range(400))
    assert (Layout.INSIDE, [BCRYPT]) == found(f'{settings}htpasswd: "ann:{BCRYPT}"\n')
