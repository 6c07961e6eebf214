from pathlib import Path

import pytest

from deltactl.storage.user_cache import cache_folder, put


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"HOME": "/h"}, "linux", "/h/.cache/deltactl"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Caches/deltactl"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "linux", "/x/deltactl"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "darwin", "/x/deltactl"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "x"}, "linux", "/h/.cache/deltactl"),
    ],
)
def test_where_it_is(environ: dict[str, str], platform: str, expected: str) -> None:
    assert cache_folder(environ, platform) == Path(expected)


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    put(path, b"one", mode=0o755)
    put(path, b"two", mode=0o755)
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o755
    assert [file.name for file in path.parent.iterdir()] == ["b"]


def test_what_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "b"
    put(path, b"one")
    with pytest.raises(TypeError):
        put(path, None)  # type: ignore[arg-type]
    assert path.read_bytes() == b"one"
    assert [file.name for file in tmp_path.iterdir()] == ["b"]
