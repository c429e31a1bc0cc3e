"""The pages of routing tests: list files, write them as text or upload them, delete them."""

from __future__ import annotations

import re

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.routing_tests.errors import KeptFileChangedError, KeptFileNotFoundError
from brokerui.analysis.routing_tests.models import KeptTestFile
from brokerui.analysis.routing_tests.selectors import kept_file
from brokerui.analysis.routing_tests.services import MOST_BYTES, routing_tests_delete, routing_tests_write
from brokerui.core.errors import one_file_only
from brokerui.pages.tests.page import KeptFilePage, KeptFilesPage
from routing.common.errors import InputError, Invalid
from routing.common.sentence import Sentence, say

_LINE = re.compile(r"line (\d+)")


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
def file_list(request: HttpRequest) -> HttpResponse:
    """Show all kept files; POST keeps an uploaded one under its own name."""
    if request.method != "POST":
        return _files(request, KeptFilesPage())
    files = request.FILES.getlist("document")
    if len(files) > 1:
        return one_file_only(request)
    if not files:
        return _refused(request, "", "", say("Choose a file first."))
    name = files[0].name or ""
    try:
        text = _decoded(files[0].read(MOST_BYTES + 1), name)
        routing_tests_write(name=name, text=text, seen="", author=request.user.get_username())
    except InputError as error:
        return _refused(request, name, error.path, error.problem)
    except Invalid as fault:
        return _refused(request, name, "", fault.problem)
    except KeptFileChangedError:
        return _refused(request, name, "", say("A file of this name is kept already: open it to replace its text."))
    messages.success(request, _("Kept: %(name)s.") % {"name": name})
    return redirect("tests:file", name)


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
def file_new(request: HttpRequest) -> HttpResponse:
    """Show an empty editor; POST keeps the typed text."""
    page = KeptFilePage(None)
    if request.method != "POST":
        return _editor(request, page)
    page.name = request.POST.get("name", "").strip()
    return _write(request, page)


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
def file_edit(request: HttpRequest, name: str) -> HttpResponse:
    """Show the text of a file and its results on the live estate; POST replaces the text."""
    page = KeptFilePage(_found(name), name)
    return _write(request, page) if request.method == "POST" else _editor(request, page)


@access(write=Level.EDIT)
@require_POST
def file_delete(request: HttpRequest, name: str) -> HttpResponse:
    """Delete a file that nobody has changed since the user saw it."""
    try:
        routing_tests_delete(name=name, seen=request.POST.get("seen", ""), author=request.user.get_username())
    except KeptFileNotFoundError:
        raise Http404 from None
    except KeptFileChangedError:
        messages.warning(request, _("Somebody changed the file since you opened it. Nothing was deleted."))
        return redirect("tests:file", name)
    messages.success(request, _("Deleted: %(title)s.") % {"title": name})
    return redirect("tests:list")


def _write(request: HttpRequest, page: KeptFilePage) -> HttpResponse:
    page.typed, page.seen = request.POST.get("sql", "").replace("\r\n", "\n"), request.POST.get("seen", "")
    author = request.user.get_username()
    try:
        routing_tests_write(name=page.name, text=page.typed, seen=page.seen, author=author)
    except InputError as error:
        page.problems = [_place(error)]
    except Invalid as fault:
        page.problems = [(None, fault.problem)]
    except KeptFileChangedError:
        page.problems = [(None, _first(page))]
        return _editor(request, page, status=409)
    else:
        messages.success(request, _("The tests were saved."))
        return redirect("tests:file", page.name)
    return _editor(request, page, status=422)


def _first(page: KeptFilePage) -> Sentence:
    if page.file is None:
        return say("A file of this name is kept already: open it to replace its text.")
    return say("Somebody changed the file since you opened it. Open it again to see how it is now.")


def _place(error: InputError) -> tuple[int | None, Sentence]:
    """Return the line of an error, and its reason with the rest of its place."""
    found = _LINE.match(error.path)
    path = error.path[found.end() :].lstrip(": ") if found else error.path
    problem = say("{path}: {problem}", path=path, problem=error.problem) if path else error.problem
    return (int(found[1]) if found else None), problem


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(name, "", say("is not UTF-8: {reason}", reason=error.reason)) from None


def _found(name: str) -> KeptTestFile:
    try:
        return kept_file(name)
    except KeptFileNotFoundError:
        raise Http404 from None


def _refused(request: HttpRequest, name: str, place: str, problem: Sentence) -> HttpResponse:
    return _files(request, KeptFilesPage((name, place, problem)), status=422)


def _files(request: HttpRequest, page: KeptFilesPage, status: int = 200) -> HttpResponse:
    return render(request, "tests/list.html", {"page": page}, status=status)


def _editor(request: HttpRequest, page: KeptFilePage, status: int = 200) -> HttpResponse:
    return render(request, "tests/file.html", {"page": page}, status=status)
