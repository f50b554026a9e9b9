"""The page that `calibrate report` writes: the documents of the other commands, with charts."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.core.errors import InconclusiveError
from hashcost.core.machine import Notice
from hashcost.core.profile import Profile
from hashcost.core.text import joined
from hashcost.machines.comparison import compare, target_of
from hashcost.machines.profile_files import machine_of
from hashcost.render.charts import profile_charts
from hashcost.render.commands.advice import dearest_first
from hashcost.render.commands.compare import comparison_document
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.formats.html_format import Section, page
from hashcost.render.wording import minute, notices
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.policy import Policy

_TITLE: Final = "What a password hash should cost"


def report_page(
    measured: Sequence[tuple[str, Profile]],
    *,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
    solved_again: bool = False,
) -> str:
    """A section for each file, by its name, after a comparison of those that share a hasher.

    ``policies`` and ``devices`` are those that the profiles were appraised by.

    Raises:
        UnavailableError: Jinja or matplotlib is not installed.
        UnwritableOutputError: a chart cannot be drawn.
    """
    sections = _side_by_side(measured, policies, devices)
    is_answered = bool(sections)
    for name, named in measured:
        # A page is made to be shown: it does not name the host.
        profile = replace(named, host=None)
        document = recommendation_document(
            profile, solved_again=solved_again, policies=policies, devices=devices
        )
        if is_answered:
            # The cost for all is the page's one answer.
            document = replace(document, answer=())
        if not solved_again:
            when = f"Measured {minute(profile.created)} UTC"
            document = replace(document, head=(when, *document.head))
        section = Section(
            document,
            title=name,
            remarks=tuple(_remark(notice, labels) for notice, labels in notices(profile)),
            charts=profile_charts(profile, dearest_first(profile.recommendations)),
            stem=name.removesuffix(".json").replace("/", "-"),
        )
        sections.append(section)
    return page(_TITLE, sections)


def _remark(notice: Notice, labels: Sequence[str]) -> str:
    """A notice with its hashers and its cure, as far as it has them."""
    remark = joined(notice.message, notice.advice)
    if labels:
        return f"{', '.join(labels)}: {remark}"
    return remark


def _side_by_side(
    measured: Sequence[tuple[str, Profile]], policies: Sequence[Policy], devices: Sequence[Device]
) -> list[Section]:
    """The comparison of several files, if they have a hasher in common."""
    if len(measured) == 1:
        return []
    machines = [machine_of(profile, name=name, source=name) for name, profile in measured]
    try:
        comparison = compare(
            machines,
            target_seconds=target_of(machines),
            policies=policies,
            device=devices[0] if devices else None,
        )
    except InconclusiveError:
        return []
    targets = {machine.target_seconds for machine in machines}
    document = comparison_document(comparison, targets_differ=len(targets) > 1)
    return [Section(document, title="Side by side")]
