"""Where work is done."""

import pytest

from deltactl.changes.jobs import Engine, check_spark_may, choose
from deltactl.errors import RefusedError


@pytest.mark.parametrize(
    ("wanted", "files", "spark_from", "on_spark", "why"),
    [
        (Engine.AUTO, 10, 11, False, "that is quicker than Spark's start"),
        (Engine.AUTO, 11, 11, True, "there are 11 files or more"),
        (Engine.AUTO, 10**9, None, False, "that is quicker than Spark's start"),
        (Engine.LOCAL, 11, 11, False, "--engine local asks for it"),
        (Engine.SPARK, 1, 11, True, "--engine spark asks for it"),
        (Engine.SPARK, 1, None, True, "--engine spark asks for it"),
    ],
)
def test_where_to_work(wanted, files, spark_from, on_spark, why) -> None:
    assert choose(wanted, files=files, spark_from=spark_from) == (on_spark, why)


def test_what_only_spark_can_do() -> None:
    check_spark_may(Engine.AUTO, "a rewrite")
    check_spark_may(Engine.SPARK, "a rewrite")
    with pytest.raises(RefusedError) as caught:
        check_spark_may(Engine.LOCAL, "a rewrite")
    assert caught.value.code == "ONLY_ON_SPARK"
    assert caught.value.message == "a rewrite needs Spark, which --engine local rules out"
