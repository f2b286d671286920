"""
A kind of memory as a noun of the program: what can be done with each kind in the same way is written here once.

    SKILLS = Noun(app, "skills", "a skill", "skills", "skill_id", Option(SkillId), draw.skills)
    SKILLS.lists("get_skills", "--approval pending", limit=LISTED, agent_version=VERSION)

A command is one call of the SDK. Its options are named as the arguments of that call are, in the order of the help.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import typer

from sagacity.cli import options
from sagacity.cli.explain import in_meta, results, with_explanation
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import Render, said, show
from sagacity.cli.search_options import searching
from sagacity.domain.errors import NotFound

if TYPE_CHECKING:
    from sagacity.client import Sagacity

Given = Mapping[str, Any]
"""What was given on the command line, by the name of the SDK's argument."""


class Option(NamedTuple):
    """One option of a command; without a default it has to be given."""

    hint: object
    """The type, annotated with the option as Typer has it."""
    default: object = inspect.Parameter.empty


USER = Option(options.UserId)
ANY_USER = Option(options.AnyUserId, None)
LISTED = Option(options.Limit, 20)
FOUND = Option(options.Limit, 10)
NAME = Option(options.PlaybookName, None)
VERSION = Option(options.AgentVersion, None)
STATUS = Option(options.Lifecycle, None)
LISTED_STATUS = Option(options.Lifecycle, "current")
APPROVAL = Option(options.OnlyApproval, None)
YES = Option(options.Yes, False)


@dataclass(frozen=True)
class Noun:
    """One kind of memory, to which the methods add commands."""

    app: typer.Typer
    command: str
    """What is typed, such as `user-playbooks`."""
    one: str
    """One of them, with its article."""
    field: str
    """Where replies hold a list of them."""
    id_name: str
    """Its number or name, as an argument of the SDK and as a field of what is found."""
    id_option: Option
    draw: Callable[[Any], Render]
    is_of_users: bool = False
    """Whether each is of one user."""

    @property
    def name(self) -> str:
        """What one of them is called."""
        return self.one.partition(" ")[2]

    def lists(self, call: str, example: str, **takes: Option) -> None:
        """Add `list`."""

        def act(context: typer.Context, given: Given) -> None:
            with connected(context, f"reading {self.name}s") as client:
                found = getattr(called(client, call, given), self.field)
            show(context, found, self.draw(found))

        self.adds_command("list", f"List {self.name}s, last changed first.", example, takes, act)

    def searches(self, call: str, example: str, **takes: Option) -> None:
        """Add `search`, with the options that every search has."""

        def act(context: typer.Context, given: Given) -> None:
            own = {name: value for name, value in given.items() if name != "asked"}
            with connected(context, "searching") as client:
                reply = called(client, call, own | given["asked"])
            found = getattr(reply, self.field)
            drawn = with_explanation(
                self.draw(found), reply.explanation, results(self.name, found, self.id_name)
            )
            show(context, found, drawn, **in_meta(reply.explanation))

        text = f"Find {self.name}s of a user." if takes.get("user_id") is USER else f"Find {self.name}s."
        wanted = {"query": Option(options.Query), **takes, "asked": Option(dict)}
        self.app.command("search")(searching(self._command("search", text, example, wanted, act)))

    def shows(self, call: str, text: str, example: str, whole: Callable[[Any], Render]) -> None:
        """Add `show`, by the id alone."""

        def act(context: typer.Context, given: Given) -> None:
            with connected(context, f"reading {self.name}s") as client:
                found = getattr(called(client, call, {f"{self.id_name}s": [given[self.id_name]]}), self.field)
            if not found:
                raise NotFound(f"no {self.name} with id {given[self.id_name]}")
            show(context, found[0], whole(found[0]))

        self.adds_command("show", text, example, {self.id_name: self.id_option}, act)

    def adds(self, call: str, example: str, *, source: str | None = None, **takes: Option) -> None:
        """Add `add`; its options are fields of what is stored, and *source* says where it came from."""

        def act(context: typer.Context, given: Given) -> None:
            new = dict(given) if source is None else {**given, "source": source}
            with connected(context, "writing") as client:
                reply = called(client, call, {self.field: [new]})
            show(context, reply, said(f"{reply.added_count} added"))

        self.adds_command("add", f"Write {self.one} by hand.", example, takes, act)

    def updates(self, call: str, example: str, *, text: str | None = None, **takes: Option) -> None:
        """Add `update`; where there are options that may be left out, one of them has to be given."""
        changing = [name for name, option in takes.items() if option.default is None]

        def act(context: typer.Context, given: Given) -> None:
            if changing:
                options.require_one({name: given[name] for name in changing})
            with connected(context, "writing") as client:
                reply = called(client, call, given)
            show(context, reply, said("changed"))

        text = text or f"Change {self.one}; what is not given stays."
        self.adds_command("update", text, example, takes, act)

    def deletes(self, call: str, example: str) -> None:
        """Add `delete`, by the id alone."""

        def act(context: typer.Context, given: Given) -> None:
            with connected(context, "deleting") as client:
                reply = called(client, call, given)
            show(context, reply, said("deleted"))

        takes = {self.id_name: self.id_option}
        self.adds_command("delete", f"Delete one {self.name}.", example, takes, act)

    def deletes_all(self, call: str) -> None:
        """Add `delete-all`, which asks first."""
        question = f"Delete ALL {self.name}s{' of ALL users' if self.is_of_users else ''}?"

        def act(context: typer.Context, given: Given) -> None:
            confirm(context, question, yes=given["yes"])
            with connected(context, "deleting") as client:
                reply = called(client, call, {})
            show(context, reply, said(f"{reply.deleted_count} deleted"))

        text = f"Delete the {self.name}s of all users." if self.is_of_users else f"Delete all {self.name}s."
        self.adds_command("delete-all", text, "--yes", {"yes": YES}, act)

    def is_reviewed(self, call: str, status: str, example: str) -> Callable[..., None]:
        """
        Add `approve` and `reject`; returns what gives one a verdict.

        Args:
            call: of the SDK.
            status: its argument for the verdict.
            example: the id.
        """

        def decide(context: typer.Context, given: Given, verdict: options.Approval) -> None:
            with connected(context, "writing") as client:
                reply = called(client, call, {**given, status: verdict})
            show(context, reply, said(reply.message or verdict))

        takes = {self.id_name: self.id_option}
        approve = f"Approve {self.one}. It is used for all users, and the one that it replaces is archived."
        reject = f"Reject {self.one}, so that it is not used."
        self.adds_command(
            "approve", approve, example, takes, lambda context, given: decide(context, given, "approved")
        )
        self.adds_command(
            "reject", reject, example, takes, lambda context, given: decide(context, given, "rejected")
        )
        return decide

    def adds_command(
        self,
        name: str,
        text: str,
        example: str,
        takes: Mapping[str, Option],
        act: Callable[[typer.Context, Given], None],
    ) -> None:
        """
        Add a command.

        Args:
            name: what is typed after the noun.
            text: what it does.
            example: what is typed after the name; each line is one example.
            takes: its options.
            act: does it, with what was given.
        """
        self.app.command(name)(self._command(name, text, example, takes, act))

    def _command(
        self,
        name: str,
        text: str,
        example: str,
        takes: Mapping[str, Option],
        act: Callable[[typer.Context, Given], None],
    ) -> Callable[..., None]:
        def command(context: typer.Context, **given: object) -> None:
            act(context, given)

        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
            *(
                inspect.Parameter(one, kind, annotation=option.hint, default=option.default)
                for one, option in takes.items()
            ),
        ]
        examples = (f"Example: sagacity {self.command} {name} {one}" for one in example.splitlines())
        command.__doc__ = "\n\n".join((text, *examples))
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]  # typer looks there
        return command


def called(client: "Sagacity", call: str, given: Given) -> Any:
    """Make a call of the SDK, by its name."""
    states = {"status_filter": options.listed(given["status_filter"])} if "status_filter" in given else {}
    return cast("Callable[..., Any]", getattr(client, call))(**{**given, **states})
