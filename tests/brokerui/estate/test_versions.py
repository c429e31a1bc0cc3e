"""Every version comes back as it was, however it is kept, and by its number or a moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from brokerui.core.cache import LruCache
from brokerui.estate import selectors, services
from brokerui.estate.cache import estates
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.models import Version
from brokerui.estate.selectors import EMPTY, estate_as_of, estate_current, version_list
from routing.documents.estate_document import write_estate
from routing.model.edits import SetHopLimit
from routing.model.estate import Edit, Estate
from tests.brokerui.estate.helpers import TWO, brought_in, changed
from tests.strategies.rich import edited

pytestmark = pytest.mark.both_databases


class Rebuilding(TestCase):
    @pytest.mark.thorough("each way to write a version is tested on PostgreSQL below", on="postgresql")
    @settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(edited(), min_size=1, max_size=3), st.integers(0, 4))
    def test_any_version_is_rebuilt_exactly(self, drawn: list[tuple[Estate, list[Edit]]], checkpoint: int) -> None:
        """Whether it holds its document or edits since one a while ago."""
        kept = services.CHECKPOINT_VERSIONS
        services.CHECKPOINT_VERSIONS = checkpoint
        try:
            texts = {0: write_estate(EMPTY)}
            for estate, edits in drawn:
                for written in (brought_in(estate), *(changed(edit) for edit in edits)):
                    texts[written.version] = write_estate(written.estate)
        finally:
            services.CHECKPOINT_VERSIONS = kept
        for number in sorted(texts, key=lambda n: -n if checkpoint % 2 else n):
            if number:
                if checkpoint > 1:
                    estates.clear()
                assert write_estate(estate_as_of(version=number).estate) == texts[number]
        assert estate_current().version == max(texts)


@pytest.mark.django_db
def test_before_the_first_version_the_estate_is_empty() -> None:
    assert estate_current().version == 0
    assert estate_current().estate == Estate()
    for ask in ({"version": 1}, {"version": 0}, {"at": timezone.now()}):
        with pytest.raises(VersionNotFoundError):
            estate_as_of(**ask)  # type: ignore[arg-type] - each case has arguments of its types


@pytest.mark.django_db
def test_a_moment_finds_the_version_that_was_in_force() -> None:
    brought_in(TWO)
    changed(SetHopLimit(3))
    first, second = Version.objects.order_by("number")
    assert estate_as_of(at=first.created_at).version == 1
    assert estate_as_of(at=second.created_at - timedelta(microseconds=1)).version == 1
    assert estate_as_of(at=second.created_at).version == 2
    assert estate_as_of(at=timezone.now()).estate.hop_limit == 3
    with pytest.raises(VersionNotFoundError) as caught:
        estate_as_of(at=first.created_at - timedelta(microseconds=1))
    assert caught.value.at == first.created_at - timedelta(microseconds=1)


@pytest.mark.django_db
def test_versions_follow_in_time_though_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    brought_in(TWO)
    monkeypatch.setattr(services.timezone, "now", lambda: datetime(2001, 1, 1, tzinfo=UTC))
    changed(SetHopLimit(3))
    first, second = Version.objects.order_by("number")
    assert second.created_at == first.created_at + timedelta(microseconds=1)


@pytest.mark.django_db
def test_a_version_is_written_whole_when_the_edits_before_it_are_many_or_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(services, "CHECKPOINT_VERSIONS", 3)
    brought_in(TWO)
    for limit in range(1, 8):
        changed(SetHopLimit(limit))
    monkeypatch.setattr(services, "CHECKPOINT_BYTES", 1)
    changed(SetHopLimit(9))
    versions = Version.objects.order_by("number")
    assert [version.checkpoint for version in versions] == [1, 1, 1, 1, 5, 5, 5, 5, 9]
    assert [version.document is not None for version in versions] == [True, *[False] * 3, True, *[False] * 3, True]
    assert [version.weight > 0 for version in versions] == [False, *[True] * 3, False, *[True] * 3, False]


@pytest.mark.django_db
def test_the_same_history_has_the_same_digest_and_another_has_another() -> None:
    def digest(*limits: int) -> str:
        with transaction.atomic():
            brought_in(TWO)
            for limit in limits:
                last = changed(SetHopLimit(limit)).digest
            transaction.set_rollback(True)
        return last

    assert digest(3, 4) == digest(3, 4)
    assert len({digest(4), digest(3, 4), digest(2, 4)}) == 3, "the versions before count too"


@pytest.mark.django_db
def test_what_was_rolled_back_is_not_mistaken_for_what_came_after() -> None:
    with transaction.atomic():
        brought_in(TWO)
        transaction.set_rollback(True)
    changed(SetHopLimit(3))
    assert write_estate(estate_current().estate) == write_estate(Estate(hop_limit=3))


@pytest.mark.django_db
def test_from_a_version_in_memory_only_the_edits_since_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    brought_in(TWO)
    for limit in (1, 2, 3):
        changed(SetHopLimit(limit))
    estates.clear()
    here = estate_as_of(version=2).estate.instances["here"]
    monkeypatch.setattr(selectors, "unpack_estate", None)
    assert estate_as_of(version=4).estate.hop_limit == 3
    assert estate_as_of(version=4).estate.instances["here"] is here, "what no edit touched is shared"


@pytest.mark.django_db
def test_the_list_is_newest_first_and_goes_on() -> None:
    for limit in range(1, 8):
        changed(SetHopLimit(limit))
    assert [version.number for version in version_list(limit=3)] == [7, 6, 5]
    assert [version.number for version in version_list(before=5, limit=3)] == [4, 3, 2]
    assert {"document", "edits"} <= version_list(limit=1)[0].get_deferred_fields()


def test_the_memory_forgets_what_was_asked_for_longest_ago() -> None:
    memory = LruCache[Estate](2)
    one, two, three = Estate(), Estate(hop_limit=1), Estate(hop_limit=2)
    memory.put("1", one)
    memory.put("2", two)
    assert memory.get("1") is one
    memory.put("3", three)
    assert (memory.get("1"), memory.get("2"), memory.get("3")) == (one, None, three)
