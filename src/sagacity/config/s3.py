"""Documents in a bucket of S3 or a compatible store, encrypted if a key is given."""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from pydantic import SecretStr

from sagacity.config.document_place import Found
from sagacity.domain.errors import ConfigError, StorageUnavailable

_CONNECT_SECONDS, _READ_SECONDS, _ATTEMPTS = 5, 10, 3
_IS_THERE = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})
_IS_NOT_THERE = frozenset({"NoSuchKey", "404"})
_SERVER_FAULT = 500
_SLOW_DOWN = 429
Result = TypeVar("Result")


class S3Choice(NamedTuple):
    """A bucket, and how to reach it."""

    bucket: str
    prefix: str
    """Empty, or ends with a slash."""
    region: str
    access_key: str
    secret_key: SecretStr
    endpoint: str
    """Empty: Amazon's."""
    encryption_keys: tuple[str, ...] = ()
    """Fernet keys: the first encrypts, all decrypt. None: documents are in the clear."""


class S3Place:
    """One object per document, replaced by conditional puts."""

    def __init__(self, choice: S3Choice) -> None:
        self._choice = choice
        self._client: Any = None
        keys = [Fernet(key) for key in choice.encryption_keys]
        self._fernet = MultiFernet(keys) if keys else None

    async def read(self, name: str) -> Found | None:
        """
        Return a document; None if there is none.

        Raises:
            StorageUnavailable: the bucket cannot be reached.
            ConfigError: it refuses, or the object cannot be decrypted.
        """

        def get(client: Any) -> Found:
            reply = client.get_object(Bucket=self._choice.bucket, Key=self._choice.prefix + name)
            return Found(reply["Body"].read(), reply["ETag"])

        found = await self._call(get, _IS_NOT_THERE)
        return None if found is None else Found(self._decrypted(name, found.content), found.tag)

    async def write(self, name: str, content: bytes, *, tag: str | None) -> bool:
        """
        Replace the document with *tag* by *content*; with None, create it if there is no document.

        Raises:
            StorageUnavailable: the bucket cannot be reached; the document may have been written nevertheless.
            ConfigError: it refuses.
        """
        body = content if self._fernet is None else self._fernet.encrypt(content)
        condition = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}

        def put(client: Any) -> bool:
            client.put_object(
                Bucket=self._choice.bucket,
                Key=self._choice.prefix + name,
                Body=body,
                ContentType="application/octet-stream" if self._fernet else "application/json",
                **condition,
            )
            return True

        # A document with a tag that is gone was deleted meanwhile.
        expected = _IS_THERE if tag is None else _IS_THERE | _IS_NOT_THERE
        return await self._call(put, expected) is True

    def _decrypted(self, name: str, content: bytes) -> bytes:
        if self._fernet is None:
            return content
        try:
            return self._fernet.decrypt(content)
        except InvalidToken as error:
            raise ConfigError(
                f"{name} in S3 is not encrypted with CONFIG_S3_ENCRYPTION_KEY: set the key that "
                "encrypted it, or remove the setting if it is in the clear"
            ) from error

    async def _call(self, call: Callable[[Any], Result], expected: frozenset[str]) -> Result | None:
        """Return the result of a client call; None if it fails with an *expected* code."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  only S3 needs the package

        def run() -> Result:
            if self._client is None:
                self._client = _open(self._choice)
            return call(self._client)

        try:
            return await asyncio.to_thread(run)
        except ClientError as error:
            response = cast("dict[str, Any]", error.response)
            code = str(response.get("Error", {}).get("Code", ""))
            status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
            if code in expected:
                return None
            if status >= _SERVER_FAULT or status == _SLOW_DOWN:
                raise StorageUnavailable(f"S3 answers {status} {code}") from error
            raise ConfigError(
                f"S3 refuses the bucket of the configurations ({code}): see CONFIG_S3_PATH and its keys"
            ) from error
        except BotoCoreError as error:
            raise StorageUnavailable(f"S3 cannot be reached: {type(error).__name__}") from error


def _open(choice: S3Choice) -> Any:
    import boto3  # noqa: PLC0415  it loads slowly, and only S3 needs it
    from botocore.config import Config  # noqa: PLC0415  with it

    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        s3={"addressing_style": "path" if choice.endpoint else "auto"},
    )
    session = cast("Any", boto3).Session(
        aws_access_key_id=choice.access_key,
        aws_secret_access_key=choice.secret_key.get_secret_value(),
        region_name=choice.region,
    )
    return session.client("s3", endpoint_url=choice.endpoint or None, config=config)
