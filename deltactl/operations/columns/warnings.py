"""What to know before columns change, though nothing forbids it."""

from deltactl.changes.draft import Draft
from deltactl.spec.keys import ENABLE_CHANGE_DATA_FEED, is_enabled


def warn_of_new_columns(draft: Draft) -> None:
    """Say what a new column means for streams."""
    draft.warn(
        "STREAMS_RESTART",
        "streams that read the table stop once at the new column: restart them",
    )


def warn_of_lost_names(draft: Draft, option: str) -> None:
    """Say what a column that lost its name means for streams and for the change data feed.

    `option` is what a stream with a schema tracking log must be allowed.
    """
    draft.warn(
        "STREAMS_STOP",
        "streams that read the table stop at the change; only those with a schema tracking log "
        f"(schemaTrackingLocation) continue, after {option} is set",
    )
    if is_enabled(draft.configuration, ENABLE_CHANGE_DATA_FEED):
        draft.warn(
            "CHANGE_FEED_RANGE",
            f"changes before version {draft.version} can no longer be read together with later "
            "ones: begin a range of the change data feed there, or end it before",
        )
