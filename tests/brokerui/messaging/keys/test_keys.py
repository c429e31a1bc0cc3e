"""Key pairs of hosted databases: made, exported, taken over; private keys are nowhere to be read."""

from __future__ import annotations

import io
import logging
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    PublicFormat,
)

from brokerui.cli.main import BAD_INPUT, main
from brokerui.estate.models import AuditEntry, Database, Instance
from brokerui.messaging.keys.files import pair_from, public_file, public_from
from brokerui.messaging.keys.models import DatabaseKey, PeerKey
from brokerui.messaging.keys.sealing import seal, unseal
from brokerui.messaging.keys.selectors import keys_of, pair_of, security_of
from brokerui.messaging.keys.services import key_make
from routing.adjacent.guard import SEALED
from routing.common.errors import Invalid
from routing.security.instance_security import DatabaseKeys

PASSPHRASE = "correct horse"


@pytest.fixture(autouse=True)
def instances(db: Any, settings: Any, tmp_path: Path) -> None:
    settings.HOME = tmp_path
    for position, (name, is_hosted) in enumerate([("A", True), ("B", True), ("Far", False)]):
        row = Instance.objects.create(name=name, hosted=is_hosted, position=position)
        Database.objects.create(instance=row, name="Orders", position=0)


def output_of(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["keys", *words]) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


def test_a_pair_is_made_once_and_its_public_key_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    printed = output_of(capsys, "make", "A/Orders")
    pair = pair_of("A", "Orders")
    assert public_from(printed.encode()) == pair.public
    assert output_of(capsys, "export", "A/Orders") == printed
    assert "--replace" in output_of(capsys, "make", "A/Orders", status=BAD_INPUT)
    assert pair_of("A", "Orders") == pair
    assert output_of(capsys, "make", "A/Orders", "--replace") != printed
    assert pair_of("A", "Orders") != pair
    assert list(AuditEntry.objects.values_list("action", "note")) == [("keys.make", "A/Orders")] * 2


def test_no_private_key_is_printed_logged_or_kept_as_it_is(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("BROKERUI_PASSPHRASE", PASSPHRASE)
    file = tmp_path / "pair.pem"
    with caplog.at_level(logging.DEBUG):
        printed = output_of(capsys, "make", "A/Orders") + output_of(
            capsys, "export", "A/Orders", "--private", str(file)
        )
        printed += output_of(capsys, "import", "B/Orders", str(file), "--private")
    private = pair_of("A", "Orders").private
    kept = b"".join(bytes(row.sealed) + bytes(row.public) for row in DatabaseKey.objects.all())
    everything = printed.encode() + caplog.text.encode() + kept + file.read_bytes() + repr(keys_of("A")).encode()
    assert private not in everything
    assert private.hex().encode() not in everything
    assert pair_of("B", "Orders") == pair_of("A", "Orders")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys.secret").stat().st_mode) == 0o600
    assert "cannot be written" in output_of(capsys, "export", "A/Orders", "--private", str(file), status=BAD_INPUT)


def test_public_keys_of_others_become_bindings_or_are_known(
    capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    keys = {name: key_make(instance=name, database="Orders", author="me") for name in "AB"}
    for words in (["--service", "//x/Target"], [], []):
        stdin = io.TextIOWrapper(io.BytesIO(public_file(keys["B"])))
        monkeypatch.setattr("sys.stdin", stdin)
        output_of(capsys, "import", "A/Orders", "-", *words)
    assert PeerKey.objects.count() == 2
    assert keys_of("A") == {"Orders": DatabaseKeys(pair_of("A", "Orders"), {"//x/Target": keys["B"]}, (keys["B"],))}
    protection = security_of("A").protection("Orders", "//x/Target", encryption=True)
    assert protection is not None
    assert protection.integrity == SEALED
    assert security_of("B").protection("Orders", "//x/Target", encryption=True) is None, "no binding there"


def test_what_is_sealed_opens_in_its_place_and_with_its_secret_only(settings: Any) -> None:
    sealed = seal(b"private", "A/Orders", b"public")
    assert unseal(sealed, "A/Orders", b"public") == b"private"
    assert sealed != seal(b"private", "A/Orders", b"public"), "no nonce is used twice"
    for place, public in (("B/Orders", b"public"), ("A/Orders", b"other")):
        with pytest.raises(Invalid):
            unseal(sealed, place, public)
    settings.KEYS_SECRET = "another"
    with pytest.raises(Invalid, match="KEYS_SECRET"):
        unseal(sealed, "A/Orders", b"public")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["make", "Far/Orders"], '"Far" is not hosted here'),
        (["make", "Nobody/Orders"], '"Nobody" is not hosted here'),
        (["make", "A/Nothing"], 'has no database "Nothing"'),
        (["export", "A/Orders"], "A/Orders: A/Orders has no key pair; make one first"),
        (["import", "A/Orders", "FILE"], "holds no public key in the form PEM"),
        (["import", "A/Orders", "FILE", "--private"], "holds no private key that this passphrase opens"),
        (["import", "A/Orders", "nowhere.pem"], "nowhere.pem"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any, words: list[str], problem: str
) -> None:
    monkeypatch.setenv("BROKERUI_PASSPHRASE", PASSPHRASE)
    file = tmp_path / "file"
    file.write_text("nothing")
    error = output_of(capsys, *(str(file) if word == "FILE" else word for word in words), status=BAD_INPUT)
    assert problem in error
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert not DatabaseKey.objects.exists()
    assert not PeerKey.objects.exists()


def test_a_passphrase_must_be_given(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("BROKERUI_PASSPHRASE", raising=False)
    key_make(instance="A", database="Orders", author="me")
    error = output_of(capsys, "export", "A/Orders", "--private", str(tmp_path / "file"), status=BAD_INPUT)
    assert error == "error: BROKERUI_PASSPHRASE: must hold the passphrase of the file\n"


def test_keys_for_other_purposes_are_refused() -> None:
    other = Ed25519PrivateKey.generate()
    with pytest.raises(Invalid, match="none for X25519"):
        public_from(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    sealed = BestAvailableEncryption(PASSPHRASE.encode())
    with pytest.raises(Invalid, match="none for X25519"):
        pair_from(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed), PASSPHRASE)


def test_rows_say_whose_they_are() -> None:
    assert str(DatabaseKey(instance="A", database="Orders")) == "A/Orders"
    assert str(PeerKey(instance="A", database="Orders", service="S")) == "A/Orders: S"
