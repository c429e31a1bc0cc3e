"""Scenarios: kept as given, checked before, read once, limited in number."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.estate.scenarios import selectors
from brokerui.estate.scenarios.errors import DocumentTooLargeError, ScenarioNotFoundError
from brokerui.estate.scenarios.examples import DOCUMENTED, OWN
from brokerui.estate.scenarios.models import Scenario
from brokerui.estate.scenarios.selectors import scenario_document, scenario_find, scenario_get, scenario_list
from brokerui.estate.scenarios.services import scenario_create, scenario_delete
from routing.common.errors import InputError
from tests.brokerui.site import document

pytestmark = pytest.mark.django_db


def test_the_examples_are_there_and_have_words() -> None:
    found = scenario_list()
    assert [info.name for info in found] == [example.name for example in (*DOCUMENTED, *OWN)]
    assert all(info.is_example and info.title and info.description and info.counts.routes for info in found)


def test_an_example_is_an_estate() -> None:
    assert "headquarters" in scenario_get("1-default").instances
    assert scenario_find("1-default").counts.instances == 1
    assert scenario_get("1-default") is scenario_get("1-default"), "it is parsed once"


def test_an_example_that_is_edited_on_disk_is_read_again(tmp_path: Any, settings: Any) -> None:
    settings.EXAMPLES = tmp_path
    (tmp_path / "8-mine.json").write_bytes(document("a"))
    assert list(scenario_get("8-mine").instances) == ["a"]
    (tmp_path / "8-mine.json").write_bytes(document("a", "b"))
    assert list(scenario_get("8-mine").instances) == ["a", "b"]
    assert scenario_find("8-mine").title == "8-mine"


def test_a_document_is_kept_as_it_was_given() -> None:
    text = document("a", "b")
    scenario, gone = scenario_create(title="My estate.json", text=text)
    assert gone == []
    assert (scenario.name, scenario.title) == ("my-estate", "My estate")
    assert scenario_document("my-estate") == text
    assert list(scenario_get("my-estate").instances) == ["a", "b"]
    counts = scenario_find("my-estate").counts
    assert (counts.instances, counts.databases, counts.services, counts.routes) == (2, 2, 4, 2)


def test_text_and_bytes_are_the_same() -> None:
    one, _ = scenario_create(title="one", text=document("a"))
    two, _ = scenario_create(title="two", text=document("a").decode())
    assert one.sha256 == two.sha256


def test_what_users_gave_comes_after_the_examples_newest_first() -> None:
    for title in ("first", "second"):
        scenario_create(title=title, text=document("a"))
    assert [info.name for info in scenario_list()][-3:] == ["three-servers", "second", "first"]


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["x", "x", "x"], ["x", "x-2", "x-3"]),
        (["1-default"], ["1-default-2"]),
        (["路由", "…"], ["scenario", "scenario-2"]),
        (["../../etc/passwd", "a/b"], ["etcpasswd", "ab"]),
        (["", ".json"], ["scenario", "scenario-2"]),
        (["y" * 300], ["y" * 60]),
    ],
)
def test_every_scenario_has_a_name_of_its_own(titles: list[str], names: list[str]) -> None:
    assert [scenario_create(title=title, text=document("a"))[0].name for title in titles] == names


def test_a_title_is_one_line_of_readable_length() -> None:
    scenario, _ = scenario_create(title="a\nb\t" + "c" * 300, text=document("a"))
    assert scenario.title.startswith("a b c")
    assert len(scenario.title) == 200


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (b"", ""),
        (b"{", ""),
        (b"[]", ""),
        (b"\xff\xfe", ""),
        (b'{"format": "brokerui.estate/9"}', "format"),
        (document("a", "a"), "instances"),
        (document("a").replace(b"LOCAL", b"ftp://x"), "address"),
        (document("a").replace(b'"services"', b'"servces"'), "servces"),
        (b"[" * 100_000, ""),
    ],
)
def test_a_document_that_is_wrong_is_refused_and_not_kept(text: bytes, path: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario_create(title="bad.json", text=text)
    assert caught.value.where == "bad.json"
    assert path in caught.value.path + str(caught.value.problem)
    assert not Scenario.objects.exists()


def test_a_document_that_is_too_large_is_refused(settings: Any) -> None:
    settings.SCENARIO_MAX_BYTES = len(document("a"))
    scenario_create(title="just right", text=document("a"))
    with pytest.raises(DocumentTooLargeError):
        scenario_create(title="too large", text=document("a") + b" ")


def test_the_oldest_makes_room(settings: Any) -> None:
    settings.SCENARIO_KEEP = 2
    for title in ("one", "two"):
        assert scenario_create(title=title, text=document("a"))[1] == []
    assert scenario_create(title="three", text=document("a"))[1] == ["one"]
    assert list(Scenario.objects.values_list("name", flat=True)) == ["three", "two"]


def test_what_is_deleted_is_gone() -> None:
    scenario_create(title="one", text=document("a"))
    scenario_get("one")
    assert scenario_delete(name="one") == "one"
    for ask in (scenario_get, scenario_find, scenario_document):
        with pytest.raises(ScenarioNotFoundError):
            ask("one")


@pytest.mark.parametrize("name", ["1-default", "none", "../secret", ""])
def test_only_what_users_gave_can_be_deleted(name: str) -> None:
    with pytest.raises(ScenarioNotFoundError):
        scenario_delete(name=name)


def test_a_name_that_is_used_again_means_the_new_document() -> None:
    scenario_create(title="one", text=document("a"))
    assert list(scenario_get("one").instances) == ["a"]
    scenario_delete(name="one")
    scenario_create(title="one", text=document("b"))
    assert list(scenario_get("one").instances) == ["b"]


def test_looking_at_the_list_reads_no_document(django_assert_num_queries: Any) -> None:
    for title in ("one", "two", "three"):
        scenario_create(title=title, text=document("a"))
    with django_assert_num_queries(1) as captured:
        scenario_list()
    assert '"document"' not in captured.captured_queries[0]["sql"]


def test_going_back_to_an_estate_does_not_parse_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario_create(title="one", text=document("z"))
    scenario_get("one")
    monkeypatch.setattr(selectors, "read_estate", None)
    assert list(scenario_get("one").instances) == ["z"]
