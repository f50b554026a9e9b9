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
from hashcost.render.commands.compare import comparison_document
from hashcost.render.commands.recommend import dearest_first, recommendation_document
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
    """
    sections = _side_by_side(measured, policies, devices)
    is_answered = bool(sections)  # The cost for all is the page's one answer.
    for name, value in measured:
        # A page is made to be shown: it does not name the host.
        unnamed = replace(value, host=None)
        when = () if solved_again else (f"Measured {minute(value.created)} UTC",)
        document = recommendation_document(
            unnamed, solved_again=solved_again, policies=policies, devices=devices
        )
        sections.append(
            Section(
                replace(
                    document,
                    head=(*when, *document.head),
                    answer=() if is_answered else document.answer,
                ),
                title=name,
                remarks=tuple(_remark(notice, labels) for notice, labels in notices(unnamed)),
                charts=profile_charts(unnamed, dearest_first(unnamed.recommendations)),
                stem=name.removesuffix(".json").replace("/", "-"),
            )
        )
    return page(_TITLE, sections)


def _remark(notice: Notice, labels: Sequence[str]) -> str:
    """A notice with its hashers and its cure, as far as it has them."""
    subject = f"{', '.join(labels)}: " if labels else ""
    return subject + joined(notice.message, notice.advice)


def _side_by_side(
    measured: Sequence[tuple[str, Profile]], policies: Sequence[Policy], devices: Sequence[Device]
) -> list[Section]:
    """The comparison of several files, if they have a hasher in common."""
    machines = [machine_of(value, name=name, source=name) for name, value in measured]
    if len(machines) < 2:
        return []
    try:
        comparison = compare(
            machines,
            target_seconds=target_of(machines),
            policies=policies,
            device=next(iter(devices), None),
        )
    except InconclusiveError:
        return []
    document = comparison_document(
        comparison, targets_differ=len({machine.target_seconds for machine in machines}) > 1
    )
    return [Section(document, title="Side by side")]
