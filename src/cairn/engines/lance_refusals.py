"""What an object store or the operating system says by an error of LanceDB's: refused, lost, or out of reach."""

import errno
import re

# An object store's answer reaches us as text within an error of LanceDB's.
_DENIED = (
    "forbidden",
    "accessdenied",
    "access denied",
    "invalidaccesskeyid",
    "signaturedoesnotmatch",
    "expiredtoken",
    "unauthenticated",
    "unauthorized",
    "failed to get aws credentials",
    "permissiondenied",
)
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "abfss": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "oss": "OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET",
}
_DENIED_STATUS = re.compile(r"\bstatus(?: code)?\W{1,3}40[13]\b")
_SYSTEM = re.compile(r"\bos error (\d+)\b")
_LOST = re.compile(r"not found: \S+\.lance/(?:data|_versions|_indices)/", re.IGNORECASE)
_ADDRESSES = re.compile(r"[a-z0-9+.-]+://\S+")
"""Addresses are cut out of messages: the name of a bucket doesn't explain why it failed."""


def is_refused(error: BaseException) -> bool:
    """Whether the operating system refused to give a file, which says nothing about its content."""
    noted = _SYSTEM.search(str(error))
    number = int(noted[1]) if noted else getattr(error, "errno", None)
    return isinstance(error, MemoryError) or number not in (None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR)


def is_lost(noted: str) -> bool:
    """Whether an object store says that it lacks a file of a table."""
    return _LOST.search(noted) is not None


def is_denied(noted: str) -> bool:
    """Whether an object store rejects our credentials."""
    said = _ADDRESSES.sub("", noted.lower())
    return _DENIED_STATUS.search(said) is not None or any(word in said for word in _DENIED)


def credentials_of(address: str) -> str:
    """Where LanceDB looks for the credentials of an address."""
    return _CREDENTIALS.get(address.partition("://")[0], "those of the object store")
