import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.log.paths import canonical, encode, escapes_root, is_absolute, is_encoded


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("part-0.parquet", "part-0.parquet"),
        ("a%20b", "a b"),
        ("a%2520b", "a%20b"),  # exactly once
        ("p=a%253Ab/x", "p=a%3Ab/x"),
        ("100%", "100%"),
        ("%zz", "%zz"),
        ("%E6%97%A5", "日"),
        ("a+b", "a+b"),
        ("file:/x/y", "/x/y"),
        ("file:///x/y", "/x/y"),
        ("/x/y", "/x/y"),
        ("file:///x%20y", "/x y"),
        ("s3://bucket/x%20y", "s3://bucket/x y"),
        ("file%3A/x", "file:/x"),
        ("files/x", "files/x"),
    ],
)
def test_one_spelling_stands_for_all(path: str, expected: str) -> None:
    assert canonical(path) == expected


def test_octets_that_are_no_text_stay_apart() -> None:
    assert canonical("a%FF") != canonical("a%FE")
    assert canonical("a%FF") == canonical("a%ff")


@given(st.text())
def test_a_path_that_is_encoded_can_be_decoded(path: str) -> None:
    assert canonical(encode("d/" + path)) == "d/" + path


@given(st.binary(max_size=8))
def test_any_name_that_a_file_can_have_can_be_written(name: bytes) -> None:
    path = "d/" + name.decode("utf-8", "surrogateescape")
    encoded = encode(path)
    assert encoded.isascii()
    assert is_encoded(encoded)
    assert canonical(encoded) == path


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_the_three_spellings_of_a_local_path_are_one(name: str) -> None:
    path = encode(name).lstrip("/")
    spellings = {f"/{path}", f"file:/{path}", f"file:///{path}"}
    assert len({canonical(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/x", True),
        ("file:/x", True),
        ("s3a://bucket/x", True),
        ("abfss://c@a.dfs.core.windows.net/x", True),
        ("x/y", False),
        ("p=a:b/x", False),
        ("x/s3://y", False),
        ("2024-01-01 00:00/x", False),
    ],
)
def test_a_path_stands_alone_or_below_the_table(path: str, expected: bool) -> None:
    assert is_absolute(path) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("../x", True),
        ("a/../../x", True),
        ("a/%2E%2e/x", True),
        ("a/..b/x", False),
        ("a..b", False),
        ("/a/../x", False),
    ],
)
def test_a_path_that_climbs_out_of_the_table(path: str, expected: bool) -> None:
    assert escapes_root(path) is expected


@pytest.mark.parametrize(
    ("path", "expected"), [("a%20b", True), ("a b", False), ("a\tb", False), ("größe", True)]
)
def test_a_raw_space_makes_a_path_no_uri(path: str, expected: bool) -> None:
    assert is_encoded(path) is expected
