"""What the README shows is what a reader gets."""

import doctest
import re
import shutil
import tomllib
from pathlib import Path

import pytest
import readme_examples
from readme_examples import README, Example, examples, normalised, output_of

from deltactl.cli.reference import contexts

TEXT = README.read_text(encoding="utf-8")
EXAMPLES = examples(TEXT)
LINKS = re.findall(r"\]\(([^)#]+)\)", TEXT)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader's home, after `deltactl demo`."""
    home = tmp_path_factory.mktemp("home")
    assert output_of("deltactl demo; echo exit $?", home).endswith("\nexit 0\n")
    return home


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command)
def test_an_example_prints_what_the_readme_says(home: Path, example: Example) -> None:
    printed = normalised(output_of(example.command, home))
    assert normalised(example.output) == printed, f"run {readme_examples.__file__}, and read it"


def test_the_example_in_python_does_what_it_shows(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(home / "deltactl-demo", tmp_path / "deltactl-demo")
    monkeypatch.chdir(tmp_path)
    (text,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(text, {}, "README", str(README), 0)
    said: list[str] = []
    failed, tried = doctest.DocTestRunner().run(example, out=said.append)
    assert (failed, tried) == (0, 7), "".join(said)


def test_examples_are_found() -> None:
    assert len(EXAMPLES) >= 8
    assert all("deltactl " in example.command for example in EXAMPLES)


def test_the_commands_that_install() -> None:
    commands = {
        name: found[1]
        for name in ("demo-command", "light-command", "test-command")
        if (found := re.search(rf"<!-- {name} -->\n```sh\n(.+)\n```\n", TEXT))
    }
    assert commands == {
        "demo-command": (
            "python3 -m venv .venv && .venv/bin/pip install '.[spark]'"
            " && .venv/bin/deltactl demo --yes"
        ),
        "light-command": "uvx --from . deltactl demo",
        "test-command": (
            "python3 -m venv .venv && .venv/bin/pip install -e '.[spark,dev]'"
            " && .venv/bin/python -m pytest -n 2 --dist loadfile"
        ),
    }


def test_the_settings_in_the_readme_are_read(tmp_path: Path) -> None:
    (settings,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert tomllib.loads(settings)["tables"]
    (tmp_path / "deltactl.toml").write_text(settings, encoding="utf-8")
    shown = output_of("deltactl config show --profile ci -o ndjson; echo exit $?", tmp_path)
    assert shown.endswith("exit 0\n"), shown
    trust = "DELTACTL_TRUST_CONFIG=deltactl.toml"
    environ = f"{trust} AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_REGION=c"
    shown = output_of(f"{environ} deltactl config show --profile lake", tmp_path)
    options = [line.split()[:2] for line in shown.splitlines() if line.startswith("storage-")]
    assert options == [
        ["storage-options.AWS_PROFILE", "lake"],
        ["storage-options.AWS_REGION", "eu-west-1"],
    ]
    missing = output_of(f"{trust} deltactl show events", tmp_path)
    assert "[AWS_PROFILE_UNKNOWN]" in missing, missing


@pytest.mark.parametrize("link", [link for link in LINKS if "://" not in link])
def test_links_lead_somewhere(link: str) -> None:
    assert (README.parent / link).exists()


def test_commands_without_a_dry_run_are_read_only() -> None:
    # `demo` and `spark install` write, and to no table that was there.
    writing = {"yes", "if_version", "message", "repair", "rewrite", "backfill"}
    commands = list(contexts())
    assert len(commands) > 40
    for ctx in commands:
        options = {param.name for param in ctx.command.params}
        is_read_only = not options & writing or ctx.info_name == "demo"
        assert "dry_run" in options or is_read_only, ctx.command_path


def test_the_picture_shows_no_path_of_a_machine() -> None:
    picture = (README.parent / "docs" / "terminal.svg").read_text(encoding="utf-8")
    assert "deltactl" in picture
    assert not re.search(r"/(home|tmp|root|Users|var)/", picture)
