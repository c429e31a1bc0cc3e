"""An earlier version as a draft: its edits give the live estate what it had then, and applying it is the way back."""

from __future__ import annotations

import pytest

from brokerui.changes import services
from brokerui.changes.applying import draft_apply
from brokerui.changes.errors import NothingToRestoreError, TooManyEditsError
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_info
from brokerui.changes.services import draft_from_version
from brokerui.estate.cache import estates
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_as_of, estate_current
from routing.documents.estate_document import write_estate
from routing.model.edits import DropInstance
from tests.brokerui.changes.helpers import AUTHOR, document_of, drop, edits_of, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in, changed, text_of_version
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]


@pytest.fixture
def estate() -> None:
    """Three versions: as it was imported, with two routes more, and with the other address in one of them."""
    brought_in(TWO)
    changed(put("A"), put("B"))
    changed(put("A", "tcp://elsewhere.example"))


@pytest.mark.usefixtures("estate")
def test_the_draft_has_the_document_of_the_version() -> None:
    draft = draft_from_version(version=2, author=AUTHOR)
    estates.clear()
    assert document_of(draft) == write_estate(estate_as_of(version=2).estate)
    assert edits_of(draft) == [put("A")]
    info = draft_info(draft)
    assert (info.name, info.author, info.base_version, info.is_stale) == ("Restore version 2", AUTHOR, 3, False)
    assert estate_current().version == 3
    assert AuditEntry.objects.latest("id").action == "draft.create"


@pytest.mark.usefixtures("estate")
def test_applying_it_makes_the_live_estate_what_it_was() -> None:
    draft = draft_from_version(version=1, author=AUTHOR)
    assert set(edits_of(draft)) == {drop("A"), drop("B")}
    draft_apply(**seen(draft))
    assert text_of_version() == write_estate(TWO)
    assert estate_current().version == 4


@pytest.mark.usefixtures("estate")
def test_an_instance_that_is_no_more_comes_back() -> None:
    before = write_estate(estate_current().estate)
    changed(DropInstance("here"))
    assert document_of(draft_from_version(version=3, author=AUTHOR)) == before


@pytest.mark.usefixtures("estate")
def test_nothing_is_written_where_nothing_differs() -> None:
    changed(put("C"))
    changed(drop("C"))
    for version in (3, 5):
        with pytest.raises(NothingToRestoreError, match=f"does not differ from version {version}"):
            draft_from_version(version=version, author=AUTHOR)
    assert SavedDraft.objects.count() == 0


@pytest.mark.usefixtures("estate")
def test_a_version_that_never_was_is_refused() -> None:
    with pytest.raises(VersionNotFoundError):
        draft_from_version(version=9, author=AUTHOR)


@pytest.mark.usefixtures("estate")
def test_more_edits_than_a_draft_may_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_EDITS", 1)
    with pytest.raises(TooManyEditsError):
        draft_from_version(version=1, author=AUTHOR)
    assert SavedDraft.objects.count() == 0
