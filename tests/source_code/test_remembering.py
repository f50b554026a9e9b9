"""Methods that are worked out once."""

from hashcost.source_code.remembering import remembered


class Sums:
    """Notes what it adds up."""

    def __init__(self) -> None:
        self.added: list[tuple[int, int]] = []

    @remembered
    def sum(self, left: int, right: int) -> int | None:
        """Add two numbers; `None` if the sum is negative."""
        self.added.append((left, right))
        if left + right < 0:
            return None
        return left + right


def test_a_method_is_worked_out_once_for_its_arguments() -> None:
    """Each answer is kept, also `None`, and only with its own object."""
    one, other = Sums(), Sums()
    assert [3, 3, None, None, 3] == [
        *(one.sum(1, 2), one.sum(1, 2)),
        *(one.sum(-1, -2), one.sum(-1, -2)),
        other.sum(1, 2),
    ]
    assert ([(1, 2), (-1, -2)], [(1, 2)]) == (one.added, other.added)
