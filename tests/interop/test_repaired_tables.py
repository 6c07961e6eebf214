"""Tables that Spark could not read, or read wrongly, until `verify-checksum --repair` ran."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from in_process import say
from planted.copies import copied, planted
from planted.repaired import BY_NAME, REPAIRED
from spark_state import state

pytestmark = pytest.mark.jvm
GOLDEN = Path(__file__).parent.parent / "golden"


def stale_side_file(log: Path) -> None:
    """Hadoop's sums of another text than the commit's."""
    (log / ".00000000000000000004.json.crc").write_bytes(b"crc\0\0\0\2\0" + b"\1" * 8)


def lying_compaction(log: Path) -> None:
    (path,) = log.glob("*.compacted.json")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"add"' not in line))


def wrong_schema(log: Path) -> None:
    path = log / "00000000000000000004.crc"
    path.write_text(path.read_text().replace('\\"integer\\"', '\\"string\\"'))


def damaged_checkpoint(log: Path) -> None:
    (path,) = log.glob("*.checkpoint.parquet")
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)


# The table, the fault, whether Spark then fails, and the existing rows.
CASES: list[tuple[str, Callable[[Path], None], bool]] = [
    ("crc_good", stale_side_file, True),
    ("crc_good", wrong_schema, False),
    ("log_compaction", lying_compaction, False),
    ("many_ops_history", damaged_checkpoint, False),
]


@pytest.mark.parametrize(("name", "fault", "fails"), CASES, ids=lambda v: getattr(v, "__name__", v))
def test_spark_reads_it_again(spark, name, fault, fails, tmp_path: Path) -> None:
    sound, table = tmp_path / "sound", tmp_path / "table"
    for root in (sound, table):
        shutil.copytree(GOLDEN / name / "delta", root)
    fault(table / "_delta_log")
    if fails:
        with pytest.raises(Exception, match=r"Checksum|FAILED_READ_FILE"):
            spark.read.format("delta").load(str(table)).collect()
        shutil.copytree(table, tmp_path / "again")
        table = tmp_path / "again"
    said = say(["verify-checksum", str(table), "--repair", "-o", "json"])
    assert (said.exit_code, said.document["findings"]) == (0, [])
    expected = spark.read.format("delta").load(str(sound)).orderBy("id").collect()
    assert spark.read.format("delta").load(str(table)).orderBy("id").collect() == expected
    spark.sql(f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES (touched = 'yes')")
    assert say(["verify-checksum", str(table), "--all", "-o", "json"]).document["findings"] == []


# This one is planted by making a commit longer, which then says more than it did.
@pytest.mark.parametrize("name", sorted({*REPAIRED} - {"side-file-of-longer-file"}))
def test_spark_finds_in_it_what_it_found_before(spark, name: str, tmp_path: Path) -> None:
    fault = BY_NAME[name]
    expected = state(spark, copied(fault.table, tmp_path / "sound").root)
    table = planted(fault, tmp_path / "table").root
    said = say(["verify-checksum", str(table), *fault.options, "--repair", "-o", "json"])
    assert (said.exit_code, said.document["findings"]) == (0, [])
    assert state(spark, table) == expected
