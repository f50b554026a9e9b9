"""What click knows of each command, for the reference and the man pages."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from inspect import cleandoc
from typing import Final

import click

from hashcost.cli import COMMANDS, calibrate, load_command


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option: how it is written, and what it does."""

    written: str
    told: str


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command, or ``calibrate`` itself, which shows the options of its default command."""

    name: str
    """With the words before it."""
    summary: str
    usage: str
    paragraphs: tuple[str, ...]
    example: str
    options: tuple[Option, ...]
    epilog: tuple[tuple[str, str], ...] = ()
    """Titles and the lines below them."""


_HELP: Final = Option(written="-h, --help", told="Show the help and exit.")
"""Click's own, which each command has."""


def commands() -> Iterator[Command]:
    """``calibrate`` itself, then each command in the order of its help."""
    root = click.Context(
        calibrate,
        info_name="calibrate",
        max_content_width=10_000,
        help_option_names=["-h", "--help"],
    )
    default = load_command("recommend")
    paragraphs, example = _told(default.help)
    formatter = click.HelpFormatter(width=1000)
    calibrate.format_usage(root, formatter)
    yield Command(
        name="calibrate",
        summary="find the password-hash cost that takes the time you want",
        usage=formatter.getvalue().removeprefix("Usage: ").strip(),
        paragraphs=paragraphs,
        example=example,
        options=_options(root, (*default.params, *calibrate.params)),
        epilog=tuple(_sections(default.epilog or "")),
    )
    for name, summary in COMMANDS.items():
        command = load_command(name)
        context = click.Context(command, info_name=name, parent=root, max_content_width=10_000)
        paragraphs, example = _told(command.help)
        yield Command(
            name=context.command_path,
            summary=summary[0].lower() + summary[1:].rstrip("."),
            usage=" ".join((context.command_path, *command.collect_usage_pieces(context))),
            paragraphs=paragraphs,
            example=example,
            options=_options(context, command.params),
        )


def _told(help_text: str | None) -> tuple[tuple[str, ...], str]:
    """The paragraphs of a help, and the example that it ends with."""
    text = cleandoc(help_text or "")
    text, _, example = text.partition("Example:")
    paragraphs = tuple(
        " ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()
    )
    return paragraphs, " ".join(example.split())


def _options(context: click.Context, parameters: Iterable[click.Parameter]) -> tuple[Option, ...]:
    records = (
        parameter.get_help_record(context)
        for parameter in parameters
        if isinstance(parameter, click.Option)
    )
    texts = {
        written: " ".join(text.split())
        for record in records
        if record
        for written, text in (record,)
    }
    options = (Option(written=written, told=text) for written, text in texts.items())
    return (*options, _HELP)


def _sections(epilog: str) -> Iterator[tuple[str, str]]:
    for block in epilog.split("\b\n"):
        title, _, lines = block.partition(":\n")
        if lines:
            yield title, re.sub(r"^  ", "", lines.rstrip(), flags=re.MULTILINE)
