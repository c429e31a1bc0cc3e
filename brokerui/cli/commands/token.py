"""`brokerui token`: the tokens of the REST interface. A secret is printed once, when its token is created."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from brokerui.accounts.levels import Level
from brokerui.accounts.token_limits import MOST_TOKEN_DAYS, MOST_TOKEN_NAME, TOKEN_DAYS, TOKENS
from brokerui.analysis.lint.finding_text import one_line
from brokerui.cli.arguments import described, must_be_given
from brokerui.cli.product import once_written, the_product
from brokerui.cli.standard_output import need_output
from brokerui.core.languages import local
from routing.common.errors import InputError
from routing.common.moment import format_moment, format_second
from routing.common.sentence import Sentence, say

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from brokerui.accounts.models import Token

LEVELS = {level.codename: level for level in Level}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    create = _action(actions, "create", say("create a token of a user and print its secret, only this once"), _create)
    _add_token(create)
    text = say("its scope: the highest level that it has, never more than its user (default: view)")
    create.add_argument("--level", choices=tuple(LEVELS), default=Level.VIEW.codename, help=local(text))
    text = say("days until it expires, 1 to {most} (default: {days})", most=MOST_TOKEN_DAYS, days=TOKEN_DAYS)
    create.add_argument("--days", metavar="N", type=_days, default=TOKEN_DAYS, help=local(text))
    _add_json(create)
    listed = _action(actions, "list", say("list tokens with scope and expiry, without their secrets"), _list)
    listed.add_argument("user", metavar="USER", nargs="?", help=local(say("only the tokens of this user")))
    _add_json(listed)
    revoke = _action(actions, "revoke", say("revoke a token: requests with it are refused from now on"), _revoke)
    _add_token(revoke)


def _action(actions: Any, name: str, summary: Sentence, act: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, allow_abbrev=False, **described(summary))
    parser.set_defaults(act=act)
    return parser


def _add_token(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("user", metavar="USER", help=local(say("the user whose token it is")))
    parser.add_argument("name", metavar="NAME", type=_name, help=local(say("the name of the token: what it is for")))


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help=local(say("print JSON")))


def _name(text: str) -> str:
    name = text.strip()
    if not (name and len(name) <= MOST_TOKEN_NAME and name.isprintable()):
        raise must_be_given(say("a name of 1 to {most} printable characters", most=MOST_TOKEN_NAME), text)
    return name


def _days(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= MOST_TOKEN_DAYS):
        raise must_be_given(say("a whole number of days from 1 to {most}", most=MOST_TOKEN_DAYS), text)
    return int(text)


def run(options: argparse.Namespace) -> int:
    """In the product whose home is `BROKERUI_HOME`."""
    with the_product():
        options.act(options)
    return 0


def _create(options: argparse.Namespace) -> None:
    from brokerui.accounts.services import token_create

    user, level = user_named(options.user), LEVELS[options.level]
    with _refusals(options), once_written() as answer_with:
        token, secret = token_create(user=user, name=options.name, level=level, days=options.days, author=author_here())
        answer_with(f"{json.dumps({**_as_json(token), 'token': secret}) if options.json else secret}\n")


@contextmanager
def _refusals(options: argparse.Namespace) -> Iterator[None]:
    """Turn each refusal of a new token into bad input that names the user."""
    from brokerui.accounts.services import LevelNotHeldError, TokenNameTakenError, TooManyTokensError

    try:
        yield
    except TokenNameTakenError:
        raise InputError(options.user, options.name, say("the user has a token of this name already")) from None
    except TooManyTokensError:
        raise InputError(options.user, "", say("has {count} tokens: revoke one first", count=TOKENS)) from None
    except LevelNotHeldError as error:
        raise InputError(options.user, "--level", _not_held(error.highest)) from None


def _not_held(highest: Level | None) -> Sentence:
    if highest is None:
        return say("the user has no permission: no role, or may not sign in")
    return say("the highest level of the user is {level}", level=highest.codename)


def _list(options: argparse.Namespace) -> None:
    from brokerui.accounts.models import Token

    need_output()
    tokens = Token.objects.select_related("user").order_by("user__username", "name")
    if options.user is not None:
        tokens = tokens.filter(user=user_named(options.user))
    if options.json:
        sys.stdout.write(f"{json.dumps([_as_json(token) for token in tokens], ensure_ascii=False, indent=1)}\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in [_line(token) for token in tokens] or [local(say("No tokens."))])


def _line(token: Token) -> str:
    facts = _as_json(token)
    at = format_second(token.expiry) if token.expiry else local(say("never"))
    ends = say("expired {at}", at=at) if token.is_expired else say("expires {at}", at=at)
    level = facts["level"] or local(say("all permissions of the user"))
    return one_line(f"{facts['user']}/{facts['name']}: {level}, {local(ends)}, {facts['begins']}…")


def _as_json(token: Token) -> dict[str, Any]:
    return {
        "user": token.user.get_username(),
        "name": token.name,
        "level": token.level or None,
        "begins": token.token_key[:8],
        "created": format_moment(token.created),
        "expires": format_moment(token.expiry) if token.expiry else None,
        "is_expired": token.is_expired,
    }


def _revoke(options: argparse.Namespace) -> None:
    from brokerui.accounts.models import Token
    from brokerui.accounts.services import token_revoke

    user = user_named(options.user)
    with once_written() as answer_with:
        token = Token.objects.filter(user=user, name=options.name).first()
        if token is None:
            raise InputError(options.user, options.name, say("the user has no token of this name"))
        token_revoke(user=user, key=token.token_key, author=author_here())
        answer_with(f"{local(say('Revoked: {name}.', name=options.name))}\n")


def user_named(name: str) -> User:
    """Return the user of a name. Raises `InputError`."""
    from django.contrib.auth.models import User

    user = User.objects.filter(username=name).first()
    if user is None:
        raise InputError(name, "", say("there is no user of this name"))
    return user


def author_here() -> str:
    """Return the author of an act on the command line."""
    return os.environ.get("USER") or "brokerui"
