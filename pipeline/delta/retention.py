"""How long a table keeps the files of former versions: a week, unless its property says otherwise."""

from __future__ import annotations

from urllib.parse import unquote

from deltalake import DeltaTable

from pipeline.delta.errors import log_errors
from pipeline.delta.log_folder import log_folder
from pipeline.files.file_system import delete, delete_empty
from pipeline.files.location import Location


def drop_former_files(root: Location) -> None:
    """Remove the files of a table that have not counted for as long as it keeps them (`deletedFileRetentionDuration`).

    Versions that had them cannot be read any more. Raises `InputError` if the log cannot be read.
    """
    with log_errors(root):
        with log_folder(root) as folder:
            # It only names them: here the files need not be there.
            names = DeltaTable(folder.uri).vacuum(dry_run=True)
        for name in names:
            delete(root / unquote(name))
        _delete_empty_folders(root, {(root / unquote(name)).parent for name in names})


def _delete_empty_folders(root: Location, folders: set[Location]) -> None:
    """Remove folders below a table that hold nothing any more, and those that held nothing but them."""
    while folders := {folder for folder in folders if len(folder.parts) > len(root.parts)}:
        for folder in folders:
            delete_empty(folder)
        folders = {folder.parent for folder in folders}
