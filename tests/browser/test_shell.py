"""The shell of every page in a real browser: theme, keys, copying, dropping a file, and what axe says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.site import document
from tests.browser.conftest import NARROW, WIDE, accessibility_faults

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCENARIOS = "/scenarios/"


@pytest.fixture
def gallery(settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.brokerui.gallery"


def colour(page: Page, name: str = "background-color") -> str:
    return str(page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('{name}')"))


def drop(page: Page, *files: tuple[str, str], target: str = ".drop") -> None:
    """Drop files of these names and contents on an element."""
    data = page.evaluate_handle(
        """files => {
            const data = new DataTransfer();
            for (const [name, text] of files) data.items.add(new File([text], name));
            return data;
        }""",
        [list(file) for file in files],
    )
    for kind in ("dragover", "drop"):
        page.dispatch_event(target, kind, {"dataTransfer": data})


# -- Theme -------------------------------------------------------------------------------------------------


def test_without_a_choice_the_system_decides(site: Page) -> None:
    site.emulate_media(color_scheme="light")
    site.goto(SCENARIOS)
    light = colour(site)
    site.emulate_media(color_scheme="dark")
    assert colour(site) != light


def test_the_button_goes_round_and_the_server_remembers(site: Page) -> None:
    site.emulate_media(color_scheme="dark")
    site.goto(SCENARIOS)
    dark = colour(site)
    with site.expect_response("**/theme/"):
        site.get_by_role("button", name="Theme: automatic. Change to light").click()
    light = colour(site)
    assert light != dark
    expect(site.get_by_role("button", name="Theme: light. Change to dark")).to_be_focused()
    site.reload()
    assert colour(site) == light
    with site.expect_response("**/theme/"):
        site.keyboard.press("Tab")
        site.get_by_role("button", name="Theme: light. Change to dark").press("Enter")
    assert colour(site) == dark
    with site.expect_response("**/theme/"):
        site.get_by_role("button", name="Theme: dark. Change to automatic").click()
    assert site.locator("html").get_attribute("data-theme") == "auto"


def test_without_scripts_the_theme_is_a_form(plain_site: Page) -> None:
    plain_site.goto(SCENARIOS + "?scenario=1-default")
    plain_site.get_by_role("button", name="Theme: automatic. Change to light").click()
    assert plain_site.url.endswith("/scenarios/?scenario=1-default")
    assert plain_site.locator("html").get_attribute("data-theme") == "light"


# -- Keyboard ----------------------------------------------------------------------------------------------


def test_the_first_tab_leads_past_the_navigation(site: Page) -> None:
    site.goto(SCENARIOS)
    site.keyboard.press("Tab")
    expect(site.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(site.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    site.keyboard.press("Enter")
    expect(site.locator("main")).to_be_focused()


def test_single_keys(site: Page) -> None:
    site.goto("/nowhere")
    site.keyboard.press("?")
    dialog = site.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    site.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    site.keyboard.press("g")
    site.keyboard.press("s")
    site.wait_for_url("**/scenarios/")
    site.keyboard.press("/")
    expect(site.get_by_label("Estate document")).to_be_focused()


@pytest.mark.usefixtures("gallery")
def test_keys_are_text_in_a_field(site: Page) -> None:
    site.goto("/gallery/")
    site.keyboard.press("/")
    expect(site.get_by_label("From")).to_be_focused()
    site.keyboard.type("/?gs")
    expect(site.get_by_label("From")).to_have_value("/?gs")
    expect(site.get_by_role("dialog")).to_be_hidden()


def test_keys_can_be_turned_off_for_good(site: Page) -> None:
    site.goto(SCENARIOS)
    site.get_by_role("button", name="Keyboard shortcuts").click()
    with site.expect_response("**/shortcuts/"):
        site.get_by_label("Use these keys").uncheck()
    site.get_by_role("button", name="Close").click()
    site.keyboard.press("?")
    expect(site.get_by_role("dialog")).to_be_hidden()
    site.reload()
    site.keyboard.press("?")
    expect(site.get_by_role("dialog")).to_be_hidden()


@pytest.mark.usefixtures("gallery")
def test_copying_says_so_to_eye_and_ear(site: Page, live_server: Any) -> None:
    site.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    site.goto("/gallery/")
    site.get_by_role("button", name="Copy link").click()
    expect(site.locator("#live")).to_have_text("Copied")
    assert site.evaluate("navigator.clipboard.readText()") == "/somewhere?a=b"
    expect(site.get_by_role("button", name="Copy link")).to_be_focused()


def test_the_language_menu_closes_like_a_menu(site: Page, settings: Any) -> None:
    settings.LANGUAGES = [("en", "English"), ("fr", "French")]
    site.goto(SCENARIOS)
    french = site.get_by_role("button", name="français")
    site.get_by_label("Language").press("Enter")
    expect(french).to_be_visible()
    site.keyboard.press("Tab")
    site.keyboard.press("Escape")
    expect(french).to_be_hidden()
    expect(site.get_by_label("Language")).to_be_focused()
    site.get_by_label("Language").click()
    site.get_by_role("heading", name="Scenarios").click()
    expect(french).to_be_hidden()
    site.get_by_label("Language").click()
    french.click()
    expect(site.locator("html")).to_have_attribute("lang", "fr")


# -- Documents ---------------------------------------------------------------------------------------------


def test_a_dropped_document_is_opened(site: Page) -> None:
    site.goto(SCENARIOS)
    drop(site, ("Orders EMEA.json", document("a").decode()))
    site.wait_for_url(re.compile(r"scenario=orders-emea"))


def test_a_dropped_document_that_is_wrong_is_explained(site: Page) -> None:
    site.goto(SCENARIOS)
    drop(site, ("wrong.json", '{"format": "x"}'))
    problem = site.get_by_role("alert").filter(has_text="That document was not accepted")
    expect(problem).to_contain_text("wrong.json")
    expect(problem).to_be_focused()


def test_what_cannot_be_sent_is_told_at_once(site: Page, settings: Any) -> None:
    settings.SCENARIO_MAX_BYTES = 10
    site.goto(SCENARIOS)
    drop(site, ("large.json", "x" * 11))
    expect(site.get_by_role("alert")).to_contain_text("This file is too large.")
    drop(site, ("a.json", "1"), ("b.json", "2"))
    expect(site.get_by_role("alert")).to_contain_text("One file at a time")
    assert site.url.endswith(SCENARIOS)


def test_a_file_that_misses_the_zone_does_not_replace_the_page(site: Page) -> None:
    site.goto(SCENARIOS)
    kept = site.evaluate(
        """() => ["dragover", "drop"].map(kind => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["x"], "x.json"));
            const event = new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true});
            return !document.querySelector("h1").dispatchEvent(event);
        })"""
    )
    assert kept == [True, True]


def test_without_scripts_the_form_takes_a_document(plain_site: Page) -> None:
    plain_site.goto(SCENARIOS)
    file: Any = {"name": "plain.json", "mimeType": "application/json", "buffer": document("a")}
    plain_site.get_by_label("Estate document").set_input_files(files=[file])
    plain_site.get_by_role("button", name="Upload the document").click()
    plain_site.wait_for_url(re.compile(r"scenario=plain"))


def test_deleting_by_keyboard(site: Page) -> None:
    scenario_create(title="Old one", text=document("a"))
    site.goto(SCENARIOS)
    site.get_by_role("button", name="Delete Old one").press("Enter")
    expect(site.get_by_role("status")).to_have_text("Deleted: Old one.")


# -- For everybody -----------------------------------------------------------------------------------------


OTHER_LOOKS = "The same page is looked at once at this size and once in this theme."
LOOKS = [
    pytest.param(path, theme, size, marks=() if turn % 2 == 0 else pytest.mark.thorough(OTHER_LOOKS))
    for first, path in enumerate(["/gallery/", SCENARIOS, "/nowhere", "/broken/"])
    for second, theme in enumerate(["light", "dark"])
    for turn, size in enumerate([WIDE, NARROW], first + second)
]


@pytest.mark.usefixtures("gallery")
@pytest.mark.parametrize(("path", "theme", "size"), LOOKS)
def test_axe_finds_nothing_and_the_page_never_scrolls_sideways(
    site: Page, live_server: Any, path: str, theme: str, size: tuple[int, int]
) -> None:
    scenario_create(title="A document of a rather long name, as exports give them", text=document("a", "b"))
    site.set_viewport_size({"width": size[0], "height": size[1]})
    site.context.add_cookies([{"name": "theme", "value": theme, "url": live_server.url}])
    site.goto(path)
    assert accessibility_faults(site) == []
    assert site.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_axe_finds_nothing_in_what_opens(site: Page) -> None:
    site.goto(SCENARIOS)
    drop(site, ("wrong.json", "{"))
    site.wait_for_selector("[data-problem]")
    assert accessibility_faults(site) == []
    site.get_by_role("heading", name="Scenarios").click()
    site.keyboard.press("?")
    expect(site.get_by_role("dialog")).to_be_visible()
    assert accessibility_faults(site) == []


@pytest.mark.usefixtures("gallery")
def test_nothing_moves_for_who_wants_no_motion(site: Page) -> None:
    site.emulate_media(reduced_motion="reduce")
    site.goto("/gallery/")
    moving = """() => [...document.querySelectorAll("*")].filter(element => {
        const style = getComputedStyle(element);
        return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
    }).length"""
    assert site.evaluate(moving) == 0


@pytest.mark.usefixtures("gallery")
def test_a_print_is_light_and_without_navigation(site: Page) -> None:
    site.emulate_media(color_scheme="dark")
    site.goto("/gallery/")
    site.emulate_media(media="print")
    assert colour(site) == "rgb(255, 255, 255)"
    expect(site.locator("nav")).to_be_hidden()
    expect(site.get_by_role("heading", name="Why")).to_be_visible()
