"""Who the caller is, and the organisation's configuration."""

from typing import Any

from reflexio import AgentSuccessConfig, ToolUseConfig

from reflexio_steps.world import Step, World, dumped, refusal

# Nothing is published after this is set, so that the key is never used.
KEYS = {"openai": {"api_key": "sk-the-whole-secret"}}


def whoami(world: World) -> Any:
    return dumped(world.client.whoami())


def get_my_config(world: World) -> Any:
    return dumped(world.client.get_my_config())


def set_config(world: World) -> Any:
    config = world.client.get_config()
    changed = config.model_copy(
        update={
            "agent_context_prompt": "A desk that answers mail.",
            "batch_size": 12,
            "batch_interval": 4,
            "tool_can_use": [ToolUseConfig(tool_name="find_invoice", tool_description="Finds an invoice.")],
            "agent_success_configs": [
                AgentSuccessConfig(evaluation_name="solved", success_definition_prompt="The bill is paid.")
            ],
        }
    )
    as_model = world.client.set_config(changed)
    as_dict = world.client.set_config(dumped(changed) | {"api_key_config": KEYS})
    invalid = refusal(lambda: world.client.set_config(config.model_copy(update={"batch_interval": 99})))
    return {"as_model": as_model, "as_dict": as_dict, "invalid": invalid}


def get_config(world: World) -> Any:
    stored = world.client.get_config()
    world.client.set_config(stored)
    again = world.client.get_config()
    return {"stored": dumped(stored), "same_after_writing_it_back": again == stored}


STEPS: tuple[Step, ...] = (whoami, get_my_config, set_config, get_config)
