"""An authority, and certificates of it, made for one test."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from brokerui.messaging.endpoint.tls import Tls, tls_of


class Authority:
    def __init__(self, folder: Path, name: str = "authority") -> None:
        self.folder = folder
        self.name = _name(name)
        self.key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            _begun(self.name, self.name, self.key.public_key(), timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self.key, hashes.SHA256())
        )
        self.path = folder / f"{name}.pem"
        self.path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def tls(
        self,
        name: str,
        *,
        authority: Authority | None = None,
        days: int = 1,
        places: Sequence[str] = ("127.0.0.1",),
        connect: Sequence[str] = (),
    ) -> Tls:
        """TLS of a peer with a certificate of ours, which trusts us or another authority."""
        certificate, key = self.files(name, days, places)
        made = tls_of(str(certificate), str(key), str((authority or self).path), connect)
        assert made is not None
        return made

    def files(
        self,
        name: str,
        days: int = 1,
        places: Sequence[str] = ("127.0.0.1",),
        *,
        names: Sequence[str] = (),
        begins: timedelta = timedelta(days=-30),
    ) -> tuple[Path, Path]:
        """Certificate and key; ended already where `days` is negative, not valid yet where it begins later than now."""
        key = ec.generate_private_key(ec.SECP256R1())
        others = [x509.IPAddress(ip_address(place)) for place in places]
        named = [x509.DNSName(one) for one in (f"{name}.example", *names)]
        certificate = (
            _begun(_name(name), self.name, key.public_key(), timedelta(days=days), begins)
            .add_extension(x509.SubjectAlternativeName([*named, *others]), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        paths = self.folder / f"{name}{days}.pem", self.folder / f"{name}{days}.key"
        paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        form = serialization.PrivateFormat.PKCS8
        paths[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
        paths[1].chmod(0o600)
        return paths


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    lasts: timedelta,
    begins: timedelta = timedelta(days=-30),
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins)
        .not_valid_after(now + lasts)
    )
