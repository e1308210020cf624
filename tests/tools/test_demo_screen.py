"""The demo prints colors and redraws on a terminal, and plain lines everywhere else."""

import io

from demo import screen


def plain() -> tuple[io.StringIO, screen.Screen]:
    stream = io.StringIO()
    return stream, screen.Screen(stream, terminal=False, colour=False)


def test_without_a_terminal_nothing_is_colored_or_redrawn() -> None:
    stream, show = plain()
    show.title("two teams")
    show.chapter("1  Bad quotas")
    show.command("kubectl get pods")
    show.live("QUOTA\nteam-a")
    show.proved("it runs", 1.24)
    show.refuted("it runs", "runs", "waits")
    assert stream.getvalue().splitlines() == [
        "two teams",
        "",
        "== 1  Bad quotas",
        "  $ kubectl get pods",
        "  ok it runs (1.2 s)",
        "",
        "  FAILED it runs",
        "    expected: runs",
        "    seen:     waits",
    ]
    assert not show.draws


def test_output_stays_word_for_word() -> None:
    stream, show = plain()
    show.output("NAME   READY\nweb-1  1/1\n")
    assert stream.getvalue() == "    NAME   READY\n    web-1  1/1\n"


def test_narration_is_reflowed() -> None:
    stream, show = plain()
    show.say("word " * 40)
    lines = stream.getvalue().splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 100 and line.startswith("  word") for line in lines)


def test_an_expectation_of_several_lines_is_aligned() -> None:
    stream, show = plain()
    show.refuted("they run", "a: 1\nb: 2", "")
    assert stream.getvalue().splitlines()[2:] == [
        "    expected: a: 1",
        "              b: 2",
        "    seen:     nothing",
    ]


def test_on_a_terminal_the_next_text_replaces_the_live_lines() -> None:
    stream = io.StringIO()
    show = screen.Screen(stream, terminal=True, colour=False, columns=40)
    show.live("QUOTA\nteam-a")
    show.live("QUOTA\nteam-b")
    show.say("done")
    erase = "\x1b[2F\x1b[J"
    assert stream.getvalue() == (
        f"    QUOTA\n    team-a\n{erase}    QUOTA\n    team-b\n{erase}  done\n"
    )


def test_live_lines_never_wrap() -> None:
    stream = io.StringIO()
    show = screen.Screen(stream, terminal=True, colour=True, columns=20)
    show.live("x" * 50)
    assert stream.getvalue() == "\x1b[2m    " + "x" * 15 + "\x1b[0m\n"


def test_no_color_disables_colors() -> None:
    assert screen.wants_colour(terminal=True, environment={})
    assert not screen.wants_colour(terminal=True, environment={"NO_COLOR": "1"})
    assert not screen.wants_colour(terminal=False, environment={})
