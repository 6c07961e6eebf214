"""The schema of data that is not in a table: in a file, or written down."""

from deltactl.storage.locate import locate_file
from deltactl.storage.options.settings import StoreSettings
from deltactl.table.parquet.data_schema import DataSchema, read_data_schema, schema_of_text


def schema_of(text: str, name: str) -> DataSchema:
    """Return the schema that the text spells; errors call the text `name`.

    Raises:
        InvalidUsageError: the form is unknown, or there is a mistake.
        RefusedError: a type that Delta does not have.
    """
    return schema_of_text(text, name)


def schema_in(uri: str, settings: StoreSettings) -> DataSchema:
    """Return the schema in the file at a path or a URL, whatever its name ends in.

    Raises:
        NotFoundError: there is no such file.
        InvalidUsageError: the form is unknown, or there is a mistake.
        RefusedError: a type that Delta does not have.
        StorageError: it cannot be read.
    """
    return read_data_schema(*locate_file(uri, settings))
