"""Footers in HDFS, which executors ask as the user that this machine was told to be."""

import getpass
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import store_servers
from jobs_in_child import outcome, start_jobs
from old_files import write
from spark_cluster import Cluster

from deltactl.storage.locate import locate
from deltactl.storage.options.settings import StoreSettings

OWNER, OTHER = {"HADOOP_USER_NAME": "own-er"}, {"HADOOP_USER_NAME": "some-body"}

pytestmark = [pytest.mark.jvm, pytest.mark.servers]


@pytest.fixture(scope="module")
def hdfs(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The web address of a name node."""
    with store_servers.hdfs(tmp_path_factory.mktemp("hdfs")) as address:
        yield address


def change(address: str, path: str, what: str) -> None:
    """Change what HDFS knows of a path, as who may change everything."""
    asked = urllib.request.Request(f"http://{address}/webhdfs/v1{path}?{what}", method="PUT")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(asked) as answer:
        assert answer.status == 200


@pytest.mark.usefixtures("spark_environment")
def test_the_name_of_the_user_travels(hdfs: str, cluster: Cluster, tmp_path: Path) -> None:
    me = f"user.name={getpass.getuser()}"
    change(hdfs, "/private", f"op=MKDIRS&{me}")
    change(hdfs, "/private", f"op=SETOWNER&owner={OWNER['HADOOP_USER_NAME']}&{me}")
    change(hdfs, "/private", f"op=SETPERMISSION&permission=700&{me}")
    source, table = write(tmp_path / "table"), f"webhdfs://{hdfs}/private/table"
    storage = locate(table, StoreSettings(OWNER))
    for path in sorted(each for each in source.rglob("*") if each.is_file()):
        storage.put(str(path.relative_to(source)), path.read_bytes())

    ask = {"table": table, "paths": ["0.parquet", "9.parquet"], "places": [[["v"], None]]}
    [read] = outcome(start_jobs(("footers", ask), master=cluster.url, storage_options=OWNER))[
        "jobs"
    ]
    missing = {"code": "DATA_FILE_MISSING", "message": "9.parquet is missing"}
    assert read == {"result": {"answers": [["integer"], missing], "of": [0, 1]}}
    # A store that says no to executors says so once, and not of each file.
    [shut] = outcome(start_jobs(("footers", ask), master=cluster.url, storage_options=OTHER))[
        "jobs"
    ]
    assert (shut["error"]["code"], shut["error"]["exit"]) == ("PERMISSION_DENIED", 8)
    assert shut["error"]["message"].startswith("the executor on ")
    assert f" reads no footers: {table}/0.parquet: no permission" in shut["error"]["message"]
