import json
import time

import pytest

from deltactl.text import strict_json


@pytest.mark.parametrize(
    ("text", "doubled"),
    [
        ('{"a":1,"b":2}', None),
        ('{"a":1,"a":2}', "a"),
        ('{"a":1,"b":2,"b":3,"a":4}', "a"),
        ('{"a":1,"a":2,"b":{"c":1,"c":2}}', "c"),
        ('[{"a":1},{"a":2}]', None),
        ('{"a":{"b":1},"b":2}', None),
    ],
)
def test_a_key_that_stands_twice(text: str, doubled: str | None) -> None:
    assert strict_json.loads_once(text) == (json.loads(text), doubled)


def test_the_last_of_two_values_counts() -> None:
    assert strict_json.loads_once('{"a":1,"b":0,"a":2}') == ({"a": 2, "b": 0}, "a")


def test_many_keys_that_stand_twice_are_found_at_once() -> None:
    keys = ",".join(f'"k{number}":1' for number in range(30_000))
    before = time.process_time()
    _, doubled = strict_json.loads_once(f"{{{keys},{keys}}}")
    assert doubled == "k0"
    assert time.process_time() - before < 5


@pytest.mark.parametrize("read", [strict_json.loads, strict_json.loads_once])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NaN", "NaN is not JSON"),
        ("[Infinity]", "Infinity is not JSON"),
        ("1e999", "1e999 is beyond the numbers that engines have"),
        ('"\\ud800"', "surrogates not allowed"),
        ("", "Expecting value"),
        ("{", "Expecting property name"),
    ],
)
def test_what_some_engine_cannot_read_is_refused(read, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read(text)
