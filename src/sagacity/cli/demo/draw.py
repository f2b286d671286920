"""What the demo prints."""

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sagacity.cli.demo.story import Answer, Hit, Story, UserStory
from sagacity.cli.output import plain

WIDTH = 100
QUOTE_CHARACTERS = 160
_SENTENCE = re.compile(r"(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bDr\.)(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")
_KINDS = {"profile": ("knows", "cyan"), "playbook": ("does", "magenta")}


def draw(console: Console, story: Story, *, limit: int, kept: str | None) -> None:
    """Draw the whole story, at most *limit* things of a kind for each user; *kept* is the folder that stays."""
    console.width = min(console.width, WIDTH)
    learned = sum(not one.superseded for user in story.users for one in user.learned)
    _heading(console, "What was learned, and from which words")
    for user in story.users:
        if user.learned:
            _user(console, user, limit)
    _heading(console, "Asking the memory")
    for answer in story.answers:
        _answer(console, answer)
    _heading(console, "In short")
    methods = sorted({one.method for user in story.users for one in user.learned})
    console.print(
        plain(
            f"{story.turns} turns of {len(story.users)} users were published to a server of its own; {learned} things "
            f"are known now, learned by {' and '.join(methods) or 'nothing'}, without a model key. It took "
            f"{story.seconds:.0f} seconds."
        )
    )
    console.print()
    _next(console, kept)


def best_sentence(content: str, quotes: Sequence[str]) -> str:
    """Return the sentence of the quotes that shares most words with *content*, shortened if it is long."""
    wanted = _words(content)
    sentences = [part.strip() for quote in quotes for part in _SENTENCE.split(quote) if part.strip()]
    if not sentences:
        return ""
    best = max(sentences, key=lambda sentence: len(wanted & _words(sentence)))
    return _short(best)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _short(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= QUOTE_CHARACTERS else joined[: QUOTE_CHARACTERS - 1].rstrip() + "…"


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Rule(Text(text, "bold"), align="left", style="dim"))
    console.print()


def _user(console: Console, user: UserStory, limit: int) -> None:
    console.print(plain(user.user_id, "bold") + plain(f"  {user.turns} turns", "dim"))
    grid = _grid(11)
    hidden = 0
    for kind, (verb, colour) in _KINDS.items():
        known = [one for one in user.learned if one.kind == kind and not one.superseded]
        hidden += max(0, len(known) - limit)
        for one in known[:limit]:
            quote = best_sentence(one.content, one.quotes)
            words = plain(f"\n“{quote}”", "dim italic") if quote else plain("")
            grid.add_row(plain(verb, colour), plain(one.content) + words)
    for one in user.learned:
        if one.superseded:
            grid.add_row(plain("no longer", "dim"), plain(one.content, "dim strike"))
    if hidden:
        grid.add_row("", plain(f"and {hidden} more (--all shows them)", "dim"))
    console.print(Padding(grid, (0, 0, 0, 2)))
    console.print()


def _answer(console: Console, answer: Answer) -> None:
    console.print(plain(answer.question, "bold") + plain(f"  {answer.user_id}", "dim"))
    grid = _grid(4)
    if answer.expected:
        grid.add_row("", plain(f"expected: {answer.expected}", "dim"))
    for hit in answer.hits:
        grid.add_row(plain(f"{hit.score:.2f}", "dim"), _hit(hit, answer))
    if not answer.hits:
        grid.add_row("", plain("nothing found", "dim"))
    console.print(Padding(grid, (0, 0, 0, 2)))
    console.print()


def _hit(hit: Hit, answer: Answer) -> Text:
    mark = plain("  ← the evidence", "green") if hit.is_evidence else plain("")
    return plain(best_sentence(f"{answer.question} {answer.expected}", [hit.content])) + mark


def _grid(first_column: int) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=first_column, no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _next(console: Console, kept: str | None) -> None:
    console.print(plain("Try next, the server in a terminal of its own", "bold"))
    home = f"SAGACITY_HOME={kept} " if kept else ""
    path = [] if shutil.which("sagacity") else [f'export PATH="{Path(sys.executable).parent}:$PATH"']
    for command in (
        *path,
        f"{home}sagacity serve",
        'sagacity publish -u you --user-message "I am vegetarian." --agent-response "Noted." --wait --force-extraction',
        'sagacity search "what should I cook?" -u you',
    ):
        console.print(plain(f"  {command}", "cyan"), soft_wrap=True)
