"""`sagacity evaluations`: whether sessions went well."""

import typer

from sagacity.cli import options
from sagacity.cli.invocation import connected
from sagacity.cli.output import show, table
from sagacity.domain.views.evaluation import EvaluationView

app = typer.Typer(no_args_is_help=True, help="Whether sessions went well.")


@app.command("list")
def list_evaluations(
    context: typer.Context, *, agent_version: options.AgentVersion = None, limit: options.Limit = 20
) -> None:
    """
    List results, newest first: one per evaluator and session.

    Example: sagacity evaluations list --agent-version v2
    """
    with connected(context, "reading evaluations") as client:
        reply = client.get_agent_success_evaluation_results(limit=limit, agent_version=agent_version)
    results = reply.agent_success_evaluation_results
    rows = [
        (
            result.result_id,
            result.session_id,
            result.agent_version,
            result.evaluation_name,
            _outcome(result),
            result.regular_vs_shadow,
            result.failure_reason,
        )
        for result in results
    ]
    columns = ("#id", "session", "~version", "~evaluation", "outcome", "+against the shadow", "why")
    show(context, results, table(columns, rows, empty="no evaluations"))


def _outcome(result: EvaluationView) -> str:
    """Return the verdict in a few words."""
    if result.is_success:
        turns = result.user_turns_to_resolution
        said = "success" if turns is None else f"success after {turns} turn{'s' * (turns != 1)}"
    else:
        said = f"failure: {result.failure_type}" if result.failure_type else "failure"
    return f"{said}, escalated" if result.is_escalated else said
