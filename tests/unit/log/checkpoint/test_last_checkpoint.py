import hashlib
import json
from pathlib import Path

import pytest

from deltactl.errors import Notice
from deltactl.log.checkpoint.last_checkpoint import (
    Checksum,
    LastCheckpoint,
    Number,
    canonical_form,
    read,
)

# The specification's test vector, "Last Checkpoint File": text, canonical form and checksum.
VECTOR = (
    '{"k0":"\'v 0\'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, "k3": ["v3", [1, 2], '
    '{"k4": "v4", "k5": ["v5", "v6", "v7"]}]}}'
)
CANONICAL = (
    '"k0"="%27v%200%27","k1"+"k2"=2,"k1"+"k3"+0="v3","k1"+"k3"+1+0=1,"k1"+"k3"+1+1=2,'
    '"k1"+"k3"+2+"k4"="v4","k1"+"k3"+2+"k5"+0="v5","k1"+"k3"+2+"k5"+1="v6","k1"+"k3"+2+"k5"+2="v7"'
)
CHECKSUM = "6a92d155a59bf2eecbd4b4ec7fd1f875"


def canonical(text: str | bytes) -> str:
    return canonical_form(json.loads(text, parse_int=Number, parse_float=Number))


def test_the_specifications_vector() -> None:
    assert canonical(VECTOR) == CANONICAL
    assert hashlib.md5(CANONICAL.encode()).hexdigest() == CHECKSUM


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":[true,false,null],"b":{"y":null,"x":"https://delta.io"}}',
         '"a"+0=true,"a"+1=false,"a"+2=null,"b"+"x"="https%3A%2F%2Fdelta.io","b"+"y"=null'),
        ('{"n":1.50,"e":1E5,"i":-0}', '"e"=1E5,"i"=-0,"n"=1.50'),  # numbers as they are written
        ('{"k1":"v1","checksum":"x","k3":23}', '"k1"="v1","k3"=23'),
        ('{"a":{"checksum":1}}', '"a"+"checksum"=1'),  # ignored at the top level only
        ('{"é~-._":"日"}', '"%C3%A9~-._"="%E6%97%A5"'),
        ('{"a":{},"b":[]}', ""),
    ],
)  # fmt: skip
def test_the_rules_one_by_one(text: str, expected: str) -> None:
    assert canonical(text) == expected


def test_a_hint_without_a_checksum_is_believed() -> None:
    assert read(b'{"version":5,"size":10,"parts":3}') == LastCheckpoint(5, 3, Checksum.ABSENT)


def test_a_hint_whose_checksum_holds() -> None:
    checksum = hashlib.md5(b'"size"=10,"version"=5').hexdigest()
    text = b'{"version":5,"size":10,"checksum":"%s"}' % checksum.encode()
    assert read(text) == LastCheckpoint(5, None, Checksum.SPECIFICATION)
    assert isinstance(read(text.replace(b"10", b"11")), Notice)


def test_numbers_are_hashed_as_they_are_written() -> None:
    checksum = hashlib.md5(b'"size"=1.0,"version"=5').hexdigest()
    text = b'{"version":5,"size":1.0,"checksum":"%s"}' % checksum.encode()
    assert read(text) == LastCheckpoint(5, None, Checksum.SPECIFICATION)


def test_sparks_ordering_is_told_apart() -> None:
    # Eleven elements: by path `"a"+1` comes before `"a"+10`, by the whole text `"a"+10=` before
    # `"a"+1=`, for "0" is below "=".
    pairs = [f'"a"+{n}=7' for n in (0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9)] + ['"version"=5']
    checksum = hashlib.md5(",".join(pairs).encode()).hexdigest()
    text = f'{{"version":5,"a":[{",".join(["7"] * 11)}],"checksum":"{checksum}"}}'
    assert read(text.encode()) == LastCheckpoint(5, None, Checksum.SPARK)


def test_a_healthy_file_of_spark_is_not_called_damaged(shared_folder: Path) -> None:
    text = (shared_folder / "last_checkpoint_14_features.json").read_bytes()
    name = "00000000000000000001.checkpoint.a7564b4f-38a8-46f9-9fef-0f6af4e771ef.json"
    expected = LastCheckpoint(1, None, Checksum.SPARK, num_of_add_files=1, is_v2=True, file=name)
    assert read(text) == expected
    digest = hashlib.md5(canonical(text).encode()).hexdigest()
    assert digest == "5a2756454119e84b71a3e653c7fcd8fa"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "LAST_CHECKPOINT_UNREADABLE"),
        (b"garbage", "LAST_CHECKPOINT_UNREADABLE"),
        (b"\xff\xfe{", "LAST_CHECKPOINT_UNREADABLE"),
        (b"[]", "LAST_CHECKPOINT_UNREADABLE"),
        (b"5", "LAST_CHECKPOINT_UNREADABLE"),
        (b"{}", "LAST_CHECKPOINT_UNREADABLE"),
        (b'{"version":"5"}', "LAST_CHECKPOINT_UNREADABLE"),
        (b'{"version":5.0}', "LAST_CHECKPOINT_UNREADABLE"),
        (b'{"version":-5}', "LAST_CHECKPOINT_UNREADABLE"),
        (b'{"version":' + b"9" * 5000 + b"}", "LAST_CHECKPOINT_UNREADABLE"),
        (b'{"version":5,"a":' + b"[" * 100_000, "LAST_CHECKPOINT_UNREADABLE"),
        (b'{"version":5,"version":6}', "LAST_CHECKPOINT_DUPLICATE_KEY"),
        (b'{"version":5,"a":{"b":1,"b":1}}', "LAST_CHECKPOINT_DUPLICATE_KEY"),
        (b'{"version":5,"checksum":"' + b"0" * 32 + b'"}', "LAST_CHECKPOINT_CHECKSUM_MISMATCH"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_is_not_to_be_believed_says_why(text: bytes, code: str) -> None:
    notice = read(text)
    assert isinstance(notice, Notice)
    assert notice.code == code


def test_many_keys_that_stand_twice_are_found_at_once() -> None:
    text = b"{" + b",".join(b'"k%d":1' % (n % 50_000) for n in range(100_000)) + b"}"
    notice = read(text)
    assert isinstance(notice, Notice)
    assert notice.code == "LAST_CHECKPOINT_DUPLICATE_KEY"
