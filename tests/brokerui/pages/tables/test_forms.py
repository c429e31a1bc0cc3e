"""The forms of the tables: written rows, refused values with their fields, and the preview before saving."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from brokerui.analysis.effect import effect, saving
from brokerui.changes.models import SavedDraft
from brokerui.estate.cache import estates
from brokerui.estate.models import AuditEntry, Contract, Database, Instance, Queue, Route, Service, Version
from brokerui.estate.selectors import estate_current
from brokerui.pages.tables import change_preview
from routing.model.edits import SetHopLimit
from routing.model.estate import Estate
from tests.brokerui.estate.helpers import GUID, LOCAL, brought_in, changed, estate_of, server, stands, text_of_rows

pytestmark = pytest.mark.django_db
ROUTES = "/tables/estate/route/"


ESTATE = estate_of(
    server(
        "here",
        {
            "name": "Orders",
            "broker_instance": GUID,
            "services": ["Own", {"name": "Ship", "queue": "dbo.Q", "contracts": ["C", "D"]}],
            "contracts": [{"name": "C", "messages": [{"message_type": "M", "sent_by": "ANY"}]}],
            "routes": [LOCAL, {"name": "R", "remote_service_name": "Parts", "address": "tcp://there.example"}],
        },
        {"name": "msdb", "routes": [LOCAL]},
    ),
    server(
        "there",
        {
            "name": "Parts",
            "broker_instance": "00000000-0000-4000-8000-000000000001",
            "services": ["Parts"],
            "routes": [LOCAL, {"name": "Back", "remote_service_name": "Own", "address": "tcp://here.example"}],
        },
        {"name": "msdb", "routes": [LOCAL]},
    ),
)


@pytest.fixture(autouse=True)
def estate() -> Iterator[Estate]:
    """The live one."""
    estates.clear()
    brought_in(ESTATE)
    yield ESTATE
    estates.clear()


def page_of(row: Any, page: str = "change") -> str:
    return reverse(f"tables:estate_{row._meta.model_name}_{page}", args=[row.pk])


def as_sent(client: Client, url: str, **typed: Any) -> dict[str, Any]:
    """Return the data that a browser sends for the form of a page, with the typed values."""
    response = client.get(url)
    assert response.status_code == 200
    form_page = response.context["form_page"]
    sent: dict[str, Any] = {"base_version": str(response.context["base_version"])}
    for section in form_page.sections:
        if section.formset is not None:
            form = section.formset.management_form
            sent |= {form[name].html_name: form[name].value() for name in form.fields}
    for form in form_page.forms:
        sent |= {form[name].html_name: form[name].value() for name in form.fields}
    sent |= typed
    return {
        name: "on" if value is True else value
        for name, value in sent.items()
        if value is not None and value is not False
    }


def save(client: Client, url: str, **typed: Any) -> Any:
    return client.post(url, as_sent(client, url, **typed))


def save_all_the_same(client: Client, url: str, **typed: Any) -> Any:
    """Having seen what gets worse, and which errors it brings."""
    sent = as_sent(client, url, **typed)
    response = client.post(url, sent)
    return client.post(url, sent | consent_of(response)) if response.status_code == 422 else response


def consent_of(response: Any) -> dict[str, str]:
    """Return the tick that a page asks for."""
    return {"consent": response.context["preview"].save.token}


def faults(response: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = response.context["faults"]
    return found


def codes(response: Any, field: str) -> list[str]:
    """The findings at a field."""
    return [note.finding.code for note in response.context["preview"].at_fields.get(field, ())]


# -- Writing -----------------------------------------------------------------------------------------------


def test_a_change_is_one_version_and_one_entry_of_the_audit(editor: Client) -> None:
    route = Route.objects.get(name="R")
    response = save(editor, page_of(route), address="tcp://there.example:4022", note=" moved\n away ")
    assert response.status_code == 302
    live = estate_current()
    assert live.version == 2
    assert (
        live.estate.instances["here"].databases["Orders"].table.routes["R"].address.text == "tcp://there.example:4022"
    )
    entry = AuditEntry.objects.get(version__number=2)
    assert (entry.author, entry.action) == ("editor", "estate.edit")
    assert entry.note == "Tables: changed route here/Orders/R: moved away"
    stands(live.estate)


@pytest.mark.parametrize("model", [Instance, Database, Route, Service, Queue, Contract])
def test_a_form_that_is_sent_back_as_it_came_changes_nothing(editor: Client, model: Any) -> None:
    brought_in(
        estate_of(
            server(
                "here",
                {
                    "name": " Odd / name ",
                    "broker_instance": GUID,
                    "mirroring_role": "PRINCIPAL",
                    "services": [{"name": " S ", "queue": "dbo.Q", "contracts": ["C"]}],
                    "queues": [
                        {"name": "dbo.Q", "activation": {"procedure": "dbo.P", "max_readers": 3, "enabled": False}}
                    ],
                    "contracts": [{"name": "C", "messages": [{"message_type": "M", "sent_by": "TARGET"}]}],
                    "routes": [
                        {
                            "name": "r",
                            "remote_service_name": " S ",
                            "broker_instance": GUID,
                            "lifetime": "2031-01-01T00:00:00.123457Z",
                            "address": "TCP://Here.Example",
                            "mirror_address": "tcp://there:1",
                        }
                    ],
                },
                endpoint={"port": 4022, "forward_size": 7},
            )
        )
    )
    before = text_of_rows()
    response = save(editor, page_of(model.objects.first()))
    assert response.status_code == 302, faults(response)
    assert Version.objects.count() == 2
    assert AuditEntry.objects.filter(action__startswith="estate.").count() == 2
    assert text_of_rows() == before


def test_a_new_route_begins_in_the_database_that_another_page_names(editor: Client) -> None:
    database = Database.objects.get(name="Parts")
    url = f"{ROUTES}add/?database={database.pk}&remote_service_name=Own&next=/routes/"
    response = save(editor, url, name="New", address="tcp://here.example:4022", next="/routes/")
    assert response.status_code == 302, faults(response)
    assert response.headers["Location"] == "/routes/"
    route = Route.objects.get(name="New")
    assert (route.database, route.remote_service_name) == (database, "Own")


def test_it_never_leads_to_another_site(editor: Client) -> None:
    response = save(editor, f"{ROUTES}add/?place=here/Orders", name="New", address="LOCAL", next="//evil.example/")
    assert response.headers["Location"] == ROUTES


@pytest.mark.parametrize("page", ["change", "delete"])
@pytest.mark.parametrize("away", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"])
def test_cancel_leads_to_no_other_site(editor: Client, page: str, away: str) -> None:
    url = page_of(Route.objects.first(), page)
    assert f'href="{ROUTES}">Cancel' in editor.get(url, {"next": away}).content.decode()
    assert 'href="/routes/">Cancel' in editor.get(url, {"next": "/routes/"}).content.decode()


def test_a_new_instance_a_new_database_and_what_is_in_it(editor: Client) -> None:
    save(
        editor,
        "/tables/estate/instance/add/",
        name="third",
        endpoint_port="5022",
        **{"addresses-0-address": "tcp://third"},
    )
    save(editor, "/tables/estate/database/add/?place=third", name="Stock", broker_instance="{" + GUID.upper() + "}")
    for name, values in {
        "service": {"name": "S", "queue": "dbo.Q", "contracts-0-contract": "C"},
        "queue": {"name": "dbo.Q", "activation_procedure": "dbo.P"},
        "contract": {"name": "C", "messages-0-message_type": "M", "messages-0-sent_by": "ANY"},
        "messagetype": {"name": "M", "validation": "EMPTY"},
        "priority": {"name": "P", "priority_level": "9"},
        "remoteservicebinding": {"name": "B", "remote_service_name": "X", "user": "u"},
    }.items():
        response = save_all_the_same(editor, f"/tables/estate/{name}/add/?place=third/Stock", **values)
        assert response.status_code == 302, (name, faults(response))
    found = estate_current().estate.instances["third"]
    assert found.endpoint is not None
    assert (found.endpoint.port, found.endpoint.encryption) == (5022, "REQUIRED")
    stock = found.databases["Stock"]
    assert stock.broker_instance == GUID
    assert stock.user_services[0].contracts == ("C",)
    assert stock.queues[0].activation is not None
    assert stock.queues[0].activation.max_readers == 1
    assert stock.contracts[0].messages[0].sent_by == "ANY"
    assert [
        one.name for kind in ("message_types", "priorities", "remote_service_bindings") for one in getattr(stock, kind)
    ] == ["M", "P", "B"]
    stands(estate_current().estate)


def test_lines_below_a_database_are_one_version_with_it(editor: Client) -> None:
    database = Database.objects.get(name="Orders")
    sent = {
        "broker_enabled": False,
        "routes-1-DELETE": True,
        "routes-2-name": "Third",
        "routes-2-address": "TRANSPORT",
        "services-0-queue": "dbo.Own",
        "queues-0-name": "dbo.Own",
    }
    response = save_all_the_same(editor, page_of(database), **sent)
    assert response.status_code == 302, faults(response)
    live = estate_current()
    orders = live.estate.instances["here"].databases["Orders"]
    assert live.version == 2
    assert list(orders.table.routes) == ["AutoCreatedLocal", "Third"]
    assert not orders.broker_enabled
    assert {one.name: (one.queue, one.contracts) for one in orders.services} == {
        "Own": ("dbo.Own", ()),
        "Ship": ("dbo.Q", ("C", "D")),
    }
    assert [queue.name for queue in orders.queues] == ["dbo.Own"]
    assert orders.contracts, "rows without a table on this form stay"
    stands(live.estate)


def test_more_rows_than_fit_are_a_link(editor: Client) -> None:
    routes = [{**LOCAL, "name": f"R{number}"} for number in range(51)]
    brought_in(estate_of(server("here", {"name": "Big", "routes": routes})))
    url = page_of(Database.objects.get(name="Big"))
    page = editor.get(url).content.decode()
    assert "routes-TOTAL_FORMS" not in page
    assert "/tables/estate/route/?database=here%2FBig" in page
    assert save_all_the_same(editor, url, broker_enabled=False).status_code == 302
    assert len(estate_current().estate.instances["here"].databases["Big"].table.routes) == 51


def test_a_row_is_dropped_after_asking(editor: Client) -> None:
    url = page_of(Database.objects.get(name="Orders"), "delete")
    page = editor.get(url)
    assert "Delete database Orders?" in page.content.decode()
    assert Version.objects.count() == 1
    sent = {"base_version": page.context["base_version"], "note": "gone"}
    assert editor.post(url, sent).status_code == 422
    assert Version.objects.count() == 1
    assert editor.post(url, sent | consent_of(page)).status_code == 302
    assert list(estate_current().estate.instances["here"].databases) == ["msdb"]
    assert AuditEntry.objects.get(version__number=2).note == "Tables: deleted database here/Orders: gone"


# -- Refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "field", "text"),
    [
        ({"address": "tcp:/x"}, "address", "must be LOCAL, TRANSPORT or tcp://HOST[:PORT]"),
        ({"address": ""}, "address", "required"),
        ({"broker_instance": "5fb8"}, "broker_instance", "must be a GUID"),
        ({"lifetime": "soon"}, "lifetime", "must be a date and time"),
        ({"address": "LOCAL", "mirror_address": "tcp://x"}, "mirror_address", "only a tcp: address has a mirror"),
        ({"mirror_address": "TRANSPORT"}, "mirror_address", "must be tcp://HOST[:PORT]"),
        ({"remote_service_name": "x" * 257}, "remote_service_name", "at most 256"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(editor: Client, typed: Any, field: str, text: str) -> None:
    response = save(editor, page_of(Route.objects.get(name="R")), **typed)
    assert response.status_code == 422
    assert list(faults(response)) == [field]
    assert text in faults(response)[field][0]
    assert all(value in response.content.decode() for value in typed.values())
    assert Version.objects.count() == 1


def test_faults_of_lines_stand_in_their_lines(editor: Client) -> None:
    response = save(
        editor,
        page_of(Database.objects.get(name="Orders")),
        **{"routes-1-address": "nowhere", "services-2-name": "Ship", "broker_instance": "x"},
    )
    assert response.status_code == 422
    assert set(faults(response)) == {"routes-1-address", "services-2-name", "broker_instance"}


@pytest.mark.parametrize(("first", "line"), [("tcp://here.example:4022", 1), ("tcp://new", 1)])
def test_an_address_of_another_instance_is_said_at_its_line(editor: Client, first: str, line: int) -> None:
    sent = {"addresses-0-address": first, "addresses-1-address": "tcp://THERE.example/"}
    response = save(editor, page_of(Instance.objects.get(name="here")), **sent)
    assert response.status_code == 422
    assert list(faults(response)) == [f"addresses-{line}-address"]


def test_an_identifier_of_a_neighbour_is_said_at_its_field(editor: Client) -> None:
    response = save(editor, page_of(Database.objects.get(instance__name="here", name="msdb")), broker_instance=GUID)
    assert response.status_code == 422
    assert "broker_instance" in faults(response)


def test_a_name_that_is_there_already_and_a_place_that_is_not(editor: Client) -> None:
    again = save(editor, f"{ROUTES}add/?place=here/Orders", name="R", address="LOCAL")
    assert list(faults(again)) == ["name"]
    nowhere = save(editor, f"{ROUTES}add/", place="here/Nope", name="X", address="LOCAL")
    assert list(faults(nowhere)) == ["place"]


def test_a_stale_form_is_refused_and_keeps_what_was_typed(editor: Client) -> None:
    url = page_of(Route.objects.get(name="R"))
    sent = as_sent(editor, url, address="tcp://there.example:4022")
    changed(SetHopLimit(5))
    response = editor.post(url, sent)
    page = response.content.decode()
    assert response.status_code == 409
    assert "You opened the form at version 1; the estate is at version 2 now" in page
    assert "Version 2 by editor" in page
    assert 'value="tcp://there.example:4022"' in page
    assert "In the estate now:" in page
    assert Version.objects.count() == 2
    again = editor.post(url, {**sent, "base_version": str(response.context["base_version"])})
    assert again.status_code == 302
    assert Version.objects.count() == 3


def test_lines_of_a_stale_form_stay_with_their_names(editor: Client) -> None:
    database = Database.objects.get(name="Orders")
    sent = as_sent(editor, page_of(database), **{"routes-1-remote_service_name": "Other"})
    drops = page_of(Route.objects.get(name="AutoCreatedLocal", database=database), "delete")
    editor.post(drops, {"base_version": "1"} | consent_of(editor.get(drops)))
    response = editor.post(page_of(database), sent)
    assert response.status_code == 409
    names = re.findall(r'name="routes-\d-was" value="(\w*)"', response.content.decode())
    assert names[:2] == ["AutoCreatedLocal", "R"]


# -- Findings before saving --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "field", "code"),
    [
        ({"address": "tcp://there.example:5000"}, "address", "wrong-port"),
        ({"address": "tcp://gone.example"}, "address", "unknown-address"),
        ({"address": "tcp://here.example"}, "address", "own-address"),
        ({"remote_service_name": "parts"}, "remote_service_name", "similar-service-name"),
        ({"broker_instance": "00000000-0000-4000-8000-000000000000"}, "broker_instance", "unknown-identifier"),
        ({"lifetime": "2020-01-01T00:00:00Z"}, "lifetime", "route-expired"),
        ({"mirror_address": "tcp://there.example:4022"}, "mirror_address", "mirror-equals-address"),
    ],
)
def test_a_finding_that_the_change_brings_stands_at_its_field(
    editor: Client, typed: Any, field: str, code: str
) -> None:
    route = Route.objects.get(name="R")
    sent = as_sent(editor, page_of(route), **typed)
    response = editor.post(page_of(route, "preview"), sent)
    assert response.status_code == 200
    assert code in codes(response, field)
    assert all(note.is_new for note in response.context["preview"].at_fields[field])
    assert f'id="id_{field}_error" hx-swap-oob="true"' in response.content.decode()
    assert "new with this change" in response.content.decode()
    assert Version.objects.count() == 1, "looking writes nothing"


def test_a_finding_of_a_line_stands_in_its_line(editor: Client) -> None:
    database = Database.objects.get(name="Orders")
    sent = as_sent(editor, page_of(database), **{"routes-1-address": "tcp://gone.example"})
    response = editor.post(page_of(database, "preview"), sent)
    assert codes(response, "routes-1-address") == ["unknown-address"]


def test_what_is_there_already_is_said_when_the_form_opens(editor: Client) -> None:
    brought_in(
        estate_of(
            server(
                "here",
                {
                    "name": "D",
                    "queues": [{"name": "dbo.Q", "enabled": False}],
                    "services": [{"name": "S", "queue": "dbo.Q"}],
                },
            )
        )
    )
    response = editor.get(page_of(Queue.objects.get(name="dbo.Q")))
    assert codes(response, "enabled") == ["queue-off"]
    assert "new with this change" not in response.content.decode()


def test_an_error_that_the_change_brings_is_asked_about_once(editor: Client) -> None:
    url = page_of(Route.objects.get(name="R"))
    sent = as_sent(editor, url, remote_service_name="parts")
    first = editor.post(url, sent)
    assert first.status_code == 422
    assert "I have seen the" in first.content.decode()
    assert "similar-service-name" in {note.finding.code for note in first.context["preview"].errors}
    assert Version.objects.count() == 1
    assert editor.post(url, {**sent, "consent": "another"}).status_code == 422
    assert editor.post(url, sent | consent_of(first)).status_code == 302
    assert Version.objects.count() == 2


def test_how_many_conversations_end_otherwise(editor: Client) -> None:
    route = Route.objects.get(name="R")
    response = editor.post(page_of(route, "preview"), as_sent(editor, page_of(route), remote_service_name="Other"))
    save = response.context["preview"].save
    assert save.worse == sum(kind.count for kind in save.kinds) > 0
    page = response.content.decode()
    assert "Orders on here →" in page, "what gets worse is named"
    assert 'name="consent"' in page
    same = editor.post(page_of(route, "preview"), as_sent(editor, page_of(route), address="TCP://THERE.EXAMPLE"))
    assert "No conversation changes" in same.content.decode()
    assert 'name="consent"' not in same.content.decode()


def test_what_gets_worse_is_saved_only_by_somebody_who_has_seen_exactly_that(editor: Client) -> None:
    url = page_of(Route.objects.get(name="R"), "delete")
    other = page_of(Route.objects.get(name="Back"), "delete")
    sent = {"base_version": "1"}
    refused = editor.post(url, sent | consent_of(editor.get(other)))
    assert refused.status_code == 422
    assert "Nothing is saved yet" in refused.content.decode()
    assert editor.post(url, sent | consent_of(refused)).status_code == 302


def test_an_effect_that_takes_long_is_confirmed_knowingly(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    effect.forget()
    monkeypatch.setattr(change_preview, "COMPARED_S", 0)
    monkeypatch.setattr(saving, "SAVE_S", 0)
    url = page_of(Route.objects.get(name="R"), "delete")
    page = editor.get(url)
    assert "Still counting: 0 of" in page.content.decode()
    refused = editor.post(url, {"base_version": "1"})
    assert refused.status_code == 422
    assert "still being counted" in refused.content.decode()
    assert editor.post(url, {"base_version": "1", "_count": "1"}).status_code == 200
    assert editor.post(url, {"base_version": "1"} | consent_of(refused)).status_code == 302


def test_edits_of_a_form_are_kept_as_a_draft(editor: Client) -> None:
    url = page_of(Route.objects.get(name="R"))
    response = editor.post(url, as_sent(editor, url, address="LOCAL", _draft="1"))
    draft = SavedDraft.objects.get()
    assert response.headers["Location"] == reverse("changes:effect", args=[draft.pk])
    assert (draft.name, draft.edit_count) == ("Changed route here/Orders/R", 1)
    assert Version.objects.count() == 1


def test_dropping_says_what_it_brings(editor: Client) -> None:
    response = editor.get(page_of(Route.objects.get(name="R"), "delete"))
    assert response.context["preview"].save.worse > 0


# -- A site that is read-only ------------------------------------------------------------------------------


def test_a_read_only_site_shows_everything_and_saves_nothing(editor: Client, settings: Any) -> None:
    route = Route.objects.get(name="R")
    sent = as_sent(editor, page_of(route), address="LOCAL")
    settings.READ_ONLY = True
    page = editor.get(page_of(route))
    assert page.status_code == 200
    assert "This site is read-only" in page.content.decode()
    assert 'name="_save"' not in page.content.decode()
    assert editor.get(ROUTES).status_code == 200
    assert editor.get("/tables/").status_code == 200
    assert editor.get(f"{ROUTES}add/").status_code == 403
    for url in (page_of(route), page_of(route, "delete"), page_of(route, "preview"), ROUTES):
        assert editor.post(url, sent).status_code == 403
    assert Version.objects.count() == 1
