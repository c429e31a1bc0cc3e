"""Which Chromium the browser tests get (scripts/browser.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import browser


def program(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    return program(tmp_path / "home" / browser.pinned() / "chromium", "echo Chromium 1")


@pytest.fixture
def no_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise AssertionError("nothing was to be installed")

    monkeypatch.setattr(browser, "install", refuse)


def found(tmp_path: Path, **environ: str) -> Path:
    return browser.chromium({"PATH": str(tmp_path / "bin"), **environ}, tmp_path / "home")


@pytest.mark.usefixtures("no_install", "unpacked")
def test_the_one_named_in_the_environment_comes_first(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "chromium", "echo Chromium 2")
    mine = program(tmp_path / "my browser", "echo Chromium 3")
    assert found(tmp_path, BROKERUI_CHROMIUM=str(mine)) == mine


@pytest.mark.usefixtures("no_install", "unpacked")
def test_one_that_is_named_but_broken_is_not_replaced_in_silence(tmp_path: Path) -> None:
    with pytest.raises(browser.BrowserError, match="BROKERUI_CHROMIUM=/nowhere: does not start"):
        found(tmp_path, BROKERUI_CHROMIUM="/nowhere")


@pytest.mark.usefixtures("no_install", "unpacked")
def test_one_on_path_comes_before_the_unpacked_one(tmp_path: Path) -> None:
    system = program(tmp_path / "bin" / "google-chrome", "echo Google Chrome 2")
    assert found(tmp_path) == system


@pytest.mark.usefixtures("no_install")
def test_one_on_path_that_does_not_start_is_passed_over(tmp_path: Path, unpacked: Path) -> None:
    program(tmp_path / "bin" / "chromium-browser", "echo install the snap instead >&2; exit 1")
    assert found(tmp_path) == unpacked


def test_a_half_unpacked_one_is_unpacked_again(tmp_path: Path, unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")

    def install(home: Path, version: str, _environ: object) -> None:
        assert not unpacked.exists()
        program(home / version / "chromium", "echo Chromium 1")

    monkeypatch.setattr(browser, "install", install)
    assert found(tmp_path) == unpacked


def test_without_any_npm_that_works_it_says_what_each_one_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = program(tmp_path / "bin" / "npm", "echo no network here >&2; exit 1")
    monkeypatch.setattr(browser, "npms", lambda _environ: [[str(npm)]])
    with pytest.raises(browser.BrowserError, match="no network here"):
        browser.fetch(tmp_path, {})


def test_the_lock_names_no_package_host() -> None:
    lock = (browser.NPM / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert "omit-lockfile-registry-resolved=true" in (browser.NPM / ".npmrc").read_text(encoding="utf-8")
