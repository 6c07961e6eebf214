"""What each code means, for `deltactl explain`: one entry for every error and warning."""

from collections.abc import Mapping

from deltactl.explanations.actions import ACTIONS
from deltactl.explanations.changes import CHANGES
from deltactl.explanations.checkpoints import CHECKPOINTS
from deltactl.explanations.columns import COLUMNS
from deltactl.explanations.commits import COMMITS
from deltactl.explanations.declarations import DECLARATIONS
from deltactl.explanations.dropping import DROPPING
from deltactl.explanations.entry import Explanation
from deltactl.explanations.log_files import LOG_FILES
from deltactl.explanations.places import PLACES
from deltactl.explanations.program import PROGRAM
from deltactl.explanations.properties import PROPERTIES
from deltactl.explanations.protocol import PROTOCOL
from deltactl.explanations.pruning import PRUNING
from deltactl.explanations.rows import ROWS
from deltactl.explanations.schema_check import SCHEMA_CHECK
from deltactl.explanations.spark import SPARK
from deltactl.explanations.store_settings import STORE_SETTINGS
from deltactl.explanations.stores import STORES
from deltactl.explanations.verification import VERIFICATION
from deltactl.explanations.widening import WIDENING


def joined(*parts: Mapping[str, Explanation]) -> dict[str, Explanation]:
    """Return the entries of all parts, in order of their codes.

    Raises:
        ValueError: two parts explain the same code.
    """
    found: dict[str, Explanation] = {}
    for part in parts:
        if twice := found.keys() & part.keys():
            raise ValueError(f"explained twice: {', '.join(sorted(twice))}")
        found |= part
    return dict(sorted(found.items()))


EXPLANATIONS = joined(
    PROGRAM,
    PLACES,
    LOG_FILES,
    ACTIONS,
    DECLARATIONS,
    CHANGES,
    CHECKPOINTS,
    COLUMNS,
    COMMITS,
    DROPPING,
    PROPERTIES,
    PROTOCOL,
    PRUNING,
    ROWS,
    SCHEMA_CHECK,
    SPARK,
    STORES,
    STORE_SETTINGS,
    VERIFICATION,
    WIDENING,
)
