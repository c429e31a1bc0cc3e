"""`brokerui verify-certificate`: check the certificate of a change against both documents, with code of its own."""

from __future__ import annotations

import argparse
import gc
import json
import sys

from brokerui.analysis.lint.finding_text import one_line
from brokerui.cli.arguments import add_estate, add_max_size, one_from_standard_input
from brokerui.cli.inputs import load_bytes
from brokerui.core.languages import here, local
from routing.common.moment import format_second
from routing.common.sentence import Sentence, say
from routing.documents.digest import estate_sha256
from routing.documents.estate_document import read_estate
from routing.verification.certificate_file import ChangeCertificate, read_certificate
from routing.verification.checking import DocumentToCheck, FailedClaim, first_failed_claim


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="FILE", help=local(say("certificate of a change, - for standard input")))
    add_estate(parser, "before")
    add_estate(parser, "after")
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """0 when every claim holds, 1 when one does not: the first one is printed."""
    one_from_standard_input(options.certificate, options.before, options.after)
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    certificate = read_certificate(load_bytes(options.certificate, options.max_size), where=options.certificate)
    before, after = (_document(name, options.max_size) for name in (options.before, options.after))
    failed = first_failed_claim(certificate, before, after)
    answer = _holds(certificate) if failed is None else _fails(failed)
    sys.stdout.write(f"{one_line(answer.render(here()))}\n")
    return int(failed is not None)


def _document(name: str, max_size: int) -> DocumentToCheck:
    """A document that has been found valid; the checker reads its JSON for itself."""
    content = load_bytes(name, max_size)
    digest = estate_sha256(read_estate(content, where=name))
    return DocumentToCheck(json.loads(content.decode("utf-8-sig")), digest)


def _holds(certificate: ChangeCertificate) -> Sentence:
    counts = {verdict: f"{count:,}" for verdict, count in certificate.summary.items()}
    return say(
        "The certificate holds at {at}: {classes} classes of conversations, {worse} worse, {moved} moved, {better} "
        "better, {unchanged} unchanged.",
        at=format_second(certificate.at),
        classes=f"{certificate.classes:,}",
        **counts,
    )


def _fails(failed: FailedClaim) -> Sentence:
    return say("The certificate does not hold. $.{path}: {problem}", path=failed.path, problem=failed.says)
