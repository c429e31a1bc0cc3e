"""Files of routing tests: the YAML of a file, hostile ones too, and the place of each error."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from brokerui.analysis.routing_tests.files import check_entries, judged, read_tests
from brokerui.analysis.routing_tests.yaml_values import MAX_TEXT_BYTES, read_yaml
from routing.common.errors import InputError
from routing.documents.estate_document import read_estate
from tests.brokerui.cli.command_line import FOUND

FILE = """\
tests:
  - name: parts arrive at host2
    from: host1/Orders            # or `outside: host1`
    to: Stock
    broker: null
    must: delivered host2/Parts   # every outcome is one of these
    may: [delivered host2]
    never: [dropped, delayed no_route]

  - {name: "2", outside: host1, to: no, at: 2026-06-01T00:00:00Z, reply: false, must: dropped}
"""
ESTATE = read_estate(json.dumps(FOUND))
AT = datetime(2026, 6, 1, tzinfo=UTC)


def test_the_documented_form_is_read_with_its_lines() -> None:
    file = read_tests(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode(), "t.yaml")
    assert [test.name for test in file.tests] == ["parts arrive at host2", "2"]
    assert file.lines == (2, 10)
    assert (file.tests[1].to_service, file.tests[1].at) == ("no", AT)
    assert [one.passed for one in judged(file, ESTATE, AT)] == [True, True]


@pytest.mark.parametrize("text", ["a: yes\nb: 1e3\nc: 2026-06-01\nd: ~\ne: 'null'\nf: true\ng:\nh: |\n  x\n"])
def test_words_without_quotes_are_texts_but_null_true_and_false(text: str) -> None:
    assert read_yaml(text.encode(), "t").value == {
        "a": "yes", "b": "1e3", "c": "2026-06-01", "d": None, "e": "null", "f": True, "g": None, "h": "x\n"
    }  # fmt: skip


LAUGHS = "a: &a [x,x]\n" + "".join(f"{b}: &{b} [*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "t: line 1: is empty"),
        (b"# nothing\n", "t: line 1: is empty"),
        (b"tests: []\n\xff", "t: line 2: is not UTF-8"),
        ("tests: []".encode("utf-16"), "t: line 1: is not UTF-8"),
        (b"tests:\n - name: a\0b\n", "t: line 2: holds the control character U+0000"),
        (b"\x1b[2J", "t: line 1: holds the control character U+001B"),
        (LAUGHS.encode(), "t: line 1: has an anchor or an alias"),
        (b"tests:\n- *x\n", "t: line 2: has an anchor or an alias"),
        (b"tests:\n- &x {}\n", "t: line 2: has an anchor or an alias"),
        (b"tests: !!python/object/apply:os.system [ls]", "t: line 1: has the tag tag:yaml.org,2002:python"),
        (b"tests: !!set {a}", "t: line 1: has the tag"),
        (b"? [a]\n: b", "t: line 1: a key must be a text"),
        (b"tests: []\ntests: []", 't: line 2: has the key "tests" twice'),
        (b"tests: []\n---\ntests: []", "t: line 2: begins a second document"),
        (b"[" * 100_000, "t: line 1: is nested too deeply"),
        (b"{a: " * 100_000, "t: line 1: is nested too deeply"),
        (b"tests: [" + b"x," * 200_001 + b"]", "t: line 1: has more than 200,000 values"),
        (b"tests: [\n", "t: line 2: is not YAML"),
        (b"tests:\n\t- a", "t: line 2: is not YAML"),
        (b"a" * (10 << 20), f"t: is larger than {MAX_TEXT_BYTES} bytes"),
        (
            b"tests:\n - name: a\n   to: S\n   from: h/D\n   must:\n    - lost\n",
            "t: line 6: $.tests[0].must[0]: must be an",
        ),
        (b"tests:\n - name: a\n   from: h/D\n   must: exits\n", "t: line 2: $.tests[0].to: is missing"),
        (b"tests:\n - name: a\n\n   <<: {}\n", "t: line 2: $.tests[0]: has the unknown key"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(content: bytes, fault: str) -> None:
    with pytest.raises(InputError) as refused:
        read_tests(content, "t")
    assert str(refused.value).startswith(fault)


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("from: host1", 'from: "host1" must be INSTANCE/DATABASE'),
        ("from: host1/No", 'from: there is no database "host1/No" in the estate'),
        ("outside: host9", 'outside: there is no instance "host9" in the estate'),
    ],
)
def test_an_entry_point_that_the_estate_lacks(entry: str, fault: str) -> None:
    """Bad input for a command; on a draft, which may have dropped it, a test that does not hold."""
    file = read_tests(f"tests:\n - name: a\n   {entry}\n   to: S\n   must: delivered\n".encode(), "t")
    with pytest.raises(InputError) as refused:
        check_entries(file, ESTATE)
    assert str(refused.value) == f"t: line 2: $.tests[0].{fault}"
    (judgement,) = judged(file, ESTATE, AT)
    assert (judgement.passed, judgement.got, [str(one) for one in judgement.faults]) == (False, (), [fault])
