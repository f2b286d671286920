"""The files in deploy/ fit the program, and give it no more rights than it needs."""

import base64
import fnmatch
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagacity.cli.serve import DRAIN_SECONDS
from sagacity.config.settings import Settings
from support.deployment import (
    COMPOSE,
    DEPLOY,
    DOCKERFILE,
    KUBERNETES,
    MANIFESTS,
    OURS,
    RELEASE,
    SERVICES,
    cluster_settings,
    container_of,
    deploy_files,
    image_environment,
    instructions,
    objects,
    pod_of,
    settings_of,
    text_of,
    workloads,
)
from support.documents import ROOT, blocks
from support.routes import described

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
PORT = Settings().port
REQUIRED = re.compile(r"\$\{(?P<name>[A-Z_]+):\?")
"""A variable of the compose file without which nothing starts."""
_SECONDS = re.compile(r"(\d+)s")


def _urls_asked(text: str) -> list[str]:
    return re.findall(r"urlopen\('http://127\.0\.0\.1:(\d+)(/[\w/]*)'", text)


# --- what the program understands ------------------------------------------------------------------------------------


def test_every_variable_is_a_setting():
    """A name that the program does not read would be believed and do nothing."""
    known = {f"SAGACITY_{name.upper()}" for name in Settings.model_fields}
    named = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in deploy_files()
        for name in re.findall(r"\bSAGACITY_[A-Z_]+[A-Z]", text_of(path))
    }
    assert len(named) > 20
    assert {one for one in named if one[1] not in known} == set()


def test_values_of_settings_are_accepted():
    """What the image, the compose file and the cluster set is what the program then has."""
    assert settings_of(image_environment()).host == "0.0.0.0"
    assert settings_of(SERVICES["worker"]["environment"]).drain_seconds == 120
    cluster = settings_of(cluster_settings())
    assert (cluster.block_private_urls, cluster.drain_seconds, cluster.learn_concurrency) == (True, 120, 4)


def _commands() -> Iterator[list[str]]:
    [default] = instructions("CMD")
    yield json.loads(default)
    for service in OURS:
        yield SERVICES[service]["command"]
    for name in workloads():
        container = container_of(name)
        yield container["args"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            if command := container.get(probe, {}).get("exec", {}).get("command"):
                yield command[1:]
    yield SERVICES["worker"]["healthcheck"]["test"][2:]


@pytest.mark.parametrize("command", sorted({tuple(command) for command in _commands()}), ids=" ".join)
def test_every_command_is_one_of_the_program(command: tuple[str, ...]):
    """The command exists, and has the options that it is given."""
    options = [word for word in command if word.startswith("--")]
    words = [word for word in command if not word.startswith("--")]
    ended = subprocess.run(
        [sys.executable, "-m", "sagacity", *words, "--help"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert [option for option in options if option not in ended.stdout] == []


def test_programs_beside_ours_are_called_by_their_names():
    """The image starts the program, and what replaces the image's health check is the program too."""
    assert instructions("ENTRYPOINT") == ['["sagacity"]']
    assert SERVICES["worker"]["healthcheck"]["test"][:2] == ["CMD", "sagacity"]
    assert container_of("sagacity-worker")["livenessProbe"]["exec"]["command"][0] == "sagacity"


def test_health_is_asked_where_there_are_routes():
    """Every path that a probe asks answers, on the port that the server listens on."""
    routes = set(described()["paths"])
    asked = _urls_asked(DOCKERFILE) + _urls_asked(str(SERVICES["api"]["healthcheck"]["test"]))
    assert [path for _, path in asked] == ["/health", "/health/ready"]
    assert {int(port) for port, _ in asked} == {PORT}
    api = container_of("sagacity-api")
    probes = [api[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
    assert [probe["path"] for probe in probes] == ["/health", "/health", "/health/ready"]
    assert {probe["path"] for probe in probes} | {path for _, path in asked} <= routes
    assert {probe["port"] for probe in probes} == {"http"}
    worker = container_of("sagacity-worker")
    probes = [worker[name]["httpGet"] for name in ("startupProbe", "readinessProbe")]
    assert probes == [{"path": path, "port": "health"} for path in ("/health", "/health/ready")]


def test_ports_agree():
    """Server, image, compose file, container, Service and network policy name one port."""
    assert instructions("EXPOSE") == [str(PORT)]
    assert settings_of(image_environment()).port == PORT
    assert SERVICES["api"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert container_of("sagacity-api")["ports"] == [{"name": "http", "containerPort": PORT}]
    assert objects("Service")["sagacity"]["spec"]["ports"] == [
        {"name": "http", "port": PORT, "targetPort": "http"}
    ]
    [rule] = objects("NetworkPolicy")["callers"]["spec"]["ingress"]
    assert rule["ports"] == [{"protocol": "TCP", "port": PORT}]
    worker = container_of("sagacity-worker")
    named = {one["name"]: one["value"] for one in worker["env"]}
    own = settings_of(named).worker_port
    assert worker["ports"] == [{"name": "health", "containerPort": own}]
    [rule] = objects("NetworkPolicy")["monitoring"]["spec"]["ingress"]
    assert rule["ports"] == [{"protocol": "TCP", "port": port} for port in (PORT, own)]


def test_processes_get_the_time_to_finish():
    """Nobody is killed before it has ended by itself."""
    before = int(container_of("sagacity-api")["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod_of("sagacity-api")["terminationGracePeriodSeconds"] > before + DRAIN_SECONDS
    assert (
        pod_of("sagacity-worker")["terminationGracePeriodSeconds"]
        > settings_of(cluster_settings()).drain_seconds
    )
    grace = {name: _SECONDS.fullmatch(SERVICES[name]["stop_grace_period"]) for name in ("api", "worker")}
    assert int(grace["api"][1]) > DRAIN_SECONDS
    assert int(grace["worker"][1]) > settings_of(SERVICES["worker"]["environment"]).drain_seconds


def test_the_database_takes_every_connection():
    """All processes' pools together leave room for the migration and for people."""
    pool = settings_of(SERVICES["api"]["environment"]).database_pool_size
    processes = sum(SERVICES[name]["deploy"]["replicas"] for name in ("api", "worker"))
    [most] = [
        int(word.partition("=")[2]) for word in SERVICES["postgres"]["command"] if "max_connections" in word
    ]
    assert processes * pool + 20 <= most


def test_workers_are_added_before_the_backlog_is_two_rounds():
    """The autoscaler's figure follows how many users a worker learns side by side."""
    scaled = objects("ScaledObject")["sagacity-worker"]["spec"]
    [trigger] = scaled["triggers"]
    assert (
        int(trigger["metadata"]["targetQueryValue"]) == 2 * settings_of(cluster_settings()).learn_concurrency
    )
    assert scaled["scaleTargetRef"]["name"] in objects("Deployment")
    assert scaled["minReplicaCount"] >= 1
    [authentication] = objects("TriggerAuthentication")["sagacity-backlog"]["spec"]["secretTargetRef"]
    assert authentication["key"] in objects("Secret")[authentication["name"]]["stringData"]


# --- what it may -----------------------------------------------------------------------------------------------------


def test_home_is_where_may_be_written():
    """A worker's sign of life is a file in the home, and the image itself is read only."""
    assert settings_of(cluster_settings()).home.is_relative_to(
        container_of("sagacity-worker")["volumeMounts"][0]["mountPath"]
    )
    for name in ("api", "worker"):
        assert settings_of(SERVICES[name]["environment"]).home.is_relative_to(SERVICES[name]["tmpfs"][0])


def image_of(service: dict[str, str]) -> str:
    """Which image a service has where no variable names another, such as one with a digest."""
    variable = re.fullmatch(r"\$\{[A-Z]+_IMAGE:-(.+)\}", service["image"])
    assert variable is not None
    return variable[1]


def test_images_are_of_a_version():
    """What runs tomorrow is what was tried today; our own image is this release's."""
    bases = [line.partition(" ")[0] for line in instructions("FROM")]
    [default] = [line.removeprefix("PYTHON_IMAGE=") for line in instructions("ARG")]
    assert set(bases) == {"${PYTHON_IMAGE}"}  # what was installed for one Python runs on it
    assert COMPOSE["x-sagacity"]["build"]["args"] == {"PYTHON_IMAGE": f"${{PYTHON_IMAGE:-{default}}}"}
    images = {image_of(service) for service in SERVICES.values()} | {default}
    assert {image for image in images if not re.search(r":v?\d+\.\d+", image) or "latest" in image} == set()
    assert {image_of(SERVICES[name]) for name in OURS} == {f"sagacity:{VERSION}"}
    assert [image["newTag"] for image in RELEASE["images"]] == [VERSION]
    assert {container_of(name)["image"] for name in workloads()} == {RELEASE["images"][0]["name"]}


def test_no_password_is_in_the_files():
    """Secrets come from outside, and nothing starts without them."""
    found = [
        (path.name, secret)
        for path in deploy_files()
        for secret in re.findall(r"\w+://\w*:(\$\{[^}]*\}|[^@\s]+)@", text_of(path))
    ]
    assert len(found) == 3
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|AUTH$|API_KEY|(CONFIG|ACCOUNT|ERASURE)_KEY", variable):
                found += [(name, value)] if value is not None else []
    valkey = SERVICES["valkey"]["command"]
    found.append(("valkey", valkey[valkey.index("--requirepass") + 1]))
    assert [one for one in found if not REQUIRED.match(one[1])] == []
    secrets = [value for secret in objects("Secret").values() for value in secret["stringData"].values()]
    assert secrets == [""] * 6


def test_keys_come_from_outside():
    """A home folder is its container's own: a key made there is unknown to the others, and lost with it."""
    keys = {"SAGACITY_CONFIG_KEY", "SAGACITY_ACCOUNT_KEY", "SAGACITY_ERASURE_KEY"}
    for name in ("api", "worker", "migrate"):
        assert SERVICES[name]["environment"].keys() >= keys, name
    assert objects("Secret")["sagacity-program"]["stringData"].keys() >= keys
    page = text_of(ROOT / "docs/howto/deploy-on-kubernetes.md")
    assert [key for key in sorted(keys) if f"\n{key}=" not in page] == []


@pytest.mark.parametrize("name", SERVICES)
def test_compose_services_are_bounded(name: str):
    """None runs as root, writes to its image, keeps capabilities, or takes the whole machine."""
    service = SERVICES[name]
    assert service["user"].split(":")[0] not in {"", "0", "root"}
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    limits = service["deploy"]["resources"]["limits"]
    assert float(limits["cpus"]) > 0
    assert re.fullmatch(r"\d+[mg]", limits["memory"])
    assert service["logging"]["options"]["max-size"]
    assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")


def test_only_the_api_is_reached_from_this_machine():
    """The databases have no port outside, and no way out."""
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["api"]
    outside = {name for name, service in SERVICES.items() if service["networks"] != ["data"]}
    assert outside == {"api", "worker"}
    assert COMPOSE["networks"]["data"]["internal"] is True


def test_nothing_serves_before_the_schema_is_there():
    """API and workers wait for the migration's success, and it for a database that answers."""
    for name in ("api", "worker"):
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    waited = {
        other: wait["condition"]
        for service in SERVICES.values()
        for other, wait in service.get("depends_on", {}).items()
    }
    assert waited.pop("migrate") == "service_completed_successfully"
    assert set(waited.values()) == {"service_healthy"}
    assert all(SERVICES[other]["healthcheck"]["test"] for other in waited)


@pytest.mark.parametrize("name", workloads())
def test_pods_are_bounded(name: str):
    """What the `restricted` standard asks, a root file system that is read only, and no token of the cluster."""
    pod, container = pod_of(name), container_of(name)
    assert pod["automountServiceAccountToken"] is False
    assert pod["serviceAccountName"] in objects("ServiceAccount")
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == int(instructions("USER")[-1].partition(":")[0]) != 0
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["volumeMounts"] == [{"name": "tmp", "mountPath": "/tmp"}]  # noqa: S108  of a container
    assert [volume["name"] for volume in pod["volumes"]] == ["tmp"]
    assert "emptyDir" in pod["volumes"][0]
    assert set(container["resources"]["requests"]) == {"cpu", "memory"}
    assert "memory" in container["resources"]["limits"]


def test_only_the_migration_sees_the_owner():
    """A process that serves calls cannot become the role that row-level security does not bind."""
    with_owner = {name for name in workloads() if "sagacity-owner" in str(container_of(name)["envFrom"])}
    assert with_owner == {"sagacity-migrate"}
    assert {name for name in OURS if "SAGACITY_MIGRATION_URL" in SERVICES[name]["environment"]} == {"migrate"}
    assert set(objects("Secret")["sagacity-owner"]["stringData"]) == {"SAGACITY_MIGRATION_URL"}


def test_nothing_reports_its_use():
    """What would tell its maker that it runs is told not to."""
    assert image_environment()["ORT_DISABLE_TELEMETRY"] == "1"
    assert SERVICES["qdrant"]["environment"]["QDRANT__TELEMETRY_DISABLED"] == "true"


# --- what belongs together -------------------------------------------------------------------------------------------


def test_kustomizations_name_every_file():
    """Nothing that is named is missing, and nothing lies beside that is never applied."""
    for name, (kustomization, *_) in MANIFESTS.items():
        if name.endswith("kustomization.yaml"):
            folder = (KUBERNETES / name).parent
            named = {folder / one for one in kustomization.get("resources", [])}
            assert named == set(folder.glob("*.yaml")) - {KUBERNETES / name}
            assert all(
                (folder / one / "kustomization.yaml").exists() for one in kustomization.get("components", [])
            )
    assert {path.name for path in KUBERNETES.glob("*.yaml")} == {"secrets.example.yaml"}
    [settings] = RELEASE["configMapGenerator"]
    assert [(KUBERNETES / "release" / name).exists() for name in settings["envs"]] == [True]
    for name in workloads():
        read = {next(iter(one.values()))["name"] for one in container_of(name)["envFrom"]}
        assert read <= set(objects("Secret")) | {settings["name"]}
        assert settings["name"] in read


def test_selectors_find_their_pods():
    """Service, budgets and spread point at the pods that they are meant for."""
    labels = {name: one["spec"]["template"]["metadata"]["labels"] for name, one in workloads().items()}
    assert len({tuple(sorted(one.items())) for one in labels.values()}) == 3
    for name, deployment in objects("Deployment").items():
        assert deployment["spec"]["selector"]["matchLabels"] == labels[name]
        assert "replicas" not in deployment["spec"]
        assert objects("PodDisruptionBudget")[name]["spec"]["selector"]["matchLabels"] == labels[name]
        for spread in pod_of(name)["topologySpreadConstraints"]:
            assert spread["labelSelector"]["matchLabels"] == labels[name]
    assert objects("Service")["sagacity"]["spec"]["selector"] == labels["sagacity-api"]
    scaler = objects("HorizontalPodAutoscaler")["sagacity-api"]["spec"]
    assert scaler["scaleTargetRef"]["name"] == "sagacity-api"
    assert scaler["minReplicas"] >= 2


def test_the_network_is_closed_unless_opened():
    """One policy shuts every pod in, and the others open what is needed."""
    policies = {name: one["spec"] for name, one in objects("NetworkPolicy").items()}
    assert policies.pop("nobody") == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    entries = [name for name, policy in policies.items() if "Ingress" in policy["policyTypes"]]
    assert entries == ["callers", "monitoring"]
    for name in entries:
        [rule] = policies[name]["ingress"]
        [source] = rule["from"]
        assert set(source["namespaceSelector"]["matchLabels"].values()) == {"true"}
    [outside] = [rule for rule in policies["parts-and-models"]["egress"] if "to" in rule]
    assert outside["to"][0]["ipBlock"]["except"] == ["169.254.0.0/16"]


def test_the_image_is_made_of_files_that_are_there():
    """What is copied exists, and .dockerignore lets it through, and little else."""
    patterns = [
        line for line in text_of(ROOT / ".dockerignore").splitlines() if line and not line.startswith("#")
    ]
    allowed = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    copied = [
        word for line in instructions("COPY") if not line.startswith("--from") for word in line.split()[:-1]
    ]
    assert sorted(copied) == sorted(allowed)
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert patterns[0] == "*"
    assert not any(fnmatch.fnmatch(".env", pattern) for pattern in allowed)
    assert ".env" in text_of(ROOT / ".gitignore").splitlines()


def test_the_image_installs_what_make_installs():
    """The same tool from the same hashed files; wheels only, so that no compiler is in play."""
    installs = re.findall(r"[\w./$()-]*(?:pip|uv pip) install [^&]*", " ".join(instructions("RUN")))
    files = [one for line in installs for one in re.findall(r"-r (\S+)", line)]
    assert files == ["requirements/bootstrap.txt", "requirements/scale.txt"]
    assert all("--require-hashes" in line for line in installs if "-r " in line)
    assert [("--no-deps" in line, "--no-build-isolation" in line) for line in installs][-1] == (True, True)
    assert "--only-binary :all:" in installs[1]
    makefile = text_of(ROOT / "Makefile")
    assert "--require-hashes -r requirements/bootstrap.txt" in makefile
    assert "uv pip install" in makefile
    for name in files:
        requirements = re.split(r"\n(?=\S)", text_of(ROOT / name).strip())
        assert [
            one for one in requirements if not re.search(r"==.*--hash=sha256:[0-9a-f]{64}", one, re.DOTALL)
        ] == []
    locked = set(re.findall(r"^([\w.-]+)==", text_of(ROOT / files[1]), re.MULTILINE))
    assert {"arq", "opentelemetry-sdk", "pgvector", "psycopg-binary", "qdrant-client", "redis"} <= locked


def test_the_guide_makes_every_secret(tmp_path: Path):
    """Its command writes the file that the compose file asks for: each secret, each another, for its owner only."""
    [block] = [one for one in blocks("docs/howto/deploy-with-compose.md") if "> deploy/.env" in one.text]
    (tmp_path / "deploy").mkdir()
    subprocess.run(["bash", "-euc", block.text], cwd=tmp_path, check=True)
    written = tmp_path / "deploy" / ".env"
    values = dict(line.split("=", 1) for line in written.read_text().splitlines())
    assert set(values) == set(REQUIRED.findall(text_of(DEPLOY / "compose.yaml")))
    assert len(set(values.values())) == len(values) >= 4
    assert len(base64.b64decode(values.pop("CONFIG_KEY"))) == 32
    assert all(re.fullmatch(r"[0-9a-f]{48}", value) for value in values.values())
    assert written.stat().st_mode & 0o077 == 0
