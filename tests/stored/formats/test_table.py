"""How a text finds its format."""

from hashcost.stored.formats.reading import SHORTEST, HashReading, Kind
from hashcost.stored.formats.registry import APPS, FORMATS, Format, FormatTable, format_of, read
from hashcost.stored.formats.rows import Row
from stored.formats.samples import SAMPLES, Secrets


def _format(
    name: str,
    rest: str,
    *,
    prefixes: tuple[str, ...] = (),
    lengths: tuple[int, ...] = (),
    apps: tuple[str, ...] = (),
    needs_app: bool = False,
    cost: int = 1,
) -> Format:
    return format_of(
        Row(
            name=name,
            prefixes=prefixes,
            rest=rest,
            hasher="toy",
            params={"cost": cost},
            lengths=lengths,
            apps=apps,
            needs_app=needs_app,
        )
    )


def _hashed(name: str, cost: int, *notes: str) -> HashReading:
    return HashReading(
        kind=Kind.HASHED, format=name, hasher="toy", params={"cost": cost}, notes=notes
    )


_LIKELY = _format("likely", "[a-z]+", prefixes=("$t$",), cost=1)
_OTHER = _format("other", "[a-c]+", prefixes=("$t$",), apps=("toy",), cost=2)


def _name(table: FormatTable, text: str) -> str | None:
    reading = table.read(text)
    return None if reading is None else reading.format


def test_structure_decides_where_it_can() -> None:
    """Of two formats with one prefix, the one whose shape fits is taken, without a note."""
    table = FormatTable([_LIKELY, _OTHER])
    assert _hashed("likely", 1) == table.read("$t$xyz")


def test_two_fits_are_ambiguous() -> None:
    """Where both fit and their costs differ, the likelier is taken and noted."""
    table = FormatTable([_LIKELY, _OTHER])
    assert _hashed("likely", 1, "ambiguous-prefix") == table.read("$t$abc")


def test_two_fits_of_one_cost_are_not_ambiguous() -> None:
    """Where both say the same, there is nothing to decide."""
    same = _format("same", "[a-c]+", prefixes=("$t$",), cost=1)
    assert _hashed("likely", 1) == FormatTable([_LIKELY, same]).read("$t$abc")


def test_the_application_decides() -> None:
    """What the named application writes is taken without a note."""
    table = FormatTable([_LIKELY, _OTHER], "toy")
    assert _hashed("other", 2) == table.read("$t$abc")
    assert _hashed("likely", 1) == table.read("$t$xyz")


def test_what_needs_its_application_is_not_tried_without() -> None:
    """A text that says too little is left alone until its application is named."""
    shy = _format("shy", "[a-z]{13}", lengths=(13,), apps=("toy",), needs_app=True)
    assert _name(FormatTable([shy]), "abcd" * 3 + "a") is None
    assert "shy" == _name(FormatTable([shy], "toy"), "abcd" * 3 + "a")


def test_a_prefix_without_its_rest_is_malformed() -> None:
    """A known prefix is not read as anything else."""
    reading = FormatTable([_LIKELY]).read("$t$123")
    assert HashReading(kind=Kind.UNREADABLE, format="likely") == reading


def test_a_length_without_its_shape_is_nothing() -> None:
    """A text that merely has the length of a hash is no malformed hash."""
    assert _name(FormatTable([_format("long", "[a-z]{13}", lengths=(13,))]), "A" * 13) is None


def test_schemes_are_met_in_any_case() -> None:
    """LDAP's scheme names have no case; Spring's ids have, and are tried first."""
    upper = _format("upper", "[a-z]+", prefixes=("{TOY}",))
    lower = _format("lower", "[0-9]+", prefixes=("{toy}",))
    table = FormatTable([upper, lower])
    assert "upper" == _name(table, "{Toy}abc")
    assert "upper" == _name(table, "{toy}abc")
    assert "lower" == _name(table, "{toy}123")


def test_no_length_is_below_the_shortest() -> None:
    """A shorter text is a hash only by its prefix."""
    assert SHORTEST == min(length for one in FORMATS for length in one.row.lengths)


def test_a_prefix_that_begins_another_hides_no_format() -> None:
    """A text with the longer prefix is tried as the formats of both, whatever their order."""
    longer = _format("longer", "[a-z]+", prefixes=("$t$u$",))
    shorter = _format("shorter", "[a-z$]+[0-9]", prefixes=("$t$",))
    for table in (FormatTable([longer, shorter]), FormatTable([shorter, longer])):
        assert "longer" == _name(table, "$t$u$abc")
        assert "shorter" == _name(table, "$t$u$abc1")
        assert "shorter" == _name(table, "$t$abc1")


def test_a_prefix_hides_no_format_without_one() -> None:
    """A text is malformed only after every format was tried."""
    bare = _format("bare", "word:[0-9]+")
    table = FormatTable([_format("marked", "[a-z]+", prefixes=("word:",)), bare])
    assert "bare" == _name(table, "word:12345678")
    assert HashReading(kind=Kind.UNREADABLE, format="marked") == table.read("word:1234567A")


def test_no_sample_is_hidden_by_the_prefix_of_another() -> None:
    """Of formats that share a prefix, the hashes of each are read, whatever --app says."""
    for sample in SAMPLES:
        text = sample.make(Secrets(5))
        for app in (None, *APPS):
            reading = read(text, app)
            if app is None and sample.app is not None:
                continue
            assert Kind.UNREADABLE is not reading.kind, (sample.label, app)
