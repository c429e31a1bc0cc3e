"""Whether a job may write its result into the folder that a user names."""

from __future__ import annotations

from pipeline.files.file_system import exists, file_system
from pipeline.files.location import Location, location
from pipeline.results.output_folder import RUN_RECORD
from pipeline.results.table_folders import is_of_files
from routing.common.errors import InputError
from routing.common.sentence import say


def check_replaceable(name: str) -> None:
    """Raise `InputError` unless the folder is absent, empty, or a result of the pipeline."""
    folder = location(name)
    state = file_system(folder).state(folder)
    if state is None or (state.is_folder and (exists(folder / RUN_RECORD) or _is_free(folder))):
        return
    raise InputError(name, "", say("holds something else than a result of the pipeline: name a new folder"))


def _is_free(folder: Location) -> bool:
    """Return whether a folder holds nothing but what killed runs left."""
    return all(
        state.is_folder and (is_of_files(place.name) or _is_free(place))
        for place, state in file_system(folder).listed(folder)
    )


def unwritable(name: str, error: OSError) -> InputError:
    """Say in one line why a folder that a user named cannot be written."""
    return InputError(name, "", say("cannot be written: {reason}", reason=error.strerror or str(error)))
