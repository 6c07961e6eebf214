"""obstore on the fake store, as deltactl has it there."""

from datetime import timedelta
from typing import Any

import obstore
from obstore.store import GCSStore, S3Store

KINDS = ("s3", "gcs")


def reached(kind: str, url: str, retries: int = 0, **client: Any) -> Any:
    """obstore's store below `t` in the bucket."""
    how: Any = {
        "prefix": "t",
        "client_options": {"allow_http": True, **client},
        "retry_config": {"max_retries": retries, "retry_timeout": timedelta(seconds=20)},
    }
    if kind == "gcs":
        return GCSStore("lake", base_url=url, bearer_token="testing", **how)
    return S3Store(
        "lake",
        endpoint=url,
        access_key_id="testing",
        secret_access_key="testing",
        region="us-east-1",
        **how,
    )


def paths(store: Any, **how: Any) -> list[str]:
    return [found["path"] for page in obstore.list(store, **how) for found in page]


def get(store: Any, path: str) -> bytes:
    return bytes(obstore.get(store, path).bytes())
