"""The estate that files make of the live one, and all that is to be said of them.

The page, the command and the REST interface read here, as `import-sql` and `import-catalog` do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, groupby

from brokerui.analysis.imports.collected import CollectedFile, collected_file, dated, findings_of_files
from brokerui.analysis.imports.hosted_identifiers import with_hosted_identifiers
from brokerui.analysis.imports.included_files import SentAlong, without_read_in
from brokerui.analysis.imports.known_instances import known_databases, named_as_known, with_known_addresses
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.analysis.imports.usual_mode import mode_of_change, scripts_of
from brokerui.analysis.servers.sums import ServerSums, sums_of_snapshot
from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.catalog.sums import sums_of
from routing.common.errors import InputError, Invalid
from routing.common.finding import Finding
from routing.common.sentence import Sentence, say
from routing.documents.estate_document import read_estate
from routing.model.address import Address
from routing.model.estate import Estate
from routing.tsql import ScriptGroup, read_import, read_scripts
from routing.tsql.encodings import code_page_findings, script_from
from routing.tsql.inclusion import Include
from routing.tsql.silent_files import silent_instances

OnProgress = Callable[[Source], None]
"""Told of each file when its turn comes; what it raises ends the reading."""


@dataclass(frozen=True, slots=True)
class BuiltEstate:
    """The estate that the files make, with findings about the files."""

    estate: Estate
    imported: Mapping[str, str] = field(default_factory=dict)
    """The instances that were read anew, each with the last file that told of it."""
    findings: tuple[Finding, ...] = ()
    sums: tuple[Sentence, ...] = ()
    """Messages that wait and conversations that are open, as catalogs tell."""
    mode: Mode = Mode.INSTANCES
    """How the files change the live estate."""
    collected: tuple[CollectedFile, ...] = ()
    """The files with the waiting messages and open conversations of a database."""
    shown: tuple[ServerSums, ...] = ()
    """Messages, conversations and queues of the servers, to be kept with their moment."""


@dataclass(frozen=True, slots=True)
class ScriptSettings:
    """Facts that scripts find when they run."""

    at: datetime
    """From when LIFETIME counts."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The sqlcmd variables that are set from outside."""
    hosted: frozenset[str] = frozenset()
    """The instances that run here: their databases keep their identifiers."""
    include: Include | None = None
    """Reads the files that `:r` names; None: they are found among the files of the import."""


def build_estate(
    sources: Sequence[Source],
    mode: Mode | None,
    live: Estate,
    settings: ScriptSettings,
    on_progress: OnProgress = lambda source: None,
) -> BuiltEstate:
    """Build the estate from documents, then scripts, then catalogs: a catalog is what the instance itself shows.

    Without a mode, scripts that change some objects run on the live estate, others replace their instances. Raises
    `InputError` for a file that cannot be read, or that makes no estate.
    """
    sources = named_as_known(sources, live)
    mode = mode or usual_mode(sources, live, settings)
    made = BuiltEstate(Estate() if mode is Mode.WHOLE else live, mode=mode)
    by_kind = {kind: [source for source in sources if source.kind is kind] for kind in Kind}
    for source in by_kind[Kind.DOCUMENT]:
        on_progress(source)
        made = _with_document(made, read_estate(source.load(), where=source.name), mode, source.name)
    if by_kind[Kind.SCRIPT]:
        files = {source.instance: source.name for source in by_kind[Kind.SCRIPT]}
        scripts, include = _own_and_read_in(by_kind[Kind.SCRIPT], settings)
        groups = groups_of(scripts, live, on_progress, include)
        others = (source for source in sources if source.kind is not Kind.SCRIPT)
        file_counts = Counter(source.instance.casefold() for source in chain(scripts, others))
        made = _with_scripts(made, groups, files, mode, settings, file_counts)
    for source in by_kind[Kind.CATALOG]:
        on_progress(source)
        made = _with_catalog(made, source, settings.at)
    read = (source for source in sources if source.kind is not Kind.DOCUMENT)
    made = replace(made, findings=(*made.findings, *chain.from_iterable(map(_code_page_findings, read))))
    given = {source.instance for source in sources if source.address is not None}
    named = {source.instance for source in sources if source.kind is not Kind.DOCUMENT}
    estate = with_known_addresses(made.estate, live, named - given)
    estate, left_out = with_hosted_identifiers(estate, live, settings.hosted, mode)
    waiting = tuple(findings_of_files(estate, made.collected, settings.at))
    return replace(made, estate=estate, findings=made.findings + left_out + waiting)


def usual_mode(sources: Sequence[Source], live: Estate, settings: ScriptSettings) -> Mode:
    """Return the mode for files whose sender chose none. Raises `InputError` for a script that cannot be read."""
    scripts, include = _own_and_read_in(scripts_of(named_as_known(sources, live)), settings)
    names = _instances_of(scripts) & live.instances.keys()
    if not names:
        return Mode.INSTANCES
    groups = groups_of([one for one in scripts if one.instance in names], live, include=include)
    anew, findings = read_scripts(groups, at=settings.at, variables=settings.variables)
    silent = silent_instances(findings, Counter(one.instance.casefold() for one in scripts))
    return mode_of_change(live, _without(anew, set(silent)))


def _own_and_read_in(scripts: Sequence[Source], settings: ScriptSettings) -> tuple[Sequence[Source], Include]:
    """The scripts that run by themselves, and what reads in the others."""
    if settings.include is not None:
        return scripts, settings.include
    return without_read_in(scripts), SentAlong(scripts)


def groups_of(
    sources: Iterable[Source],
    live: Estate,
    on_progress: OnProgress = lambda source: None,
    include: Include | None = None,
) -> list[ScriptGroup]:
    """The scripts of each instance, and of each database where they say it; a file is in memory while it is read.

    Facts of a database that no script states stay as in the live estate: its identifier, mirroring role, and collected
    messages and conversations.
    """
    by_name: dict[str, list[Source]] = {}
    for source in sources:
        by_name.setdefault(source.instance, []).append(source)
    return [
        ScriptGroup(
            name,
            _address_of(own),
            _Scripts(list(files), on_progress),
            database,
            include,
            further=_further_of(own),
            known=known_databases(live, name),
        )
        for name, own in by_name.items()
        for database, files in groupby(own, key=lambda source: source.database)
    ]


def _instances_of(sources: Iterable[Source]) -> set[str]:
    return {source.instance for source in sources}


def _text_of(source: Source) -> str:
    return script_from(source.load(), where=source.name, encoding=source.encoding)


def _code_page_findings(source: Source) -> tuple[Finding, ...]:
    return code_page_findings(source.load(), where=source.name, encoding=source.encoding)


def _address_of(own: Iterable[Source]) -> Address | None:
    return next((source.address for source in own if source.address), None)


def _further_of(own: Iterable[Source]) -> tuple[Address, ...]:
    return next((source.further for source in own if source.address), ())


@dataclass(frozen=True, slots=True)
class _Scripts:
    """The names and texts of files."""

    sources: list[Source]
    on_progress: OnProgress

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for source in self.sources:
            self.on_progress(source)
            yield source.name, _text_of(source)


def _with_document(made: BuiltEstate, estate: Estate, mode: Mode, where: str) -> BuiltEstate:
    """Add all instances of a document; for the whole estate, its hop limit too."""
    imported = {**made.imported, **dict.fromkeys(estate.instances, where)}
    if mode is Mode.WHOLE and not made.imported:
        return replace(made, estate=estate, imported=imported)
    try:
        merged = replace(made.estate, instances={**made.estate.instances, **estate.instances})
    except Invalid as fault:
        raise InputError(where, fault.path, fault.problem) from None
    return replace(made, estate=merged, imported=imported)


def _with_scripts(
    made: BuiltEstate,
    groups: Sequence[ScriptGroup],
    files: Mapping[str, str],
    mode: Mode,
    settings: ScriptSettings,
    file_counts: Mapping[str, int],
) -> BuiltEstate:
    """Run scripts on the estate, and collect findings; `files` gets the last script of each instance.

    Instances whose files all say nothing stay as they are; `file_counts` has the files by folded instance.
    """
    base, kept = made.estate, frozenset[str]()

    def base_for(silent: frozenset[str]) -> Estate:
        nonlocal base, kept
        names = {group.name for group in groups if group.name.casefold() not in silent}
        base = made.estate if mode is Mode.INTO else _without(made.estate, names - made.imported.keys())
        kept = silent
        return base

    estate, findings = read_import(groups, base_for, file_counts, at=settings.at, variables=settings.variables)
    known = {name.casefold(): file for name, file in files.items() if name.casefold() not in kept}
    # A script may name instances itself; which one did is not kept.
    some = next(iter(known.values()), "")
    imported = {
        name: known.get(name.casefold(), some)
        for name in estate.instances
        if name.casefold() in known or name not in base.instances
    }
    estate = _in_place(estate, made.estate)
    imported = {**made.imported, **imported}
    return replace(made, estate=estate, imported=imported, findings=made.findings + findings)


def _in_place(estate: Estate, before: Estate) -> Estate:
    """Instances that were there stand where they stood."""
    places = {name.casefold(): place for place, name in enumerate(before.instances)}
    names = sorted(estate.instances, key=lambda name: places.get(name.casefold(), len(places)))
    if names == list(estate.instances):
        return estate
    return replace(estate, instances={name: estate.instances[name] for name in names})


def _without(estate: Estate, names: set[str]) -> Estate:
    """Names of instances compare without case."""
    folded = {name.casefold() for name in names}
    kept = {name: one for name, one in estate.instances.items() if name.casefold() not in folded}
    return replace(estate, instances=kept) if len(kept) < len(estate.instances) else estate


def _with_catalog(made: BuiltEstate, source: Source, at: datetime) -> BuiltEstate:
    """Put a saved catalog into the estate: it replaces the instance that it describes, in every mode."""
    if not source.instance:
        raise InputError(source.name, "", say("belongs to an instance: name it"))
    read = read_saved(source.load(), where=source.name, database=source.database, encoding=source.encoding, at=at)
    snapshot = dated(read, at)
    applied = apply_snapshot(made.estate, source.instance, snapshot, source.address, *source.further)
    folded = source.instance.casefold()
    own = {name: source.name for name in applied.estate.instances if name.casefold() == folded}
    shown = sums_of_snapshot(next(iter(own), source.instance), snapshot, at)
    return replace(
        made,
        estate=applied.estate,
        imported={**made.imported, **own},
        findings=made.findings + applied.findings,
        sums=made.sums + tuple(sums_of(source.instance, snapshot)),
        collected=(*made.collected, collected_file(source.instance, snapshot)),
        shown=(*made.shown, *([shown] if shown is not None else [])),
    )
