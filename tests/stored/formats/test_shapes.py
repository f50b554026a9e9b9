"""What looks like a hash, and that nothing of it is told."""

import base64
import random
import re
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora import table
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read
from hashcost.stored.formats.shapes import shape_of
from laws import sized
from stored.formats.samples import CRYPT64

HEX: Final = "0a" * 20
BASE64: Final = "kW2fQz8Lr1Vb0xYd7Hs4Tg=="
FOREIGN: Final = "qjwkvzQJWKVZ0123456789+/.$:,;|=-_{}!@# é"
"""Characters of which no word of a shape consists."""

seeds = st.integers(0, 2**32)


def digest(seed: int, size: int) -> bytes:
    """Bytes as random as those of a digest."""
    return random.Random(seed).randbytes(size)


@given(seed=seeds, size=st.integers(16, 64), upper=st.booleans())
def test_a_digest_in_hexadecimal_is_no_plain_text(seed: int, size: int, upper: bool) -> None:
    """Of sixteen bytes and more, whatever they are."""
    text = digest(seed, size).hex()
    assert read(text.upper() if upper else text).kind is not Kind.PLAIN


@given(seed=seeds, size=st.integers(28, 96), padded=st.booleans())
def test_a_digest_in_base64_is_no_plain_text(seed: int, size: int, padded: bool) -> None:
    """Of 28 bytes and more, with or without what fills it up."""
    text = base64.b64encode(digest(seed, size)).decode()
    assert read(text if padded else text.rstrip("=")).kind is not Kind.PLAIN


@table("size, padded, share")
def test_few_short_digests_are_taken_for_words(size: int, padded: bool, share: float) -> None:
    """A short text may look like a word by chance, and one that is filled up does not."""
    texts = [base64.b64encode(digest(seed, size)).decode() for seed in range(1000)]
    told = [shape_of(text if padded else text.rstrip("=")) for text in texts]
    assert sum(shape is not None for shape in told) >= share * len(texts)


@pytest.mark.parametrize("size", [43, 53, 86])
def test_few_digests_of_crypt_are_taken_for_words(size: int) -> None:
    """Dots, which people put between words, are in most of them."""
    drawn = (random.Random(seed).choices(CRYPT64, k=size) for seed in range(1000))
    told = [shape_of("".join(text)) for text in drawn]
    assert sum(shape is not None for shape in told) >= 990


@table("text, shape")
def test_a_shape_says_what_a_hash_is_written_like(text: str, shape: str) -> None:
    """A kind of prefix, or an encoding with its length."""
    assert shape == shape_of(text)


@given(
    text=st.one_of(
        st.text(FOREIGN, max_size=80),
        st.builds("${}${}".format, st.text(FOREIGN), st.text(FOREIGN)),
        st.builds("{{{}}}{}".format, st.text(FOREIGN), st.text(FOREIGN)),
        st.builds("{}:{}".format, st.text(FOREIGN), st.just(HEX)),
    )
)
@example(text="{Jwkqvz1}" + BASE64)
@example(text=f"Qjwkvz12:{BASE64}")
def test_nothing_of_a_text_is_in_its_shape(text: str) -> None:
    """No three letters of it are, and no number that is not a length or a count."""
    shape = shape_of(text) or ""
    letters = re.findall("(?=([A-Za-z]{3}))", text.replace(HEX, ""))
    assert [] == [part for part in letters if part.lower() in shape.lower()]
    assert all(int(number) <= max(9, len(text)) for number in re.findall(r"\b[0-9]{2,}", shape))


@given(seed=seeds, other=seeds, text=st.sampled_from(["{}", "a:{}", "{{FOO}}{}", "$n$1${}"]))
def test_digests_of_one_form_have_one_shape(seed: int, other: int, text: str) -> None:
    """A shape depends on no byte of the digest."""
    one, another = (text.format(digest(each, 30).hex()) for each in (seed, other))
    assert shape_of(one) == shape_of(another)


@pytest.mark.parametrize(
    "text", ["sha1" * 1024, "{" + "sha" * 1000 + "}", "aB3/" * 1024, ("aB3/" * 4 + ":") * 240]
)
def test_any_text_has_its_shape_soon(text: str) -> None:
    """No pattern goes back and forth over a text that was made for it."""
    for _ in range(sized(400)):
        shape_of(text + "!")
