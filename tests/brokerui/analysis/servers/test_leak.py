"""Growth between collections, the order of work, and the figures of the clean-up script: pure functions."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from brokerui.analysis.servers.asking_sql import CONVERSATIONS, MESSAGES
from brokerui.analysis.servers.clean_up_plan import clean_up_plan, default_services, services_to_clean
from brokerui.analysis.servers.leak import DatabaseLeak, EarlierSums
from brokerui.analysis.servers.leak_size import size_sentence
from brokerui.analysis.servers.leak_words import growth, headline, lead, order_of_work
from brokerui.analysis.servers.pasting import PastedText, sums_of_text
from brokerui.analysis.servers.selectors import StatesAtMoment
from brokerui.pages.servers.leak_page import growth_figure
from routing.lint.endpoint_leaks import ServiceState

AT = datetime(2026, 11, 24, 8, 37, tzinfo=UTC)
AUDIT = ServiceState("//shop/Audit", False, "DI", {0: 240, 7: 2_000, 180: 48_624_361}, "//shop/Mine")
MAIL = ServiceState("//shop/Mail", False, "CD", {30: 5_000}, "//shop/Mine")
STOCK = ServiceState("//shop/Stock", True, "CO", {30: 2_000}, "//shop/Price")
YOUNG = ServiceState("//shop/Log", False, "DI", {0: 3}, "//shop/Mine")


def leak(*groups: ServiceState, history: tuple[int, ...] = (), hours: float = 24) -> DatabaseLeak:
    """A database whose DI were as many as `history` says, this number of hours apart."""
    moments = [AT - timedelta(hours=hours * number) for number in reversed(range(len(history)))]
    earlier = [EarlierSums(at, {AUDIT.key: count}) for at, count in zip(moments, history, strict=True)]
    return DatabaseLeak(
        server="s",
        database="Orders",
        at=AT,
        groups=groups,
        before=earlier[-2] if len(earlier) > 1 else None,
        first=earlier[0] if len(earlier) > 1 else None,
        history=[
            StatesAtMoment(collection=number, at=at, states={"DI": count})
            for number, (at, count) in enumerate(zip(moments, history, strict=True))
        ],
        queues={"//shop/Audit": "dbo.AuditQueue"},
    )


def test_steady_growth_names_service_and_rate() -> None:
    now = AUDIT.endpoints
    found = leak(AUDIT, history=(now - 3_000, now - 2_000, now - 1_000, now))
    assert str(growth(found)) == "//shop/Audit makes nearly all new ones: 1,000 a day, steadily since 2026-11-21"
    assert str(headline(found)) == "48,626,601 conversations of Orders will never close by themselves"
    assert str(lead(found)) == "1,000 more than a day before."
    assert str(size_sentence(found.leaks)).startswith("They take about 13.6 GB: 301 bytes a row")
    assert size_sentence([YOUNG]) is None


@pytest.mark.parametrize(
    ("history", "hours", "words"),
    [
        ((AUDIT.endpoints,), 24, "One collection shows no growth yet: the next one will"),
        ((AUDIT.endpoints - 10, AUDIT.endpoints), 0.2, "Conversations that are left over do not grow"),
        ((AUDIT.endpoints + 10, AUDIT.endpoints), 24, "Conversations that are left over do not grow"),
        (
            (AUDIT.endpoints - 9_000, AUDIT.endpoints - 8_990, AUDIT.endpoints - 8_980, AUDIT.endpoints),
            24,
            "3,000 a day since",
        ),
    ],
    ids=["one", "too close", "shrinks", "by leaps"],
)
def test_growth_is_said_only_where_it_is_known(history: tuple[int, ...], hours: float, words: str) -> None:
    assert words in str(growth(leak(AUDIT, history=history, hours=hours)))


def test_the_order_of_work_begins_at_the_source() -> None:
    steps = order_of_work(leak(AUDIT, MAIL, STOCK))
    assert [str(step.title) for step in steps] == [
        "Stop the leak",
        "Let it rest for a day",
        "Clean up the conversations that are left over",
        "Give new conversations a lifetime",
    ]
    assert "dbo.AuditQueue" in str(steps[0].text)
    assert "FROM SERVICE [//shop/Stock]\n  TO SERVICE '//shop/Price'" in steps[3].sql
    assert order_of_work(leak(YOUNG)) == []
    assert "Let the target end first" in str(order_of_work(leak(MAIL))[0].text)


def test_the_plan_counts_exactly_the_conversations_that_the_script_takes() -> None:
    found = leak(AUDIT, YOUNG, MAIL)
    assert services_to_clean(found) == ["//shop/Audit", "//shop/Log"]
    assert default_services(found) == ["//shop/Audit"]
    plan = clean_up_plan(found, ["//shop/Audit"], 7)
    assert plan is not None
    assert (plan.ends, plan.stays, plan.batches) == (48_626_361, 5_243, 48_627)
    assert [(one.state, one.endpoints, one.is_young) for one in plan.leaves] == [
        ("DI", 240, True),
        ("CD", 5_000, False),
        ("DI", 3, False),
    ]
    assert "[dbo].[AuditQueue]" in plan.sql
    assert clean_up_plan(found, ["//shop/Mail"], 7) is None
    other = clean_up_plan(found, ["//shop/Log"], 1)
    assert other is not None
    assert other.unread_unknown == ["//shop/Log"]


def test_the_chart_names_each_line_at_its_end_and_no_two_upon_each_other() -> None:
    history = [
        StatesAtMoment(collection=1, at=AT - timedelta(days=n), states={"DI": 9, "CD": 8, "CO": 8}) for n in (1, 0)
    ]
    figure = growth_figure(DatabaseLeak(server="s", database="d", at=AT, groups=[AUDIT], history=history))
    assert [trace["name"] for trace in figure["data"]] == ["DI 9", "CD 8", "CO 8"]
    heights = sorted(note["y"] for note in figure["layout"]["annotations"])
    assert all(later - earlier > 0.05 for earlier, later in pairwise(heights))


@pytest.mark.parametrize(
    ("sql", "row", "count"),
    [
        (MESSAGES, ("Orders", "//a", "//b", "NULL", "", "12", "2026-11-24 02:25:00.000"), ("messages", 12)),
        (CONVERSATIONS, ("Orders", "//a", "//b", "0", "DI", "NULL", "7"), ("states", {"DI": 7})),
    ],
    ids=["messages", "conversations"],
)
def test_the_statements_of_the_page_have_the_columns_that_are_read(
    sql: str, row: tuple[str, ...], count: tuple[str, object]
) -> None:
    selected = sql.partition("FROM")[0].removeprefix("SELECT").replace("\n", " ").split(",")
    columns = [re.split(r" AS |\.", column.strip())[-1] for column in selected]
    text = "\t".join(columns) + "\n" + "\t".join(row) + "\n"
    [database] = sums_of_text(PastedText(server="s", at=AT, content=text.encode()), AT).databases
    assert database.name == "Orders"
    assert getattr(database, count[0]) == count[1]
