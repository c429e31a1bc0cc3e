"""An estate as immutable values: instances, databases, services, queues, routes, addresses; conversations and edits."""
