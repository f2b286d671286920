"""The chart in deploy/helm fits the manifests beside it, and its values are those that its templates read."""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import yaml

from support.deployment import DEPLOY, cluster_settings, container_of, settings_of, text_of
from support.documents import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
CHART = DEPLOY / "helm" / "sagacity"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
TEMPLATES = {path.name: text_of(path) for path in sorted((CHART / "templates").iterdir())}


def _leaves(values: dict[str, Any], path: str = "") -> Iterator[str]:
    for name, value in values.items():
        yield from _leaves(value, f"{path}{name}.") if isinstance(value, dict) and value else [path + name]


def test_every_value_is_read_and_every_value_read_is_there():
    """A value that no template reads would be believed and do nothing; one that is missing would be empty."""
    read = {name for text in TEMPLATES.values() for name in re.findall(r"\.Values\.([\w.]+\w)", text)}
    there = set(_leaves(VALUES))
    assert {
        one for one in read if not any(leaf == one or leaf.startswith(f"{one}.") for leaf in there)
    } == set()
    assert {
        leaf for leaf in there if not any(leaf == one or leaf.startswith(f"{one}.") for one in read)
    } == set()


def _undescribed(values: dict[str, Any], schema: dict[str, Any], path: str = "") -> Iterator[str]:
    schema = SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if "properties" not in schema:
        return
    assert schema["additionalProperties"] is False, path
    for name, value in values.items():
        if name not in schema["properties"]:
            yield path + name
        elif isinstance(value, dict):
            yield from _undescribed(value, schema["properties"][name], f"{path}{name}.")


def test_the_schema_knows_every_value():
    """And refuses those that it does not know."""
    assert list(_undescribed(VALUES, SCHEMA)) == []
    assert set(SCHEMA["properties"]) == set(VALUES) | {"global"}


def test_chart_and_manifests_say_the_same():
    """Version, settings, resources, time to finish, probes, and what a container may."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (VERSION, VERSION)
    assert VALUES["settings"] == cluster_settings()
    worker = container_of("sagacity-worker")
    own = settings_of({one["name"]: one["value"] for one in worker["env"]}).worker_port
    assert VALUES["worker"]["port"] == own
    assert VALUES["worker"]["terminationGracePeriodSeconds"] > settings_of(VALUES["settings"]).drain_seconds
    for part, value in (("api", "api"), ("worker", "worker"), ("migrate", "migration")):
        container, text = container_of(f"sagacity-{part}"), TEMPLATES[f"{part}.yaml"]
        assert VALUES[value]["resources"] == container["resources"]
        assert f"args: [{container['args'][0]}]" in text
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            found = re.search(rf"^ +{probe}:\n((?: {{12}}.*\n)+)", text, re.MULTILINE)
            assert (yaml.safe_load(found[1]) if found else None) == container.get(probe)
    security = re.search(
        r"^securityContext:\n((?: {2}.*\n)+)volumeMounts", TEMPLATES["_helpers.tpl"], re.MULTILINE
    )
    assert yaml.safe_load(security[1]) == container_of("sagacity-api")["securityContext"]


def test_a_digest_goes_before_a_tag():
    """Only a whole digest is taken, and then the tag is not read."""
    digest = SCHEMA["properties"]["image"]["properties"]["digest"]["pattern"]
    assert [bool(re.search(digest, one)) for one in ("", f"sha256:{'a' * 64}", "sha256:abc", "latest")] == [
        True,
        True,
        False,
        False,
    ]
    [body] = re.findall(
        r'define "sagacity.image" -}}\n(.*?)\{\{- end }}\n', TEMPLATES["_helpers.tpl"], re.DOTALL
    )
    chosen, other = body.split("{{- else -}}")
    assert "image.digest" in chosen
    assert '"%s@%s"' in chosen
    assert "image.tag" in other
    assert "image.tag" not in chosen


def test_what_not_all_clusters_have_is_off():
    """An ingress controller and the Prometheus operator; network policies are on."""
    assert [VALUES[name]["enabled"] for name in ("ingress", "serviceMonitor", "networkPolicy")] == [
        False,
        False,
        True,
    ]
    for name, value in (("ingress.yaml", "ingress"), ("monitors.yaml", "serviceMonitor")):
        text = TEMPLATES[name].strip()
        assert text.startswith(f"{{{{- if .Values.{value}.enabled }}}}")
        assert text.endswith("{{- end }}")
    assert "kind: Secret" not in "".join(TEMPLATES.values())
