"""What the pages say of causes: a sentence for every number of the product, and never a place without a value."""

from __future__ import annotations

from brokerui.analysis.monitoring.wording import cause_words
from brokerui.messaging.transmission_status import problem_words, status_text
from routing.dialog.problems import PROBLEMS

SENDER = "9617 9618 9666 9727 9728 9730 9731 9733 9748-9755 9757-9759 9767 9768 9770 9771 9779-9781 9783-9785 9788-9797"
SENDER_TOO = "28012-28015 28018 28021 28024 28025 28050 28051 28054 28075"
UNDELIVERABLE = "8401 9704 9798 11201-11234 28004 28005 28010 28011 28016 28017 28056"
FORWARDING = "11282 11285 11286 11288-11294 28019 28071"
CORRUPTED = "8407 8472 9647 11235-11281 11297-11299 28001 28007 28040-28044 28049 28061-28068"
CONNECTIONS = "28026-28039 28045-28048 28059 28070 28079-28082 28098"
RAISED = "8402-8439 8442 8447 8450 8458 8459 8492 8493 9609 9610 9613 9614 9619 9620 9653 9659-9662 9717 9718 9742-9747"
RAISED_TOO = "9772-9778 28083 28089"
ALL = (SENDER, SENDER_TOO, UNDELIVERABLE, FORWARDING, CORRUPTED, CONNECTIONS, RAISED, RAISED_TOO)


def numbers() -> list[int]:
    """Numbers of the product's catalogue of errors, of ours, and an unknown one."""
    spans = [span.partition("-") for text in ALL for span in text.split()]
    listed = {number for first, _, last in spans for number in range(int(first), int(last or first) + 1)}
    return sorted(listed | PROBLEMS.keys() | {-8489, 1, 99_999})


def is_sentence(number: int) -> bool:
    words = cause_words(number)
    return (
        words == problem_words(number)
        and words.endswith(".")
        and not {"{", "}", "%"} & set(words)
        and status_text(number) == f"{number}: {words}"
    )


def test_of_every_number_there_is_a_sentence() -> None:
    assert len(numbers()) > 300
    assert {number: status_text(number) for number in numbers() if not is_sentence(number)} == {}


def test_what_is_known_is_said_and_what_is_not_has_its_number() -> None:
    assert cause_words(9791) == "The broker of the sender's database is disabled."
    assert cause_words(9617).startswith("A queue is off: "), "which queue is not known"
    assert cause_words(99_999) == "The product's error 99999."
    assert cause_words(9754) == "The connection to the next hop failed."


def test_messages_that_wait_for_no_reason_of_the_product() -> None:
    assert cause_words(0) == "Sent, and not acknowledged."
    assert cause_words(0, is_tried=False) == "On their way."
    assert status_text(0) == ""
