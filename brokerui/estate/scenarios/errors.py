"""Errors of a scenario."""

from routing.common.sentence import Sentence


class ScenarioNotFoundError(LookupError):
    """No scenario has this name; it may have been deleted, or have made room for a newer one."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class DocumentTooLargeError(ValueError):
    """The document is larger than one may upload."""

    def __init__(self, *, size: int, limit: int) -> None:
        super().__init__(f"{size} bytes, at most {limit} are accepted")
        self.size = size
        self.limit = limit


class ScenarioNotReadableError(ValueError):
    """The document that was kept is no estate."""

    def __init__(self, title: str, path: str, problem: Sentence) -> None:
        super().__init__(f"{title}: {path}: {problem}")
        self.title = title
        self.path = path
        self.problem = problem
