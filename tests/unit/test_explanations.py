"""The files that a writer edits: what they may hold, and what is said of a mistake in one."""

import pytest

from deltactl.explanations import Explanation, explanations, read

BUG = """\
# A subject
next: deltactl show TABLE

## BUG
exit: 1
summary: a bug: "x"

A bug.
Two lines.

And a paragraph.
"""
HEAD = "# A\nnext: deltactl show TABLE\n\n"


def test_each_member_of_an_entry(tmp_path) -> None:
    (tmp_path / "one.md").write_text(BUG, encoding="utf-8")
    (tmp_path / "two.md").write_text(
        "# Two\nnext: deltactl log TABLE\n\n## A\nexit: none\nsummary: a\n\nA.\n\n"
        "## B\nexit: 4\nalso: 5, 2\nnext: deltactl tables\nsummary: ä\n\nB.\n",
        encoding="utf-8",
    )
    found = read(tmp_path)
    assert list(found) == ["A", "B", "BUG"]
    assert found == {
        "A": Explanation(None, "a", "A.", "Two", "deltactl log TABLE"),
        "B": Explanation(4, "ä", "B.", "Two", "deltactl tables", (5, 2)),
        "BUG": Explanation(
            exit=1,
            summary='a bug: "x"',
            text="A bug.\nTwo lines.\n\nAnd a paragraph.",
            subject="A subject",
            next="deltactl show TABLE",
        ),
    }


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.md": BUG, "b.md": BUG}, "BUG is explained in a.md and in b.md"),
        ({"a.md": BUG + BUG[BUG.index("\n## "):]}, "BUG is explained in a.md and in a.md"),
        ({"a.md": BUG.replace("exit: 1\n", "")}, "a.md, BUG: missing member 'exit'"),
        ({"a.md": BUG.replace("exit: 1", "exit: 1\nexit: 2")}, "a.md, BUG: two members 'exit'"),
        ({"a.md": BUG.replace("exit", "hint: x\nexit")}, "a.md, BUG: unknown member 'hint: x'"),
        ({"a.md": BUG.replace("exit: 1", "exit: one")}, "a.md, BUG: invalid literal for int"),
        ({"a.md": BUG.replace("exit: ", "exit ")}, "a.md, BUG: unknown member 'exit 1'"),
        ({"a.md": HEAD + "## BUG\nexit: 1\nsummary: a bug\n"}, "a.md, BUG: missing text"),
        ({"a.md": "# A\n\n## BUG\n"}, "a.md: the head needs a subject, and what to type next"),
        ({"a.md": HEAD + "## BUG\nexit: 1\n\nA bug.\n"}, "a.md, BUG: missing member 'summary'"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_place(tmp_path, files, message) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"^{message}"):
        read(tmp_path)


def test_the_files_are_read_once() -> None:
    assert explanations() is explanations()
    assert explanations()["BUG"].exit == 1


def test_a_finding_begins_with_what_it_means() -> None:
    findings = {c: e.meaning for c, e in explanations().items() if 5 in e.exits}
    assert findings["CHECKPOINT_LACKS_FILES"] == (
        "Rows are missing in engines that read this checkpoint."
    )
    assert findings["PATH_NOT_ENCODED"] == "Some engines do not find the file."
    long = {code for code, meaning in findings.items() if len(meaning.split()) > 27}
    of_the_message = {code for code, meaning in findings.items() if "The message" in meaning}
    assert (long, of_the_message) == (set(), set())
