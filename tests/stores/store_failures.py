"""What every failure of a store looks like to who asked."""

from in_process import Said
from store_places import SECRET


def check(said: Said, code: str, exit_code: int) -> None:
    """Assert that it failed with this code, in one line that hides what must not be shown."""
    assert (said.error.get("code"), said.exit_code) == (code, exit_code)
    assert "\n" not in said.error["message"]
    assert SECRET not in str(said.document)
    assert "Debug source" not in str(said.document)
