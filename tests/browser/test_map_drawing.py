"""Drawing on the map of a draft: by mouse, by keyboard alone, by touch; the frames meanwhile, and the edits added."""

from __future__ import annotations

import random
import re
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits
from brokerui.changes.services import draft_create, edits_append
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_as_json, edits_from
from routing.model.edits import DropService, PutInstance, PutService
from routing.model.estate import Instance
from tests.browser.conftest import CONTRAST, MEASURED, NARROW, accessibility_faults, scrolled_sideways
from tests.browser.contrast import pale_texts
from tests.browser.fingers import Fingers, middle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ORDERS, LEDGER = "database/shop/Orders", "database/office/Ledger"
WIDE = {"width": 1900, "height": 1300}


def drafted() -> SavedDraft:
    """A draft of three servers in which a route is added, another one altered, and a third one dropped."""
    estate_import(estate=scenario_get("three-servers"), author="import")
    place = {"instance": "shop", "database": "Orders"}
    post = {"name": "PostRoute", "remote_service_name": "//example/ledger/Post", "address": "TCP://office.example:4022"}
    cart = {"name": "BackToCart", "remote_service_name": "//example/orders/Cart", "address": "TCP://shop.example:4022"}
    edits = edits_from(
        [
            {"edit": "put_route", **place, "route": post},
            {"edit": "put_route", "instance": "depot", "database": "Printing", "route": cart},
            {"edit": "drop_route", **place, "name": "ArchiveRoute"},
        ]
    )
    return draft_create(name="Mend", author="ada", edits=edits)


@pytest.fixture
def draft(site: Page) -> SavedDraft:
    """A draft, its map on the whole of a large screen."""
    found = drafted()
    site.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a mapping of these two
    site.goto(f"/map/?draft={found.id}")
    expect(site.locator("#effect-line")).to_have_attribute("data-state", "settled")
    return found


def added(draft: SavedDraft) -> list[Any]:
    """The edits that were added to the three of the draft."""
    return list(edits_as_json(draft_edits(SavedDraft.objects.get(id=draft.id))[3:]))


def box(page: Page, name: str) -> Locator:
    return page.locator(f'g.shape[data-box="instance/{name}"] a.box > rect.area')


STYLE_AFTER_FRAMES = """() => new Promise((found) => requestAnimationFrame(() => requestAnimationFrame(() =>
    found(document.querySelector("#canvas .sheet").getAttribute("style")))))"""


def resize(page: Page, width: int, height: int) -> None:
    """Set the size of the window, and wait until the map has measured its pane."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(STYLE_AFTER_FRAMES)


def pull(page: Page, start: Locator, end: tuple[float, float]) -> None:
    """Drag without letting go."""
    page.mouse.move(*middle(start))
    page.mouse.down()
    page.mouse.move(end[0], end[1], steps=6)


def places(page: Page) -> Any:
    """Where each box, the panel and the line of effect are on the screen."""
    return page.evaluate(
        """() => [...document.querySelectorAll("a.box > rect.area, #panel, #effect, #canvas")]
            .map((one) => { const { x, y, width, height } = one.getBoundingClientRect();
                            return [x, y, width, height].map(Math.round).join(" "); })"""
    )


def test_a_route_is_drawn_to_an_instance(site: Page, draft: SavedDraft) -> None:
    before = places(site)
    sentence = site.locator("#effect-line .effect-sentence")
    of_the_draft = sentence.inner_text()
    pull(site, site.locator(f'g.handle[data-of="{ORDERS}"] .ring'), middle(box(site, "office")))
    expect(site.locator(".overlay .frame")).to_have_count(5)
    expect(site.locator(".overlay .tag.over")).to_have_text("to office")
    expect(site.locator(".overlay .tag", has_text="stays here: LOCAL")).to_have_count(1)
    expect(sentence).to_contain_text("//example/ledger/Archive")
    assert places(site) == before, "nothing moves while a route is drawn"
    site.keyboard.press("Escape")
    expect(site.locator(".overlay .frame")).to_have_count(0)
    expect(sentence).to_have_text(of_the_draft)
    site.mouse.up()
    expect(site.locator("[data-edit-form]")).to_have_count(0)
    pull(site, site.locator(f'g.handle[data-of="{ORDERS}"] .ring'), middle(box(site, "office")))
    site.mouse.up()
    expect(site.locator("#edit-name")).to_be_focused()
    assert places(site) == before
    site.keyboard.press("Enter")
    row = site.locator('a.row.added[data-ref="route/shop/Orders/ArchiveToOffice"]')
    expect(row).to_have_count(1)
    (edit,) = added(draft)
    assert edit["route"]["address"].lower() == "tcp://office.example:4022"
    assert edit["route"]["remote_service_name"] == "//example/ledger/Archive"


def test_the_picture_comes_on_where_a_route_is_dragged_to_the_edge(site: Page, draft: SavedDraft) -> None:
    resize(site, 1150, 760)
    site.keyboard.press("0")
    mark = site.locator(f'a.cell[data-ref="{ORDERS}"]')
    mark.focus()
    site.keyboard.press("ArrowDown")  # the picture goes where the keys go
    site.keyboard.press("ArrowUp")
    sheet, office = site.locator("#canvas .sheet"), box(site, "office")
    pane = site.locator("#canvas").bounding_box()
    assert pane is not None
    right, bottom = pane["x"] + pane["width"], pane["y"] + pane["height"]
    handle = site.locator(f'g.handle[data-of="{ORDERS}"] .ring')
    before = sheet.get_attribute("style")
    x, y = middle(handle)  # at the edge
    assert right - 28 < x < right - 8
    pull(site, handle, (x, y + 90))
    expect(site.locator(".overlay .frame")).to_have_count(5)
    assert site.evaluate(STYLE_AFTER_FRAMES) == before, "a way along the edge moves nothing"
    site.mouse.move(right - 4, bottom - 120)
    site.wait_for_function(
        "([one, right]) => one.getBoundingClientRect().right < right", arg=[office.element_handle(), right]
    )
    assert sheet.get_attribute("style") != before
    site.keyboard.press("Escape")
    site.mouse.up()


def test_while_an_effect_is_counted_the_one_of_before_is_marked(site: Page, draft: SavedDraft) -> None:
    effect, held, is_over = site.locator("#effect"), list[Any](), Event()

    def hold(route: Any) -> None:
        if is_over.is_set():  # on a slow machine the effect is asked for twice
            route.continue_()
        else:
            held.append(route)

    site.route("**/effect-line/", hold)
    with site.expect_request("**/effect-line/"):  # a user has to rest before the effect is asked for
        pull(site, site.locator(f'g.handle[data-of="{ORDERS}"] .ring'), middle(box(site, "office")))
    expect(effect).to_have_class("map-effect stale")
    assert effect.get_attribute("aria-busy") == "true"
    site.wait_for_timeout(20)  # lets Playwright call `hold`
    is_over.set()
    for one in held:
        one.continue_()
    expect(effect).to_have_class("map-effect")
    expect(site.locator("#effect-line .effect-sentence")).to_contain_text("//example/ledger/Archive")
    site.mouse.up()


def test_the_end_of_a_route_is_put_elsewhere_and_gets_a_mirror(site: Page, draft: SavedDraft) -> None:
    site.locator('a.row[data-ref="route/shop/Orders/LabelsAtDepot"] > rect.area').click(position={"x": 40, "y": 8})
    ends = site.locator(".overlay .end")
    expect(ends).to_have_count(2)
    pull(site, ends.first.locator(".ring"), middle(box(site, "office")))
    expect(site.locator(".overlay .tag.over")).to_have_text("to office")
    site.mouse.up()
    expect(site.get_by_label("Address", exact=True)).to_have_value("tcp://office.example:4022")
    site.keyboard.press("Escape")
    expect(site.locator("[data-edit-form]")).to_have_count(0)
    site.locator('a.row[data-ref="route/shop/Orders/LabelsAtDepot"] > rect.area').click(position={"x": 40, "y": 8})
    pull(site, site.locator(".overlay .end.mirror .ring"), middle(box(site, "office")))
    site.mouse.up()
    expect(site.get_by_role("textbox", name="Mirror")).to_have_value("tcp://office.example:4022")
    site.get_by_role("button", name="Alter in draft").click()
    expect(site.locator('a.row.altered[data-ref="route/shop/Orders/LabelsAtDepot"]')).to_have_count(1)
    (edit,) = added(draft)
    assert "office" in edit["route"]["mirror_address"]
    assert "depot" in edit["route"]["address"]


def test_a_service_is_dragged_to_another_database(site: Page, draft: SavedDraft) -> None:
    service = site.locator(f'a.cell[data-ref="{ORDERS}"] text.service')
    target = site.locator('a.cell[data-ref="database/shop/Directory"] > rect.area')
    pull(site, service, middle(target))
    expect(site.locator(".overlay .tag.over")).to_have_text("to Directory")
    site.mouse.up()
    expect(site.get_by_role("heading", name="2 edits")).to_be_visible()
    site.get_by_role("button", name="Add to draft").click()
    expect(site.locator('a.cell[data-ref="database/shop/Directory"] text.service')).to_have_count(2)
    edits = draft_edits(SavedDraft.objects.get(id=draft.id))[3:]
    assert [type(edit) for edit in edits] == [DropService, PutService]


def test_a_route_is_made_and_another_one_dropped_by_keyboard_alone(site: Page, draft: SavedDraft) -> None:
    site.locator(f'a.cell[data-ref="{ORDERS}"]').focus()
    expect(site.locator(f'g.handle.hot[data-of="{ORDERS}"]')).to_have_count(1)
    site.keyboard.press("c")
    expect(site.get_by_role("heading", name="Connect to…")).to_be_visible()
    target = site.locator("#panel [name=to]")
    expect(target).to_be_focused()
    expect(target).not_to_have_attribute("aria-invalid", "true")
    site.keyboard.type("office")
    site.keyboard.press("Enter")
    expect(site.get_by_role("heading", name="New route")).to_be_visible()
    expect(site.locator("#edit-name")).to_be_focused()
    site.keyboard.press("Enter")
    row = site.locator('a.row.added[data-ref="route/shop/Orders/ArchiveToOffice"]')
    expect(row).to_have_count(1)
    row.focus()
    site.keyboard.press("Delete")
    expect(site.get_by_role("heading", name="1 edit")).to_be_visible()
    expect(site.get_by_role("button", name="Add to draft")).to_be_visible()
    site.get_by_role("button", name="Add to draft").press("Enter")
    expect(row).to_have_count(0)
    assert [edit["edit"] for edit in added(draft)] == ["put_route", "drop_route"]


def test_several_rows_are_dropped_at_once(site: Page, draft: SavedDraft) -> None:
    site.keyboard.press("s")
    for name in ("LabelsAtDepot", "ReserveRoute"):
        row = site.locator(f'a.row[data-ref="route/shop/Orders/{name}"] > rect.area')
        row.click(position={"x": 40, "y": 8})
    site.get_by_role("button", name="Drop 2").click()
    expect(site.get_by_role("heading", name="2 edits")).to_be_visible()
    site.get_by_role("button", name="Add to draft").click()
    expect(site.locator("a.row.dropped")).to_have_count(3)
    assert {edit["name"] for edit in added(draft)} == {"LabelsAtDepot", "ReserveRoute"}


def test_a_moved_box_stays_and_is_no_edit(site: Page, draft: SavedDraft) -> None:
    office = box(site, "office")
    before = office.bounding_box()
    assert before is not None
    site.mouse.move(before["x"] + 200, before["y"] + 8)
    site.mouse.down()
    site.mouse.move(before["x"] + 280, before["y"] + 48, steps=4)
    site.mouse.up()
    after = office.bounding_box()
    assert after is not None
    assert (round(after["x"] - before["x"]), round(after["y"] - before["y"])) == (80, 40)
    assert "moved=" in site.url
    assert not site.url.endswith("select=instance%2Foffice"), "a drag is no click"
    assert added(draft) == []
    site.evaluate("sessionStorage.clear(); localStorage.clear()")
    site.reload()
    assert site.locator('g.shape[data-box="instance/office"]').get_attribute("data-dx") == "80", "the address has it"
    site.get_by_role("button", name="Put boxes back").click()
    assert site.locator('g.shape[data-box="instance/office"]').get_attribute("data-dx") == "0"
    site.locator('g.shape[data-box="instance/office"] a.box').focus()
    site.keyboard.press("Shift+ArrowDown")
    assert site.locator('g.shape[data-box="instance/office"]').get_attribute("data-dy") == "20"
    site.get_by_role("group", name="Tools").get_by_text("Saved views").click()
    site.get_by_label("Name of the view").fill("Office below")
    site.get_by_role("button", name="Save the view").click()
    site.wait_for_url("**view=office-below")
    assert site.locator('g.shape[data-box="instance/office"]').get_attribute("data-dy") == "20", "the view has it"


def test_bundles_open_where_they_stand(site: Page, draft: SavedDraft) -> None:
    bundle = site.locator('a.row[data-ref="route/depot/Stock/BackToCart"]')
    expect(bundle).to_contain_text("BackToCart +1")
    before = site.locator('g.shape[data-box="instance/shop"] a.box > rect.area').bounding_box()
    site.get_by_role("link", name="Open all of Stock").first.click()
    expect(site.locator('a.row[data-ref="route/depot/Stock/InvoicesOverShop"]')).to_have_count(1)
    assert site.locator('g.shape[data-box="instance/shop"] a.box > rect.area').bounding_box() == before
    site.get_by_role("link", name="Bundle the routes of Stock again").first.click()
    expect(bundle).to_contain_text("BackToCart +1")


def test_by_touch(new_context: Any, site: Page) -> None:
    found = drafted()
    context = new_context(has_touch=True, viewport=WIDE)
    context.add_cookies(site.context.cookies())
    page = context.new_page()
    page.goto(f"/map/?draft={found.id}")
    expect(page.locator("#effect-line")).to_have_attribute("data-state", "settled")
    fingers = Fingers(page)
    zoomed_by_two_fingers(page, fingers)
    page.keyboard.press("f")
    fingers.pull(middle(handle_of_orders(page)), middle(box(page, "office")))
    expect(page.locator(".overlay .tag.over")).to_have_text("to office")
    fingers.send("touchEnd")
    expect(page.get_by_role("heading", name="New route")).to_be_visible()
    drawn_on_a_telephone(page, fingers)


def handle_of_orders(page: Page) -> Locator:
    return page.locator(f'g.handle[data-of="{ORDERS}"] .ring')


def zoomed_by_two_fingers(page: Page, fingers: Fingers) -> None:
    x, y = middle(page.locator("#canvas"))
    size = page.locator("[data-size]")
    before = size.inner_text()
    fingers.send("touchStart", (x - 50, y), (x + 50, y))
    fingers.send("touchMove", (x - 75, y), (x + 75, y))
    fingers.send("touchMove", (x - 100, y), (x + 100, y))
    fingers.send("touchEnd")
    expect(size).not_to_have_text(before)


def drawn_on_a_telephone(page: Page, fingers: Fingers) -> None:
    """Where there is least room: no word of a target covers another one."""
    page.keyboard.press("Escape")
    resize(page, *NARROW)
    page.get_by_role("button", name="Fit").click()
    page.locator("#canvas").scroll_into_view_if_needed()
    fingers.pull(middle(handle_of_orders(page)), middle(box(page, "depot")))
    expect(page.locator(".overlay .tag.over")).to_have_text("to depot")
    assert words_that_cover_another(page) == []
    fingers.send("touchEnd")


def words_that_cover_another(page: Page) -> Any:
    """The words of targets that stand on the place of another word, on the screen."""
    return page.evaluate(
        """() => {
            const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
                && one.top < other.bottom - 1 && other.top < one.bottom - 1;
            const all = [...document.querySelectorAll(".overlay .tag")];
            const areas = all.map((one) => one.getBoundingClientRect());
            return all.filter((_, at) => areas.slice(at + 1).some((area) => meet(area, areas[at])))
                .map((one) => one.textContent);
        }"""
    )


def test_a_target_without_an_address_says_why_no_route_can_lead_there(site: Page, draft: SavedDraft) -> None:
    edits_append(number=draft.id, revision=draft.revision, author="ada", edits=[PutInstance(Instance("attic"))])
    site.reload()
    sentence = site.locator("#effect-line .effect-sentence")
    pull(site, site.locator(f'g.handle[data-of="{ORDERS}"] .ring'), middle(box(site, "attic")))
    expect(site.locator("#effect-line")).to_have_attribute("data-state", "refused")
    expect(sentence).to_have_text("No address of attic is known: no route can lead there.")
    expect(site.locator(".overlay .tag.over")).to_have_count(0)
    site.mouse.up()
    expect(sentence).not_to_contain_text("attic is known")
    expect(site.locator("[data-edit-form]")).to_have_count(0)


def test_axe_finds_nothing_in_any_state(site: Page, draft: SavedDraft) -> None:
    site.emulate_media(reduced_motion="reduce")
    assert faults_in_themes(site) == []
    pull(site, site.locator(f'g.handle[data-of="{ORDERS}"] .ring'), middle(box(site, "office")))
    expect(site.locator("#effect")).to_have_class("map-effect")
    assert faults_in_themes(site) == []
    site.mouse.up()
    expect(site.locator("#edit-name")).to_be_focused()
    assert faults_in_themes(site) == []
    site.keyboard.press("Escape")
    site.get_by_text("How to read it", exact=True).first.click()
    site.get_by_text("Find or show a part").click()
    assert faults_in_themes(site) == []
    assert scrolled_sideways(site, NARROW) == []


def faults_in_themes(page: Page) -> list[str]:
    """What axe finds in the dark, and the colours that it finds wrong in the light: in a third of the looks of
    `make test`, as others measure them. Those of the picture are measured in both, each time."""
    page.emulate_media(color_scheme="dark")
    found = [*pale_texts(page), *accessibility_faults(page)]
    page.emulate_media(color_scheme="light")
    found += pale_texts(page)
    return found + (accessibility_faults(page, CONTRAST) if random.random() < MEASURED else [])


def test_quick_add_opens_the_form_of_what_is_chosen_and_puts_a_new_box_there(site: Page, draft: SavedDraft) -> None:
    field, options = site.get_by_role("combobox", name="What to add or connect"), site.locator("#quick [role=option]")
    site.emulate_media(reduced_motion="reduce")
    site.locator(f'a.cell[data-ref="{ORDERS}"]').focus()
    site.keyboard.press("a")
    expect(field).to_be_focused()
    expect(options.first).to_have_text("Connect shop/Orders to…")
    site.keyboard.type("service ledger")
    expect(options.first).to_have_text("Add a service to office/Ledger…")
    assert faults_in_themes(site) == []
    field.focus()
    site.keyboard.press("Enter")
    expect(site.get_by_role("heading", name="New service")).to_be_visible()
    expect(site.locator("#panel [name=place]")).to_have_value("office/Ledger")
    site.keyboard.press("Escape")
    expect(site.locator("[data-edit-form]")).to_have_count(0)
    pane = site.locator("#canvas").bounding_box()
    assert pane is not None
    at = (pane["x"] + 120, pane["y"] + pane["height"] - 200)
    site.mouse.dblclick(*at)
    site.keyboard.type("annex")
    site.keyboard.press("Enter")
    expect(site.locator("#panel [name=name]")).to_have_value("annex")
    site.get_by_role("button", name="Add to draft").click()
    annex = box(site, "annex")
    expect(annex).to_be_visible()
    area = annex.bounding_box()
    assert area is not None
    assert abs(area["x"] - at[0]) < 3
    assert abs(area["y"] - at[1]) < 3


def test_upstream_and_downstream_are_selected_by_key_and_by_touch(site: Page, draft: SavedDraft) -> None:
    site.emulate_media(reduced_motion="reduce")
    site.locator(f'a.cell[data-ref="{LEDGER}"]').focus()
    site.keyboard.press("u")
    expect(site.locator("#reach")).to_contain_text("Upstream: ")
    expect(site.locator('a.row.lit.chosen[data-ref="route/shop/Orders/PostRoute"]')).to_have_count(1)
    expect(site).to_have_url(re.compile("reach=up"))
    expect(site.locator(f'a.cell[data-ref="{LEDGER}"]')).to_be_focused()
    expect(site.locator("#canvas .sheet a.mark[tabindex='0']")).to_have_count(1)
    assert faults_in_themes(site) == []
    expect(site.locator("[data-estate-go]")).to_be_hidden()
    site.keyboard.press("Escape")
    expect(site.locator("a.lit")).to_have_count(0)
    expect(site.locator("#panel h2")).to_contain_text("Ledger")
    site.get_by_role("link", name="Downstream: all that it reaches").click()
    expect(site.locator("a.lit.chosen")).not_to_have_count(0)
    site.go_back()
    expect(site.locator("a.lit")).to_have_count(0)


TEXTS = """() => {
    const pane = document.getElementById("canvas");
    const k = pane.style.getPropertyValue("--k");
    const shown = [...pane.querySelectorAll(".sheet text")].filter((one) => one.checkVisibility());
    return shown.map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        const size = parseFloat(getComputedStyle(one).fontSize) * k;
        return [one.textContent, size, x, y + height * 0.2, width, height * 0.6];
    }); }"""
"""Each text that is shown: its size on the screen, and the area of its letters."""


def test_labels_keep_their_size_on_the_screen_and_cover_none_of_each_other(site: Page, draft: SavedDraft) -> None:
    site.keyboard.press("0")
    rests_at(site)
    before, seen = site.evaluate(TEXTS), []
    for _ in range(8):
        size = rests_at(site)
        texts = site.evaluate(TEXTS)
        seen.append(len(texts))
        assert [text for text in texts if text[1] < 10.9] == [], size
        assert covered(texts) == [], size
        assert {"shop", "office", "depot"} <= {text[0] for text in texts}, size
        site.keyboard.press("-")
    row = site.locator('a.row[data-ref="route/shop/Orders/PostRoute"]')
    row.focus()
    site.keyboard.press("ArrowDown")
    site.keyboard.press("ArrowUp")
    expect(row).to_be_focused()
    expect(site.locator(".map-name")).to_have_text(re.compile("PostRoute.*It leads to office"))
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] < seen[0] / 4
    site.keyboard.press("0")
    rests_at(site)
    assert [text[:2] for text in site.evaluate(TEXTS)] == [text[:2] for text in before]


def rests_at(page: Page) -> str:
    """Return the scale at which the picture has come to rest."""
    page.wait_for_function("() => !document.querySelector('#canvas .sheet.moving')")
    scale = page.evaluate("document.getElementById('canvas').style.getPropertyValue('--k')")
    return f"{100 * float(scale):.0f} %"


def covered(texts: list[Any]) -> list[tuple[str, str]]:
    """The pairs of texts that cover a part of each other."""
    return [
        (one[0], other[0])
        for number, one in enumerate(texts)
        for other in texts[:number]
        if one[2] < other[2] + other[4] - 1
        and other[2] < one[2] + one[4] - 1
        and one[3] < other[3] + other[5] - 1
        and other[3] < one[3] + one[5] - 1
    ]
