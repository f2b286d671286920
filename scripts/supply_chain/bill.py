"""The bill of materials of a release, in the CycloneDX format: the same bytes for the same locked packages."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from supply_chain.licences import licence_of
from supply_chain.locked import IMAGE, ROOT, Locked, read_locked
from supply_chain.policy import Policy, read_policy


def version_of_project() -> str:
    """Return the version that a release would have."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def bill_of_materials(locked: Path = IMAGE) -> str:
    """
    Return the bill of what the image installs.

    Raises:
        ValueError: the licence of a package is not known.
    """
    policy = read_policy()
    packages = sorted(one for one in read_locked(locked) if one.is_in_the_image)
    parts = [_component(one, policy) for one in packages]
    program = Component(
        name="sagacity",
        version=version_of_project(),
        type=ComponentType.APPLICATION,
        bom_ref="sagacity",
        licenses=[LicenseExpression("Apache-2.0")],
    )
    bom = Bom(components=parts, metadata=BomMetaData(component=program))
    bom.register_dependency(program, parts)
    written = json.loads(make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string())
    return _same_each_time(written, packages)


def _component(package: Locked, policy: Policy) -> Component:
    expression = licence_of(package, policy)
    if not expression:
        raise ValueError(f"the licence of {package.name} is not known; name it in requirements/audit.toml")
    purl = PackageURL("pypi", name=package.name, version=package.version)
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(purl.to_string()),
        comment="SHA-256 of each file that may be installed",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one) for one in package.hashes],
    )
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=purl.to_string(),
        purl=purl,
        licenses=[LicenseExpression(expression)],
        external_references=[files],
    )


def _same_each_time(written: dict[str, Any], packages: Sequence[Locked]) -> str:
    """Replace what is drawn or of the moment by what follows from the content."""
    written["metadata"].pop("timestamp", None)
    content = json.dumps([version_of_project(), *((one.name, one.version, one.hashes) for one in packages)])
    written["serialNumber"] = uuid5(NAMESPACE_URL, content).urn
    return json.dumps(written, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
