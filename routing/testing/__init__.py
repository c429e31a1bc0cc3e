"""Routing tests: what must, may and must never become of a conversation, judged by the rules.

- `outcome_pattern`: an outcome as a test writes it; a part that the test does not name matches any
- `routing_test`: one test, and how it is read from the plain value of a file
- `judging`: whether a test holds on an estate, with its outcomes and the reasons where it does not
- `coverage`: the routes of an estate that the outcomes of some test use
"""
