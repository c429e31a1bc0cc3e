"""The ways in which tools save the rows of the script, and the document that somebody took out of them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable

Rows = list[str]
NAME = "brokerui_catalog"
WIDTH = 78


def lines(*parts: str | Rows, end: str = "\r\n") -> str:
    flat = [line for part in parts for line in ([part] if isinstance(part, str) else part)]
    return "".join(line + end for line in flat)


def padded(rows: Rows, width: int = WIDTH) -> Rows:
    return [row.ljust(width) for row in rows]


def table(rows: Rows, trailer: str = "({} rows affected)") -> str:
    """Header, dashes, padded rows, how many there were."""
    return lines(padded([NAME, "-" * WIDTH, *rows]), "", trailer.format(len(rows)))


def doubled(rows: Rows) -> Rows:
    return ['"' + row.replace('"', '""') + '"' for row in rows]


def wrapped(rows: Rows, width: int) -> Rows:
    return [row[i : i + width] for row in rows for i in range(0, len(row), width)]


def utf16(text: str) -> bytes:
    return text.encode("utf-16")


def sqlcmd(rows: Rows) -> bytes:
    return table(rows).encode("cp1252")


def sqlcmd_trimmed(rows: Rows) -> bytes:
    return lines(NAME, "-" * 16, rows, "", f"({len(rows)} rows affected)").encode()


def sqlcmd_narrow(rows: Rows) -> bytes:
    return lines(wrapped(padded([NAME, "-" * WIDTH, *rows]), 40)).encode()


def sqlcmd_narrow_trimmed(rows: Rows) -> bytes:
    return lines([line.rstrip() for line in wrapped(padded(rows), 33)]).encode()


def sqlcmd_without_header(rows: Rows) -> bytes:
    return lines(padded(rows)).encode()


def sqlcmd_unicode(rows: Rows) -> bytes:
    return utf16(table(rows))


def sqlcmd_header_every_three(rows: Rows) -> bytes:
    pages = [table(rows[i : i + 3], "") for i in range(0, len(rows), 3)]
    return "".join(pages).encode()


def sqlcmd_spanish(rows: Rows) -> bytes:
    text = "Se cambió el contexto de la base de datos a 'master'.\r\n" + table(rows, "({} filas afectadas)")
    return text.encode("cp1252")


def sqlcmd_with_commas(rows: Rows) -> bytes:
    return lines(NAME, "-" * 16, [row + "," for row in rows]).encode()


def ssms_copied(rows: Rows) -> bytes:
    return "\r\n".join(rows).encode()


def ssms_copied_with_header(rows: Rows) -> bytes:
    return "\r\n".join([NAME, *rows]).encode()


def ssms_text(rows: Rows) -> bytes:
    return (table(rows) + lines("", "Completion time: 2026-06-01T14:00:01.5234567+02:00")).encode("utf-8-sig")


def ssms_rpt_unicode(rows: Rows) -> bytes:
    return utf16(table(rows) + "\r\nHora de finalización: 2026-06-01T14:00:01.5234567+02:00\r\n")


def ssms_csv(rows: Rows) -> bytes:
    return lines(rows).encode("utf-8-sig")


def ssms_csv_quoted(rows: Rows) -> bytes:
    return lines(doubled(rows)).encode("utf-8-sig")


def ssms_csv_quoted_where_needed(rows: Rows) -> bytes:
    return lines([doubled([row])[0] if "," in row else row for row in rows]).encode("utf-8-sig")


def excel_csv(rows: Rows) -> bytes:
    return lines([f"{row};;" for row in [NAME, *doubled(rows)]]).encode("cp1252")


def data_studio_csv(rows: Rows) -> bytes:
    return lines(NAME, doubled(rows), end="\n").encode()


def powershell_table(rows: Rows) -> bytes:
    return utf16(lines("", padded([NAME, "-" * 16, *rows]), "", ""))


def powershell_7_table(rows: Rows) -> bytes:
    return lines("", NAME, "-" * 16, rows, "", end="\n").encode()


def powershell_wrapped(rows: Rows) -> bytes:
    return utf16(lines("", wrapped(padded([NAME, "-" * 16, *rows]), 60), ""))


def powershell_list(rows: Rows) -> bytes:
    first, more = f"{NAME} : ", " " * 19
    folded = [textwrap.wrap(row, 61, break_on_hyphens=False) for row in rows]
    return utf16("\r\n" + "".join(lines(first + parts[0], [more + part for part in parts[1:]], "") for parts in folded))


def powershell_export_csv(rows: Rows) -> bytes:
    return lines("#TYPE System.Data.DataRow", f'"{NAME}"', doubled(rows)).encode("ascii")


def utf16_without_mark(rows: Rows) -> bytes:
    return table(rows).encode("utf-16-be")


def old_mac(rows: Rows) -> bytes:
    return lines(rows, end="\r").encode()


def one_line(rows: Rows) -> bytes:
    return " ".join(rows).encode()


def indented(rows: Rows) -> bytes:
    return lines([f"    {n:>4} | {row}" for n, row in enumerate(rows, 1)], end="\n").encode()


def backwards(rows: Rows) -> bytes:
    return lines(rows[::-1]).encode()


def overlapping(rows: Rows) -> bytes:
    half = len(rows) // 2
    return lines(rows[: half + 2], rows[half:]).encode()


def mailed(rows: Rows) -> bytes:
    return lines("Dear all,", "", [f"> {row}" for row in rows], "", "Kind regards <dba@example.com>").encode()


SAVERS: tuple[Callable[[Rows], bytes], ...] = (
    sqlcmd,
    sqlcmd_trimmed,
    sqlcmd_narrow,
    sqlcmd_narrow_trimmed,
    sqlcmd_without_header,
    sqlcmd_unicode,
    sqlcmd_header_every_three,
    sqlcmd_spanish,
    sqlcmd_with_commas,
    ssms_copied,
    ssms_copied_with_header,
    ssms_text,
    ssms_rpt_unicode,
    ssms_csv,
    ssms_csv_quoted,
    ssms_csv_quoted_where_needed,
    excel_csv,
    data_studio_csv,
    powershell_table,
    powershell_7_table,
    powershell_wrapped,
    powershell_list,
    powershell_export_csv,
    utf16_without_mark,
    old_mac,
    one_line,
    indented,
    backwards,
    overlapping,
    mailed,
)
"""Ways to save the rows."""


def plain(text: str) -> bytes:
    return text.encode()


def plain_wrapped(text: str) -> bytes:
    return lines(wrapped([text], 80)).encode()


def plain_wrapped_in_unicode(text: str) -> bytes:
    return utf16(lines(NAME, "-" * 80, wrapped([text], 80), "", "(1 rows affected)"))


def plain_indented(text: str) -> bytes:
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False).encode()


def plain_in_csv(text: str) -> bytes:
    return lines(NAME, doubled([text])).encode("utf-8-sig")


def plain_in_wrapped_csv(text: str) -> bytes:
    return lines(NAME, wrapped(doubled([text]), 256)).encode("utf-8-sig")


PLAIN_SAVERS: tuple[Callable[[str], bytes], ...] = (
    plain,
    plain_wrapped,
    plain_wrapped_in_unicode,
    plain_indented,
    plain_in_csv,
    plain_in_wrapped_csv,
)
"""Ways to keep the document itself."""


def shortened(rows: Rows, width: int = 60, dots: str = "…") -> bytes:
    """What a table in a narrow window leaves of its rows."""
    return utf16(lines([row[: width - len(dots)] + dots if len(row) > width else row for row in rows]))
