"""The catalogues of translated sentences: where they are, which are ready, and how they are compiled.

Compiled with Babel, so that no machine needs gettext's own programs. Knows no Django: settings ask it.
"""

from pathlib import Path

LOCALE = Path(__file__).resolve().parents[1] / "locale"
DOMAIN = "django"


def languages_ready(locale: Path = LOCALE) -> set[str]:
    """Codes, as Django writes them, of the languages with a compiled catalogue."""
    return {_code(path) for path in locale.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")}


def catalogues(locale: Path = LOCALE) -> list[Path]:
    """Return the paths of the catalogues to translate, one for each language."""
    return sorted(locale.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def compile_stale(locale: Path = LOCALE) -> list[Path]:
    """Compile each catalogue that is newer than its compiled file, and return those."""
    stale = [source for source in catalogues(locale) if _is_stale(source)]
    for source in stale:
        _compile(source)
    return stale


def _compile(source: Path) -> None:
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - every start of the product loads this module
    from babel.messages.pofile import read_po  # noqa: PLC0415 - the same

    with source.open("rb") as file:
        catalog = read_po(file, domain=DOMAIN)
    with source.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalog)


def _is_stale(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime


def _code(path: Path) -> str:
    """Return the language code of a folder: `zh-hans` for `zh_Hans`."""
    return path.parent.parent.name.replace("_", "-").lower()
