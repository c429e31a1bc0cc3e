"""Every word of the command line comes from a catalogue, in the language that the environment asks for."""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from brokerui.analysis.lint.finding_text import SHOWN, counted, findings_as_text
from brokerui.cli import main
from brokerui.core import languages
from brokerui.core.home import CHECKOUT
from brokerui.core.languages import environment_language, local, translation
from brokerui.running import up
from brokerui.running.listening import listen
from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.sentence import say
from scripts.messages import POT
from tests.brokerui.cli.command_line import (
    AT,
    FOUND,
    LOST,
    TO_PARTS,
    Call,
    call_with,
    document,
    route,
    written,
)

LOCALES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
COMMANDS = pytest.mark.parametrize("name", main.COMMANDS)
Compiled = Callable[..., Path]


@pytest.fixture
def french(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    """Makes the French catalogue of these sentences the only one, in an environment that asks for French."""
    return _french_in(tmp_path, monkeypatch)


def _french_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    monkeypatch.setattr(languages, "LOCALE", tmp_path / "locale")
    for name in LOCALES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")

    def make(sentences: Mapping[str | tuple[str, str], str | tuple[str, str]], language: str = "fr") -> Path:
        catalog = Catalog(language)
        for text, translated in sentences.items():
            catalog.add(text, translated)
        path = tmp_path / "locale" / language / "LC_MESSAGES" / "django.mo"
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            write_mo(file, catalog)
        return path

    return make


@pytest.fixture(scope="module")
def in_guillemets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a French catalogue that translates each sentence of the template into itself in guillemets."""
    folder = tmp_path_factory.mktemp("guillemets")
    with pytest.MonkeyPatch.context() as patch:
        _french_in(folder, patch)(_guillemets())
    return folder


@pytest.fixture
def marked(in_guillemets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This catalogue is the only one."""
    _french_in(in_guillemets, monkeypatch)


def _guillemets() -> dict[str | tuple[str, str], str | tuple[str, str]]:
    with POT.open("rb") as file:
        template = read_po(file)
    texts = [message.id for message in template if message.id and not message.context]
    return {text: tuple(f"«{form}»" for form in text) if isinstance(text, tuple) else f"«{text}»" for text in texts}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


# ---------------------------------------------------------------- which language


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr"}, "fr"),
        ({"LANG": "fr_CA@euro"}, "fr"),
        ({"LANG": "pt_BR.UTF-8"}, "pt-br"),
        ({"LANG": "pt_PT.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-hans"),
        ({"LANG": "zh_Hans_CN"}, "zh-hans"),
        ({"LANG": "zh_TW.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "es_ES.UTF-8"}, "en"),  # which has no catalogue here
        ({"LANG": "../fr"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "", "LC_ALL": ""}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LANGUAGE": "de:es:fr:pt_BR"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "en"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "de"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "fr", "LC_ALL": "C"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "fr", "LC_ALL": "POSIX"}, "en"),
    ],
)
def test_the_environment_chooses_as_for_other_programs(
    french: Compiled, environment: Mapping[str, str], language: str
) -> None:
    for each in ("fr", "pt_BR", "zh_Hans"):
        french({"yes": "oui"}, each)
    assert environment_language(environment) == language


def test_a_number_chooses_the_form_of_the_language(french: Compiled) -> None:
    french({("{count} error", "{count} errors"): ("{count} erreur", "{count} erreurs")})
    errors = [Finding("own-address", ERROR, "host1", None, None, say("…"), remedy_sql=None)] * 2
    assert counted(errors[:1], translation("fr")) == "1 erreur"
    assert counted(errors, translation("fr")) == "2 erreurs"
    assert counted(errors) == "2 errors"


def test_the_argument_comes_before_the_environment(
    french: Compiled, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    french({"Why": "Pourquoi", 'there is no instance "{name}" in the estate': "pas de serveur « {name} »"})
    estate = written(tmp_path, "e.json", FOUND)
    arguments = ("explain", estate, "--from", "host1/Orders", "--to", "Stock", *AT)
    lost = ("explain", estate, "--outside", "host9", "--to", "Stock", *AT)
    assert "\nPourquoi\n" in call(*arguments).out
    assert "\nWhy\n" in call(*arguments, "--lang", "en").out
    assert call(*lost).err == "error: --outside: pas de serveur « host9 »\n"
    monkeypatch.setenv("LANG", "C")
    assert "\nPourquoi\n" in call(*arguments, "--lang", "fr").out
    assert call(*lost, "--lang", "fr").err == "error: --outside: pas de serveur « host9 »\n"
    assert "\nWhy\n" in call(*arguments).out


# ---------------------------------------------------------------- help


def helped(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Every text that a parser and those below it show of themselves."""
    yield from filter(None, (parser.description, parser.epilog))
    for action in parser._actions:
        if action.help is not None:
            yield action.help
        if isinstance(action, argparse._SubParsersAction):
            yield from (str(choice.help) for choice in action._choices_actions)
            for below in action.choices.values():
                yield from helped(below)


@COMMANDS
def test_every_help_is_in_the_template(marked: None, name: str) -> None:
    main.bind_usage()
    texts = list(helped(main._parser(name)))
    assert len(texts) > 2 * len(main.COMMANDS)
    assert [text for text in texts if not (text.startswith("«") and text.endswith("»"))] == []


@COMMANDS
def test_no_help_is_missing(name: str) -> None:
    parser = main._parser(name)
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    assert [action.dest for action in commands.choices[name]._actions if not action.help] in ([], ["==SUPPRESS=="])


@COMMANDS
def test_help_is_shown_in_the_language(marked: None, call: Call, name: str) -> None:
    result = call(name, "--help")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("«usage: »brokerui")
    assert "«options»:" in result.out
    assert "«show this help message and exit»" in " ".join(result.out.split())


def test_bad_usage_is_told_in_the_language(marked: None, call: Call) -> None:
    assert "«the following arguments are required: ESTATE»" in call("lint").err
    assert "«must be «a whole number», not 'x'»" in call("diff", "a", "b", "--limit", "x").err
    assert "«must be «a date and time as ISO 8601" in call("lint", "a", "--at", "x").err
    assert "«must be «NAME=FILE or NAME/DATABASE=FILE», not 'x'»" in call("import-sql", "x").err
    assert call("lint", "-", "--suppress", "-").err == "error: -: «only one input can be standard input»\n"


# ---------------------------------------------------------------- what commands say


def test_bad_input_is_told_in_the_language(marked: None, call: Call, tmp_path: Path) -> None:
    bad = written(tmp_path, "bad.json", FOUND | {"hop_limit": []})
    assert call("lint", bad).err == f"error: {bad}: $.hop_limit: «must be «a whole number», not «an array»»\n"


def test_lint_says_all_in_the_language(marked: None, call: Call, tmp_path: Path) -> None:
    estate = written(tmp_path, "e.json", document(route("Auto"), TO_PARTS, route("Twin", "tcp://gone.example", "X")))
    lines = [line for line in call("lint", estate, *AT).out.splitlines() if line.strip()]
    titles = [line for line in lines if not line.startswith(" ")]
    assert titles
    assert all("«" in line for line in titles)
    assert all("«" in line for line in lines if line.startswith("      ") and not line.startswith("        "))
    healthy = call("lint", CHECKOUT / "examples" / "1-default.json", *AT).out
    assert healthy.startswith("«None of these ")


def test_suppressions_are_told_of_in_the_language(marked: None, call: Call, tmp_path: Path) -> None:
    each = {"code": "wrong-port", "instance": "a", "owner": "ana", "reason": "a tunnel"}
    expiring = [each | {"object": str(year), "expires": f"{year}-01-01T00:00:00Z"} for year in (2020, 2090)]
    file = written(tmp_path, "s.json", {"format": "brokerui.suppressions/1", "suppressions": expiring})
    result = call("lint", CHECKOUT / "examples" / "1-default.json", "--suppress", file, *AT)
    assert [line.partition(":")[0] for line in result.err.splitlines()] == [
        "«suppression expired",
        "«suppression matches no finding any more",
    ]


def test_many_findings_are_counted_in_the_language(marked: None) -> None:
    kinds = (ERROR, WARNING, INFO)
    findings = [
        Finding("code", kind, "a", None, None, say("…"), remedy_sql=None) for kind in kinds for _ in range(SHOWN + 1)
    ]
    lines = "".join(findings_as_text(findings, {"code": say("Not found")}, translation("fr"))).splitlines()
    assert lines[0] == f"error: code ({SHOWN + 1}): «Not found»"
    assert lines.count("  «and 1 more; --format json has all»") == len(kinds)
    assert counted(findings, translation("fr")) == f"«{SHOWN + 1} errors», «{SHOWN + 1} warnings», «{SHOWN + 1} info»"


def test_diff_answers_in_the_language(marked: None, call: Call, tmp_path: Path) -> None:
    before, after = written(tmp_path, "b.json", FOUND), written(tmp_path, "a.json", LOST)
    lines = [line for line in call("diff", before, after, *AT).out.splitlines() if line]
    assert all("«" in line for line in lines)
    assert call("diff", before, before, *AT).out.startswith("«Nothing changes")


@pytest.mark.parametrize("form", ["text", "json"])
def test_imports_report_in_the_language(marked: None, call: Call, tmp_path: Path, form: str) -> None:
    script = written(tmp_path, "a.sql", "USE Orders\nGO\nCREATE ROUTE r WITH ADDRESS = 'nowhere'\nGO\nDROP ROUTE s\n")
    result = call("import-sql", f"host1={script}", "-o", tmp_path / "out.json", "--format", form, *AT)
    assert result.status == 1
    if form == "json":
        assert all(finding["reason"].startswith("«") for finding in json.loads(result.err))
    else:
        assert "): «" in result.err.splitlines()[0]
        assert "«" in result.err.splitlines()[-1]


def test_up_says_what_is_wrong_in_the_language(
    marked: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKERUI_HOME", str(tmp_path))
    assert up.main(70_000) == 1
    assert capsys.readouterr().err == "error: PORT: «must be a number from 0 to 65535, not 70000»\n"
    assert up.main(host="no.such.host.invalid", port=0) == 1
    assert capsys.readouterr().err.startswith("error: «cannot listen on no.such.host.invalid:0: ")
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert up.main(port) == 1
    assert capsys.readouterr().err == (
        f"error: «cannot listen on 127.0.0.1:{port}: «another program listens there; PORT=… chooses another»»\n"
    )


def test_a_process_of_its_own_takes_the_language_of_its_environment(french: Compiled, tmp_path: Path) -> None:
    path = french({"None of these {count} checks found anything.": "Aucun des {count} contrôles ne signale rien."})
    program = (
        "import sys, pathlib, brokerui.core.languages as languages; from brokerui.cli.main import main;"
        "languages.LOCALE = pathlib.Path(sys.argv.pop(1)); main(sys.argv[1:]);"
        "assert 'django' not in sys.modules and 'babel' not in sys.modules"
    )
    arguments = [str(path.parents[2]), "lint", "examples/1-default.json", *AT]
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, cwd=CHECKOUT, check=True, env=dict(os.environ)
    )
    assert ended.stdout.decode().endswith(" contrôles ne signale rien.\n")


# ---------------------------------------------------------------- nothing is left out

SPOKEN = {"help", "description", "epilog"}


def test_no_text_for_people_is_written_beside_gettext() -> None:
    """What argparse shows, and what goes to a standard stream, is no literal with words in it."""
    files = [*(CHECKOUT / "brokerui").glob("*.py"), *(CHECKOUT / "brokerui" / "commands").glob("*.py")]
    assert [f"{path.name}:{line}" for path in sorted(files) for line in literals(ast.parse(path.read_text()))] == []


def literals(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        shown = [keyword.value for keyword in node.keywords if keyword.arg in SPOKEN]
        if name in {"sys.stdout.write", "sys.stderr.write", "print", "argparse.ArgumentTypeError"}:
            shown += node.args
        yield from (node.lineno for value in shown if any(map(has_words, own_texts(value))))


def own_texts(value: ast.expr) -> Iterator[str]:
    """The literal parts of a text, but for the prefix of errors, which stands."""
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value.removeprefix("error: ")


def has_words(text: str) -> bool:
    return any(word.isalpha() and len(word) > 1 for word in text.replace("\n", " ").split())


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("p.add_argument('-x', help='the port')", [1]),
        ("p.add_argument('-x', help=local(say('the port')))", []),
        ("sys.stderr.write(f'error: {e}\\n')", []),
        ("sys.stderr.write(f'error: no {e}\\n')", [1]),
    ],
)
def test_what_is_left_out_is_seen(source: str, lines: list[int]) -> None:
    assert list(literals(ast.parse(source))) == lines


def test_local_is_english_without_a_catalogue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(languages, "LOCALE", tmp_path)
    monkeypatch.setenv("LANGUAGE", "fr")
    assert local(say("default: {value}", value=1)) == "default: 1"
