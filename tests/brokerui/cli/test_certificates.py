"""`brokerui certify` and `verify-certificate`: what one writes the other checks, with other code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from brokerui.cli.commands import certify
from brokerui.core.home import CHECKOUT
from routing.common.errors import Invalid
from routing.common.sentence import say
from tests.brokerui.cli.command_line import AT, FOUND, LOST, Call, call_with, misused, refused, written


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@pytest.fixture
def files(tmp_path: Path, call: Call) -> tuple[Path, Path, Path]:
    """A certificate and its documents."""
    before, after = written(tmp_path, "b.json", FOUND), written(tmp_path, "a.json", LOST)
    assert call("certify", before, after, *AT, "-o", tmp_path / "c.json").status == 0
    return tmp_path / "c.json", before, after


def test_a_certificate_holds(call: Call, files: tuple[Path, Path, Path]) -> None:
    result = call("verify-certificate", *files)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("The certificate holds at 2026-06-01T00:00:00Z: ")
    assert ": 60 classes of conversations, 3 worse, 0 moved, 1 better, " in result.out


def test_the_first_claim_that_fails_is_printed(call: Call, files: tuple[Path, Path, Path]) -> None:
    certificate, before, after = files
    swapped = call("verify-certificate", certificate, after, before)
    assert (swapped.status, swapped.err) == (1, "")
    assert swapped.out.startswith("The certificate does not hold. $.before: is the hash of another document")
    text = certificate.read_text(encoding="utf-8")
    certificate.write_text(text.replace('"verdict":"worse"', '"verdict":"better"'), encoding="utf-8")
    altered = call("verify-certificate", certificate, before, after)
    assert altered.status == 1
    assert ".verdict: from host1/Orders: it is worse" in altered.out


def test_the_same_document_in_another_spelling_is_the_same(call: Call, files: tuple[Path, Path, Path]) -> None:
    """The hash is that of the document as BrokerUI writes it."""
    certificate, before, after = files
    before.write_text(json.dumps(FOUND, indent=3), encoding="utf-8")
    assert call("verify-certificate", certificate, before, after).status == 0


def test_bad_input_and_usage(call: Call, files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    certificate, before, after = files
    assert "must be an object" in refused(call("verify-certificate", written(tmp_path, "x", "[]"), before, after))
    assert "is missing" in refused(call("verify-certificate", before, before, after))
    assert refused(call("verify-certificate", certificate, tmp_path / "x", after)).startswith(str(tmp_path / "x"))
    assert "cannot be read" in refused(call("verify-certificate", certificate, before, tmp_path / "no"))
    assert "BEFORE" in misused(call("verify-certificate", certificate))
    assert "only one input" in misused(call("verify-certificate", "-", "-", after))


def test_a_change_without_certificate_is_bad_input(
    call: Call, files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*arguments: object) -> str:
        raise Invalid("", say("touches too much"))

    monkeypatch.setattr(certify, "write_certificate", too_large)
    assert refused(call("certify", files[1], files[2])) == f"{files[2]}: touches too much"


def test_the_checker_loads_no_rule_of_the_engine(files: tuple[Path, Path, Path]) -> None:
    program = (
        "import sys; from brokerui.cli.main import main; main(sys.argv[1:]);"
        "print('loaded', *(name for name in sys.modules if name.startswith(('routing.', 'django'))))"
    )
    command = [sys.executable, "-c", program, "verify-certificate", *map(str, files)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, check=True)
    loaded = result.stdout.splitlines()[-1].split()[1:]
    assert "routing.verification.evaluation" in loaded
    assert [name for name in loaded if name.startswith(("routing.classes", "routing.diff", "django"))] == []
