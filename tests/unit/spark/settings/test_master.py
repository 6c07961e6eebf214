import socket
from collections.abc import Iterator

import pytest

from deltactl.errors import SparkError
from deltactl.spark.settings.master import check_reachable


@pytest.fixture
def open_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.mark.parametrize(
    "master", ["spark://127.0.0.1:{}", "sc://127.0.0.1:{}/;token=x", "k8s://https://127.0.0.1:{}"]
)
def test_what_takes_connections_is_reachable(open_port: int, master: str) -> None:
    check_reachable(master.format(open_port), {})


def test_of_several_masters_one_is_enough(open_port: int, closed_port: int) -> None:
    check_reachable(f"spark://127.0.0.1:{closed_port},127.0.0.1:{open_port}", {})


def test_nothing_answers(closed_port: int) -> None:
    with pytest.raises(SparkError) as caught:
        check_reachable(f"spark://127.0.0.1:{closed_port}", {})
    assert (caught.value.code, caught.value.exit_code) == ("MASTER_UNREACHABLE", 9)
    assert caught.value.message == (
        f"nothing answers at spark://127.0.0.1:{closed_port} "
        f"(127.0.0.1:{closed_port}: Connection refused)"
    )
    assert caught.value.hint == (
        "start it, or correct --master; without it Spark runs on this machine"
    )


@pytest.mark.parametrize(
    "address",
    [".host:7077", f"{'a' * 64}:7077", f"127.0.0.1:{'9' * 30}", "127.0.0.1:65536"],
)
def test_what_no_host_or_port_can_be(address: str) -> None:
    with pytest.raises(SparkError) as caught:
        check_reachable(f"spark://{address}", {})
    assert (caught.value.code, caught.value.exit_code) == ("MASTER_UNREACHABLE", 9)
    assert caught.value.message == (
        f"nothing answers at spark://{address} "
        f"({address}: that cannot be the name of a host and a port)"
    )


def test_a_token_is_not_told(closed_port: int) -> None:
    with pytest.raises(SparkError) as caught:
        check_reachable(f"sc://127.0.0.1:{closed_port}/;token=secret", {})
    assert "secret" not in f"{caught.value.message} {caught.value.details}"


def test_yarn_is_found_by_its_configuration() -> None:
    check_reachable("yarn", {"HADOOP_CONF_DIR": "/etc/hadoop"})
    check_reachable("yarn", {"YARN_CONF_DIR": "/etc/hadoop"})
    with pytest.raises(SparkError) as caught:
        check_reachable("yarn", {"HADOOP_CONF_DIR": ""})
    assert caught.value.code == "YARN_NOT_CONFIGURED"


def test_on_this_machine_there_is_nothing_to_reach() -> None:
    check_reachable("local[*]", {})
