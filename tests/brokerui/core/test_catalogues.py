"""Sentences are found wherever they stand, and a catalogue with a gap is noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from brokerui.core.catalogues import compile_stale, languages_ready
from brokerui.core.home import CHECKOUT
from scripts import messages


@pytest.fixture(scope="session")
def template() -> Catalog:
    return messages.collect()


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        ("Nothing is here", "brokerui/core/errors.py"),
        ("Always delivered", "brokerui/core/templatetags/look.py"),
        ("Default configuration", "brokerui/estate/scenarios/examples.py"),
        ("Skip to the content", "templates/base.html"),
        (("%(shown)s route", "%(shown)s routes"), "templates/scenarios/_counts.html"),
        ("must be {what}, not {got}", "routing/common/errors.py"),
        (("{count} error", "{count} errors"), "brokerui/analysis/lint/finding_text.py"),
        ("the target service", "brokerui/cli/commands/explain.py"),
    ],
)
def test_it_finds_sentences_in(template: Catalog, sentence: str | tuple[str, str], place: str) -> None:
    message = template.get(sentence)
    assert message is not None
    assert (place, None) in message.locations or (place, 0) in message.locations


@pytest.mark.thorough("`scripts/messages.py --check` compares with what another process has written")
def test_the_same_sources_give_the_same_file(template: Catalog) -> None:
    messages.found_messages.cache_clear()
    assert messages.render(template) == messages.render(messages.collect())


FEW = ("Skip to the content", "must be {what}, not {got}", ("{count} error", "{count} errors"), "the target service")


@pytest.fixture
def few(template: Catalog) -> Catalog:
    """A template of a few sentences: problems of a catalogue do not depend on their number."""
    found = messages._empty()
    for sentence in FEW:
        message = template.get(sentence)
        assert message is not None
        found.add(message.id, locations=message.locations, auto_comments=message.auto_comments)
    return found


@pytest.fixture
def locale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: Catalog) -> Path:
    """A folder with the template and an empty French catalogue."""
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    monkeypatch.setattr(messages, "POT", tmp_path / "django.pot")
    monkeypatch.setattr(messages, "catalogues", lambda: sorted(tmp_path.glob("*/LC_MESSAGES/django.po")))
    messages.begin(few, "fr")
    messages.update(few)
    return tmp_path


def fill(locale: Path, **changed: str) -> None:
    """Translate every sentence as itself, except those in `changed`."""
    path = locale / "fr" / "LC_MESSAGES" / "django.po"
    catalog = messages._read(path)
    for message in catalog:
        if message.id:
            message.string = changed.get(str(message.id), message.id)
    path.write_bytes(messages.render(catalog))


def test_a_full_catalogue_has_no_problems_and_its_language_is_ready_once_compiled(locale: Path, few: Catalog) -> None:
    fill(locale)
    assert list(messages.problems(few)) == []
    assert languages_ready(locale) == set()
    assert [path.name for path in compile_stale(locale)] == ["django.po"]
    assert languages_ready(locale) == {"fr"}
    assert compile_stale(locale) == []


def test_a_sentence_without_translation_a_lost_place_and_an_old_template_are_problems(
    locale: Path, few: Catalog
) -> None:
    fill(locale, **{"Skip to the content": "", "must be {what}, not {got}": "doit être {what}"})
    (locale / "django.pot").write_text("")
    old, lost, untranslated = sorted(messages.problems(few))
    assert "out of date" in old
    assert "places lost or made up: got" in lost
    assert untranslated == "fr/LC_MESSAGES/django.po: not translated: 'Skip to the content'"


@pytest.mark.parametrize(
    ("translated", "lost"),
    [
        (("{count} erreur", "{count} erreurs"), set()),
        (("une erreur", "{count} erreurs"), set()),
        (("{count} 个错误",), set()),
        (("{count} erreur", "des erreurs"), {"count"}),
        (("{nombre} erreur", "{count} erreurs"), {"nombre"}),
        (("", ""), set()),
    ],
)
def test_the_form_for_many_keeps_every_place(translated: tuple[str, ...], lost: set[str]) -> None:
    assert messages._lost_places(("{count} error", "{count} errors"), translated) == lost


def test_folders_are_named_as_languages_are() -> None:
    from brokerui.core.catalogues import _code

    assert _code(Path("zh_Hans/LC_MESSAGES/django.po")) == "zh-hans"


@pytest.mark.thorough("its functions run above, and the next test loads it by itself")
def test_the_script_runs_by_itself() -> None:
    ended = subprocess.run(
        [sys.executable, "scripts/messages.py", "--check"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert ended.returncode in {0, 1}
    assert ended.stderr == ""


def test_the_script_loads_by_itself() -> None:
    """Without what pytest puts on the path of imports."""
    load = "import runpy; runpy.run_path('scripts/messages.py')"
    ended = subprocess.run([sys.executable, "-c", load], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
