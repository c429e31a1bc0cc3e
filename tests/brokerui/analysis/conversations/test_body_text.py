"""Bodies as text, covered, and as hex."""

from __future__ import annotations

import re

import pytest

from brokerui.analysis.conversations.body_text import Encoding, pretty, text_of
from brokerui.analysis.conversations.hex_lines import hex_lines
from brokerui.analysis.conversations.masking import Secret, characters_of, pieces, secret_spans

ORDER = '<?xml version="1.0"?><o a="1>2"><n>Ü</n><p/><m>t <i>x</i> y</m></o>'
BUILT_IN = [secret for secret in Secret if secret is not Secret.OWN]


@pytest.mark.parametrize(
    ("body", "text", "encoding"),
    [
        (b"", "", Encoding.UTF_8),
        (ORDER.encode(), ORDER, Encoding.UTF_8),
        (ORDER.encode("utf-16-le"), ORDER, Encoding.UTF_16_LE),
        (b"\xef\xbb\xbfx", "x", Encoding.UTF_8),
        (b"\xff\xfe" + "日本".encode("utf-16-le"), "日本", Encoding.UTF_16_LE),
        (b"\xfe\xff" + ORDER.encode("utf-16-be"), ORDER, Encoding.UTF_16_BE),
        ("<名>日本</名>\r\n".encode("utf-16-le"), "<名>日本</名>\r\n", Encoding.UTF_16_LE),
    ],
)
def test_text_is_found_in_its_encoding(body: bytes, text: str, encoding: Encoding) -> None:
    found = text_of(body)
    assert found is not None
    assert (found.text, found.encoding) == (text, encoding)


@pytest.mark.parametrize(
    "body", [b"\x01\x02", b"\x80\x81\x82\x83\x84\x85", b"a\x00b", b"\xff\xfe\x00\xd8", b"PK\x03\x04"]
)
def test_other_bytes_are_no_text(body: bytes) -> None:
    assert text_of(body) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_part_may_end_within_a_character(encoding: str) -> None:
    body = "Stück 🌷".encode(encoding)
    for end in range(len(body) - 3, len(body)):
        found = text_of(body[:end], is_whole=False)
        assert found is not None
        assert found.text == "Stück "
    assert text_of(b"St\xc3") is None


def test_xml_and_json_get_lines_and_keep_every_other_character() -> None:
    assert pretty(ORDER) == ('<?xml version="1.0"?>\n<o a="1>2">\n  <n>Ü</n>\n  <p/>\n  <m>t <i>x</i> y</m>\n</o>')
    text = '{"a":[1.50,1e400,"x, \\"y\\u00e9"],"a":{},"b":[]}'
    shown = pretty(text)
    assert shown == '{\n  "a": [\n    1.50,\n    1e400,\n    "x, \\"y\\u00e9"\n  ],\n  "a": {},\n  "b": []\n}'
    for one in (ORDER, text):
        assert re.sub(r"\s", "", pretty(one) or "") == re.sub(r"\s", "", one)
    assert pretty('<?xml version="1.0" encoding="utf-16"?><a><b/></a>') is not None


@pytest.mark.parametrize(
    "text", ["", "a < b", "<a>", '<!DOCTYPE a [<!ENTITY x "y">]><a><b>&x;</b></a>', "<a>x</a>", "{", "[" * 9_999, "5"]
)
def test_what_is_neither_has_no_other_lines(text: str) -> None:
    assert pretty(text) is None


@pytest.mark.parametrize(
    ("text", "left", "secret"),
    [
        ("card 4111 1111 1111 1111.", "card |.", Secret.CARD),
        ("<c>4111111111111111</c>", "<c>|</c>", Secret.CARD),
        ("mail to jürgen.o@mail.example, now", "mail to |, now", Secret.EMAIL),
        ('{"password": "a b"}', '{"password": "|"}', Secret.CREDENTIAL),
        ("user=x;pwd=hunter2;db=y", "user=x;pwd=|;db=y", Secret.CREDENTIAL),
        ('<s:Token type="t">z1</s:Token>', '<s:Token type="t">|</s:Token>', Secret.CREDENTIAL),
        ("Authorization: Bearer abcdef123456", "Authorization: |", Secret.CREDENTIAL),
        ("key eyJhbGciOiJI.eyJzdWIi.c2ln end", "key | end", Secret.CREDENTIAL),
        ("id 0123456789abcdef0123456789abcdef!", "id |!", Secret.CREDENTIAL),
    ],
)
def test_secrets_are_covered_and_nothing_else(text: str, left: str, secret: Secret) -> None:
    spans = secret_spans(text, BUILT_IN)
    shown = pieces(text, spans)
    assert "".join("|" if one.secret else one.text for one in shown).startswith(left.rstrip("|"))
    assert secret in {one.secret for one in shown}
    assert "".join(one.text for one in shown) == left.replace("|", "") or secret is Secret.CREDENTIAL


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",
        "1234 5678 9012",
        "at 12:30",
        "6f3f0d5e-0000-4000-8000-000000000001",
        "//example/florist/a/very/long/name/of/a/service",
        "tokens are counted",
        "A" * 600,
    ],
)
def test_ordinary_text_is_not_covered(text: str) -> None:
    assert secret_spans(text, BUILT_IN) == ()


def test_a_pattern_of_ones_own_and_rules_that_are_left_out() -> None:
    text = "order AB-12 to a@b.example"
    assert [span.secret for span in secret_spans(text, [Secret.CARD], r"AB-\d+")] == [Secret.OWN]
    assert secret_spans(text, [], r"z*") == ()


@pytest.mark.parametrize(("codec", "encoding"), [("utf-8", Encoding.UTF_8), ("utf-16-le", Encoding.UTF_16_LE)])
def test_hex_covers_the_bytes_of_a_secret(codec: str, encoding: Encoding) -> None:
    body = "ü: pwd=abc;🌷".encode(codec)
    lines = hex_lines(body, 32, encoding, secret_spans(characters_of(body, encoding), BUILT_IN))
    assert [line.offset for line in lines][:1] == ["00000020"]
    shown = "".join(line.hexadecimal.replace(" ", "") for line in lines)
    begin = body.index("abc".encode(codec))
    wanted = body.hex()
    width = 2 * len("abc".encode(codec))
    assert shown == wanted[: 2 * begin] + "•" * width + wanted[2 * begin + width :]
    assert "abc" not in "".join(line.ascii for line in lines)
    assert {len(line.hexadecimal) for line in lines} == {48}
