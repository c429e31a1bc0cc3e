"""`brokerui estate import`: files into the live estate, with the preview of the page as text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.utils import timezone

from brokerui.analysis.imports.applying import apply_build
from brokerui.analysis.imports.as_text import preview_as_text
from brokerui.analysis.imports.detecting import guess
from brokerui.analysis.imports.finding_kinds import something_is_missing
from brokerui.analysis.imports.preview import preview_of
from brokerui.analysis.imports.reading import BuiltEstate, ScriptSettings, build_estate
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.cli.import_report import report
from brokerui.cli.inputs import load_bytes
from brokerui.cli.instance_files import InstanceFiles
from brokerui.cli.product import once_written
from brokerui.cli.script_folder import ScriptFolder
from brokerui.core.languages import here, local
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.messaging.broker_cache import hosted_names
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

NAMED = 5
"""Files that a note names where nobody wrote one."""


def import_run(options: argparse.Namespace) -> int:
    """0 when the estate has all that the files say, 1 when a statement was refused or not understood."""
    sources = list(_sources(options.sources, options.max_size, options.encoding))
    live = estate_current()
    mode = _mode(options)
    settings = ScriptSettings(
        options.at or timezone.now(),
        dict(options.variables),
        frozenset(hosted_names()),
        ScriptFolder(options.max_size, options.encoding),
    )
    made = build_estate(sources, mode, live.estate, settings)
    preview = preview_of(live, made, options.at or timezone.now())
    _show(mode, made, preview.summary, options.format)
    if not options.dry_run:
        with once_written() as answer_with:
            written = _applied(made, live, options)
            answer_with(f"\n{local(_what_came(written, live))}\n")
    return int(something_is_missing(made.findings))


def _show(mode: Mode | None, made: BuiltEstate, summary: dict[str, Any], form: str) -> None:
    """Preview and findings. They are written before anything is applied: where nobody can read them, nothing is."""
    if mode is None and made.mode is Mode.INTO:
        how = say("Run on the live estate, since the scripts change some of its objects (--instances replaces it).")
        sys.stdout.write(f"{local(how)}\n")
    for piece in preview_as_text(summary, here()):
        sys.stdout.write(piece)
    sys.stdout.flush()
    report(made.findings, form)


def _applied(made: BuiltEstate, live: LiveEstate, options: argparse.Namespace) -> LiveEstate:
    imported = {name: Path(file).name for name, file in made.imported.items()}
    note = options.note or ", ".join(sorted(set(imported.values()))[:NAMED])
    try:
        return apply_build(
            estate=made.estate,
            imported=imported,
            author=options.author,
            note=note,
            base_version=live.version,
            shown=made.shown,
        )
    except EstateStaleError:
        problem = say("changed while the files were read; nothing was written, run it again")
        raise InputError(local(say("the live estate")), "", problem) from None


def _what_came(written: LiveEstate, live: LiveEstate) -> Sentence:
    if written.version == live.version:
        return say("Version {version} as before.", version=written.version)
    return say("Applied as version {version}.", version=written.version)


def _mode(options: argparse.Namespace) -> Mode | None:
    """None: as the scripts ask for it."""
    ways = {Mode.WHOLE: options.replace, Mode.INSTANCES: options.instances, Mode.INTO: options.into}
    return next((mode for mode, is_chosen in ways.items() if is_chosen), None)


def _sources(arguments: Sequence[InstanceFiles | str], max_size: int, encoding: str | None) -> Iterator[Source]:
    for each in arguments:
        if isinstance(each, str):
            content = load_bytes(each, max_size)
            yield Source(each, Kind.DOCUMENT, partial(bytes, content), len(content))
            continue
        for file in each.files:
            content = load_bytes(file, max_size)
            kind = guess(file, content).kind
            yield Source(
                file,
                kind,
                partial(bytes, content),
                len(content),
                each.instance,
                each.database,
                next(iter(each.addresses), None),
                each.addresses[1:],
                encoding=encoding,
            )
