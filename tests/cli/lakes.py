"""Folders with small tables in them."""

from pathlib import Path

from small_tables import LEGACY, field, metadata, write_log


def table(path: str, *sizes: int) -> Path:
    """A table whose files have these sizes, at the version that is their number."""
    root = Path(path)
    root.mkdir(parents=True)
    adds = [
        {
            "add": {
                "path": f"{number}.parquet",
                "partitionValues": {},
                "size": size,
                "modificationTime": 0,
                "dataChange": True,
            }
        }
        for number, size in enumerate(sizes)
    ]
    write_log(root, [[LEGACY, metadata(field("id", "long"))], *([add] for add in adds)])
    return root
