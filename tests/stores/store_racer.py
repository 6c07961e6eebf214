"""Writers that race for the versions of a log in any store, each a process of its own.

Run as a program, `store_racer.py URI OPTIONS NUMBER` is one of them: it claims each version that it
is given on its input, and says what it was told.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from store_places import Place

from deltactl.errors import OutcomeUnknownError, StorageError
from deltactl.table.commit.commit import CommitBody, put_commit

STORES_OF_TESTS = Path(__file__).parent
TESTS = STORES_OF_TESTS.parent


def text_of(number: int, version: int) -> bytes:
    """The commit that this writer wants to be this version."""
    info = {"operation": "WRITE", "txnId": f"{number}-{version}"}
    return json.dumps({"commitInfo": info}).encode() + b"\n"


def race(place: Place, writers: int, rounds: int) -> list[list[str]]:
    """Let them claim each version at once; by version, what each was told.

    Each is told `won`, `lost`, `unknown`, or the code of an error.
    """
    command = [sys.executable, __file__, place.uri, json.dumps(dict(place.options))]
    path = os.pathsep.join(map(str, (TESTS.parent, TESTS, STORES_OF_TESTS)))
    with ExitStack() as running:
        racers = [
            running.enter_context(
                subprocess.Popen(
                    [*command, str(number)],
                    env={**os.environ, "PYTHONPATH": path},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for number in range(writers)
        ]
        try:
            assert _answers(racers) == ["ready"] * writers
            told = []
            for version in range(rounds):
                for racer in racers:
                    assert racer.stdin is not None
                    racer.stdin.write(f"{version}\n")
                    racer.stdin.flush()
                told.append(_answers(racers))
        except BaseException:
            for racer in racers:
                racer.kill()
            raise
    assert not any(racer.returncode for racer in racers)
    return told


def _answers(racers: Sequence["subprocess.Popen[str]"]) -> list[str]:
    return [racer.stdout.readline().strip() for racer in racers if racer.stdout is not None]


def _rename_once(place: Place, number: int) -> None:
    storage = place.opened()
    _say("ready")
    for line in sys.stdin:
        version = int(line)
        text = text_of(number, version)
        try:
            _say("won" if put_commit(storage, version, CommitBody(text, len(text))) else "lost")
        except OutcomeUnknownError:
            _say("unknown")
        except StorageError as error:
            _say(error.code)


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def _main(uri: str, options: str, number: str) -> None:
    found: Mapping[str, str] = json.loads(options)
    _rename_once(Place(uri, found), int(number))


if __name__ == "__main__":
    _main(*sys.argv[1:])
