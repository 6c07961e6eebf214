import pytest
from rich.console import Console

from deltactl.cli.render import progress
from deltactl.cli.render.progress import CountingProgress


def test_what_is_quick_has_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with CountingProgress("Reading", 10, shown=True) as bar:
        bar.advance(10)
    assert bar.done == 10
    assert capsys.readouterr() == ("", "")


def test_what_takes_longer_has_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes rich take the stream for a terminal
    with CountingProgress("Reading [bold]x", 10, shown=True) as bar:
        bar.advance(4)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Reading [bold]x" in err
    assert " 4/10" in err


def test_none_where_it_is_not_wanted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    with CountingProgress("Reading", 10, shown=False) as bar:
        bar.advance()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("step", ["set_live", "show_cursor", "push_render_hook"])
def test_ctrl_c_while_it_appears_is_that_and_no_other_error(
    step: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(*_: object) -> None:
        monkeypatch.undo()
        monkeypatch.setenv("FORCE_COLOR", "1")
        raise KeyboardInterrupt

    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(Console, step, press)
    with pytest.raises(KeyboardInterrupt), CountingProgress("Reading", 10, shown=True) as bar:
        bar.advance(4)
    assert capsys.readouterr().err.endswith("\x1b[?25h")  # the cursor is there again
    assert not CountingProgress.is_drawn
