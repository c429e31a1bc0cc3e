"""Error pages: each names what happened and what the user can do next."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import BadRequest, DisallowedHost, TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_htmx.http import HttpResponseClientRedirect

from brokerui.core.deferred import RETRY_AFTER_S
from brokerui.core.htmx import htmx_of
from brokerui.core.instance_limit import InstanceForbiddenError
from brokerui.core.problems import asks_for_problems, problem_response
from brokerui.core.refusals import log_refusal, quoted, reason_of
from routing.common.sentence import Sentence, translator


def error_page(request: HttpRequest, *, status: int, title: str, text: str, code: str = "") -> HttpResponse:
    """Render the error page, or a problem document for programs, without a query: the database may be the cause."""
    if asks_for_problems(request):
        return problem_response(status=status, detail=text, code=code)
    return render(request, "error.html", {"status": status, "title": title, "text": text}, status=status)


class BadAddressError(BadRequest):
    """400 with a sentence about a parameter of the address."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400."""
    log_refusal(request, 400, reason_of(request, exception))
    if isinstance(exception, DisallowedHost):
        text = _("This site does not answer under that name. Its administrator can add the name to ALLOWED_HOSTS.")
        return error_page(request, status=400, title=_("The name of this site is another"), text=text)
    if isinstance(exception, TooManyFilesSent):
        text = _("Choose at most %(count)s files at a time. Nothing of what you sent was kept.")
        values = {"count": settings.DATA_UPLOAD_MAX_NUMBER_FILES}
        return error_page(request, status=400, title=_("Too many files at once"), text=text % values)
    if isinstance(exception, BadAddressError):
        sentence = exception.sentence.render(translator(_, ngettext))
        text = f"{sentence[:1].upper()}{sentence[1:]}."
        return error_page(request, status=400, title=_("This address is not valid"), text=text)
    text = _("The request was not understood. Go back, reload the page and try again.")
    return error_page(request, status=400, title=_("That did not work"), text=text)


def one_file_only(request: HttpRequest) -> HttpResponse:
    """400: the form for one document was sent with several."""
    text = _("Choose one document at a time. Nothing of what you sent was kept.")
    return error_page(request, status=400, title=_("One file at a time"), text=text)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    if isinstance(exception, InstanceForbiddenError):
        sentence = exception.sentence.render(translator(_, ngettext))
        text = f"{sentence[:1].upper()}{sentence[1:]}."
        return error_page(request, status=403, title=_("Not allowed for this instance"), text=text)
    text = _("You do not have permission for this, or the site is read-only.")
    return error_page(request, status=403, title=_("Not allowed"), text=text)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: the CSRF token of a form is missing, of another site, or expired."""
    log_refusal(request, 403, f"the form was not accepted: {quoted(reason)}")
    text = _("The form was out of date, or cookies are off. Go back, reload the page and send it again.")
    return error_page(request, status=403, title=_("The form was not accepted"), text=text)


class SaidNotFoundError(Http404):
    """404 with a sentence that names the missing estate: a version, a draft or a scenario."""

    title: Promise | str = gettext_lazy("There is no such estate")

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


class ObjectNotFoundError(SaidNotFoundError):
    """404 with a sentence that names another missing object."""

    title = gettext_lazy("Nothing is here")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    if isinstance(exception, SaidNotFoundError):
        sentence = exception.sentence.render(translator(_, ngettext))
        text = f"{sentence[:1].upper()}{sentence[1:]}."
        return error_page(request, status=404, title=str(exception.title), text=text)
    text = _("Nothing is at this address. It may have been deleted, or the link is incomplete.")
    return error_page(request, status=404, title=_("Nothing is here"), text=text)


def server_error(request: HttpRequest) -> HttpResponse:
    """500."""
    text = _("This is a fault of BrokerUI, not yours. Its log has the details. Nothing you sent was applied.")
    return error_page(request, status=500, title=_("Something broke"), text=text)


def being_read(request: HttpRequest) -> HttpResponse:
    """202, for programs 503: the answer is still being computed. The page reloads itself."""
    if htmx_of(request):
        return _piece_later(request)
    if asks_for_problems(request) or "text/html" not in request.headers.get("Accept", ""):
        response: HttpResponse = problem_response(status=503, detail=being_read_text())
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    else:
        response = render(request, "later.html", status=202)
        response.headers["Refresh"] = str(RETRY_AFTER_S)
    response.headers["Cache-Control"] = "no-store"
    return response


def being_read_text() -> str:
    """For programs."""
    return _("This estate is large and is being read into memory. Ask again in a moment.")


def _piece_later(request: HttpRequest) -> HttpResponse:
    """Answer an htmx request for a part of a page: a whole page replaces it, nothing leaves it unchanged."""
    if urlsplit(htmx_of(request).current_url or "").path == request.path:
        return HttpResponseClientRedirect(request.get_full_path())
    return HttpResponse(status=204)
