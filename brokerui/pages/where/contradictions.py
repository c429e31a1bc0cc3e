"""Where the documented examples contradict themselves or the product, and what BrokerUI does there."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

NOTES: dict[str, Promise] = {
    "1-default": _(
        "The text of this example says that a message for a service that is nowhere is dropped. BrokerUI says DELAYED, "
        "as the other examples and the product do, where the conversation was begun here; dropped, where it came from "
        "outside."
    ),
    "3-mirrored-database": _(
        "The mirrored route of this example gives no broker identifier. The rules allow that; the real product refuses "
        "to create such a route, with error 9661."
    ),
    "6-forward-one-service": _(
        "The introduction of this example says that messages from outside for other services are DELAYED. Its details "
        "say dropped, and so does BrokerUI."
    ),
}
