"""A file is passed over only for names that it does not have."""

from hypothesis import given
from hypothesis import strategies as st

from hashcost.source_code.word_marks import marks_in, marks_of, may_have


@given(
    st.lists(st.from_regex(r"\w{1,20}", fullmatch=True), min_size=1),
    st.sampled_from(" .(:\n\ufeff“"),
)
def test_a_file_may_have_each_of_its_words(words: list[str], between: str) -> None:
    """In any script, and whatever stands between them."""
    marked = marks_in(between.join(words).encode())
    assert all(may_have(marked, marks_of(word)) for word in words)
    assert may_have(marked, marks_of(".".join(words)))


def test_hardly_any_file_is_read_for_a_name_that_it_does_not_have() -> None:
    """Of a thousand names, a file of 200 words may have less than one in a hundred."""
    marked = marks_in(" ".join(f"word{number}" for number in range(200)).encode())
    taken = [number for number in range(1000) if may_have(marked, marks_of(f"name{number}"))]
    assert len(taken) < 10
