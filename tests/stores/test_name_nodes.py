"""A file system of two name nodes: the active one is found, also when it is another one later."""

import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
import store_servers
from in_process import say
from store_servers import NameNodePair

from deltactl.cli.app import main
from deltactl.errors import StorageError
from deltactl.storage.locate import locate_folder
from deltactl.storage.options.settings import StoreSettings

pytestmark = [pytest.mark.jvm, pytest.mark.servers]

GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
TABLE = "hdfs://nameservice/t"


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NameNodePair]:
    """Two name nodes; a table in their file system is at version 2."""
    with store_servers.hdfs_pair(tmp_path_factory.mktemp("hdfs")) as pair:
        settings = StoreSettings({"HDFS_HTTP_ADDRESS": ",".join(pair.addresses)})
        storage = locate_folder(TABLE, settings)
        for path in sorted(each for each in GOLDEN.rglob("*") if each.is_file()):
            storage.put(str(path.relative_to(GOLDEN)), path.read_bytes())
        yield pair


def test_commands_go_on_when_they_change_places(nodes: NameNodePair) -> None:
    dead = "127.0.0.1:1"
    option = ("--storage-option", f"HDFS_HTTP_ADDRESS={dead},{','.join(nodes.addresses)}")
    for version in range(3, 7):
        setting = f"team=number {version}"
        said = say(["property", "set", TABLE, setting, "--yes", "-o", "json", *option])
        assert said.committed == version
        nodes.switch()
    shown = say(["show", TABLE, "-o", "json", *option]).document
    assert (shown["version"], shown["properties"]["team"]) == (6, "number 6")
    verified = say(["verify-checksum", TABLE, "--all", "--data", "-o", "json", *option])
    assert (verified.exit_code, verified.document["findings"]) == (0, [])


def test_one_table_is_open_while_they_change_places(nodes: NameNodePair) -> None:
    settings = StoreSettings({"HDFS_HTTP_ADDRESS": ",".join(nodes.addresses)})
    storage = locate_folder(TABLE, settings)
    for number in range(4):
        name = f"scratch/{number}"
        assert storage.put_if_absent(name, b"x") == "won"
        nodes.switch()
        assert storage.put_if_absent(name, b"y") == "exists"
        assert storage.read(name) == b"x"
        nodes.switch()
        storage.delete(name)
        nodes.switch()


@pytest.mark.parametrize("resets", [False, True], ids=["hangs", "resets"])
def test_one_that_does_not_answer_is_passed_over(nodes: NameNodePair, resets: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if resets:
            Thread(target=reset_all, args=(listener,), daemon=True).start()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        option = f"HDFS_HTTP_ADDRESS={address},{','.join(nodes.addresses)}"
        words = ["property", "set", TABLE, f"resets={resets}", "--yes", "--timeout", "5s"]
        said = say([*words, "-o", "json", "--storage-option", option])
        assert said.exit_code == 0
        assert said.committed is not None


def reset_all(listener: socket.socket) -> None:
    """End every connection that comes."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def test_one_that_waits_says_so(nodes: NameNodePair) -> None:
    codes = []
    for address in nodes.addresses:
        option = f"HDFS_HTTP_ADDRESS={address}"
        said = say(["show", TABLE, "-o", "json", "--storage-option", option])
        codes.append(said.error.get("code"))
        if said.exit_code:
            assert said.exit_code == 8
            assert (
                "none of the name nodes that are named is the active one" in said.error["message"]
            )
    assert sorted(codes, key=str) == [None, "STORE_BUSY"]


def test_it_is_said_by_what_it_is_read(
    nodes: NameNodePair, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = nodes.addresses
    option = f"HDFS_HTTP_ADDRESS={one},{other}"
    assert main(["protocol", "show", TABLE, "-v", "--storage-option", option]) == 0
    assert f"note: {TABLE} is read by WebHDFS at {one} or {other}\n" in capsys.readouterr().err


def test_none_is_there() -> None:
    settings = StoreSettings({"HDFS_HTTP_ADDRESS": "127.0.0.1:1,127.0.0.1:2"}, timeout=2)
    with pytest.raises(StorageError) as caught:
        locate_folder(TABLE, settings).list_from("")
    assert caught.value.code == "STORE_UNREACHABLE"
