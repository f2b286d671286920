"""The files in deploy/: the compose file, the Kubernetes manifests, the instructions of the Dockerfile."""

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

from sagacity.config.settings import Settings, load_settings
from support.documents import ROOT

DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {"migrate", "api", "worker"}
MANIFESTS = {
    path.relative_to(KUBERNETES).as_posix(): list(yaml.safe_load_all(path.read_text()))
    for path in sorted(KUBERNETES.rglob("*.yaml"))
}
OBJECTS = [one for documents in MANIFESTS.values() for one in documents if "metadata" in one]
RELEASE = MANIFESTS["release/kustomization.yaml"][0]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def deploy_files() -> list[Path]:
    return [path for path in sorted(DEPLOY.rglob("*")) if path.is_file() and path.name != ".env"]


def objects(kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in OBJECTS if one["kind"] == kind}


def workloads() -> dict[str, dict[str, Any]]:
    """Everything that makes pods, by its name."""
    return objects("Job") | objects("Deployment")


def pod_of(name: str) -> dict[str, Any]:
    return workloads()[name]["spec"]["template"]["spec"]


def container_of(name: str) -> dict[str, Any]:
    [container] = pod_of(name)["containers"]
    return container


def cluster_settings() -> dict[str, str]:
    lines = text_of(KUBERNETES / "release/settings.env").splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines if line)}


def settings_of(environment: dict[str, str | None]) -> Settings:
    """What the program makes of *environment*, its secrets left out."""
    given = {name: value for name, value in environment.items() if value is not None and "$" not in value}
    return load_settings(
        **{
            name.removeprefix("SAGACITY_").lower(): value
            for name, value in given.items()
            if name.startswith("SAGACITY_")
        }
    )


def instructions(name: str) -> list[str]:
    """The Dockerfile's instructions of one name, with continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", DOCKERFILE)
    return [line.removeprefix(name).strip() for line in joined.splitlines() if line.startswith(f"{name} ")]


def image_environment() -> dict[str, str]:
    words = [word for line in instructions("ENV") for word in shlex.split(line)]
    return {name: value for name, _, value in (word.partition("=") for word in words)}
