# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One interface to files on this machine and in object storage, which needs fsspec (an extra)."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lidar_app.batch.addresses import joined, parent, protocol
from lidar_base.files.natural_order import natural_key
from lidar_base.files.whole_files import cause_of, make_folder, remove, replacing
from osi_lidar.errors import InputError, OsiLidarError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsspec import AbstractFileSystem

_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs",
             "abfs": "adlfs", "abfss": "adlfs"}  # fmt: skip
_CREDENTIALS = ("NoCredentials", "CredentialsError", "ClientAuthentication", "DefaultCredentials")


class FileStamp(NamedTuple):
    """Size of a file, and a stamp that changes when the content of the file changes.

    Attributes
    ----------
    size : int
        Size. [bytes]
    stamp : str
        Time of change or ETag, as text; empty if the storage states neither.
    """

    size: int
    stamp: str  # time of change or ETag, as text; empty if the storage states neither


class Files(Protocol):
    """Interface to files on this machine or in object storage, by absolute path or URL.

    Reading raises InputError if a file exists but cannot be read; writing raises OutputError.
    """

    def read(self, address: str) -> bytes | None:
        """Return the content of the file at `address`, None if the file does not exist."""

    def read_all(self, addresses: list[str]) -> dict[str, bytes]:
        """Return the contents of the files at `addresses` that exist, as a mapping by address."""

    def write(self, address: str, content: bytes) -> None:
        """Write `content` to the file at `address`, completely or not at all."""

    def stamp_of(self, address: str) -> FileStamp | None:
        """Return size and stamp of the file at `address`, None if the file does not exist.

        The stamp is a text that changes when the content changes, such as the time of change or an
        ETag; empty if the storage states none.
        """

    def below(self, folder: str) -> dict[str, FileStamp]:
        """Map the relative path of each file at any depth below a folder to size and stamp.

        The result is sorted by path, and empty if there is no such folder.
        """

    def remove(self, address: str) -> None:
        """Remove the file at `address` if there is one."""


def files_at(address: str) -> Files:
    """Return the `Files` that access an address: files of this machine or of object storage.

    `address` is a path or a URL. Raise InputError if a package is missing, or fsspec does not know
    the protocol.
    """
    return StoredFiles(address) if protocol(address) else LocalFiles()


class LocalFiles:
    """Access to files of this machine by path; implements `Files`."""

    def read(self, address: str) -> bytes | None:
        """Return the content of the file at `address`, None if it does not exist.

        Raise InputError if the file cannot be read.
        """
        try:
            return Path(address).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(f"{address}: cannot be read: {cause_of(error)}") from error

    def read_all(self, addresses: list[str]) -> dict[str, bytes]:
        """Return the contents of the files at `addresses` that exist, as a mapping by address."""
        found = ((each, self.read(each)) for each in addresses)
        return {each: content for each, content in found if content is not None}

    def write(self, address: str, content: bytes) -> None:
        """Write `content` to the file at `address`, completely or not at all; make its folder.

        An earlier file is replaced. Raise OutputError if that is not possible.
        """
        make_folder(Path(address).parent)
        with replacing(Path(address)) as temporary:
            temporary.write_bytes(content)

    def stamp_of(self, address: str) -> FileStamp | None:
        """Return size and stamp of the file at `address`, None if it is absent or out of reach."""
        try:
            state = Path(address).stat()
        except OSError:
            return None
        return FileStamp(state.st_size, f"{state.st_mtime_ns}-{state.st_ino}")

    def below(self, folder: str) -> dict[str, FileStamp]:
        """Map the relative path of each file at any depth below `folder` to size and stamp.

        The result is sorted by path, and empty if there is no such folder.
        """
        found = {}
        for place, _, names in os.walk(folder):
            for name in names:
                path = Path(place, name)
                seen = self.stamp_of(str(path))
                if seen is not None:
                    found[path.relative_to(folder).as_posix()] = seen
        return dict(sorted(found.items()))

    def remove(self, address: str) -> None:
        """Remove the file at `address` if there is one and it can be removed."""
        remove(Path(address))


class StoredFiles:
    """Access to files in object storage by URL, through fsspec; implements `Files`.

    The package for the protocol, such as s3fs, finds the credentials.

    Parameters
    ----------
    address : str
        Any URL of the storage; its protocol selects the package.
    """

    def __init__(self, address: str) -> None:
        kind = protocol(address)
        try:
            import fsspec
            from fsspec.core import strip_protocol
        except ImportError:
            raise InputError(f"{address}: needs fsspec: pip install 'osi-lidar[cloud]'") from None
        try:
            self._files: AbstractFileSystem = fsspec.filesystem(kind, use_listings_cache=False)
            self._plain = strip_protocol
        except ImportError as error:
            needed = _PACKAGES.get(kind)
            how = f"needs {needed}: pip install {needed}" if needed else str(error)
            raise InputError(f"{address}: {how}") from None
        except ValueError:
            raise InputError(
                f"{address}: unknown protocol {kind!r}, expected s3, gs, az, file or a path"
            ) from None
        except Exception as error:  # packages may raise anything
            raise InputError(f"{address}: {reason(error)}") from error

    def read(self, address: str) -> bytes | None:
        """Return the content of the file at the URL `address`, None if the file does not exist."""
        try:
            with _storage_errors_as(address, InputError):
                return bytes(self._files.cat_file(address))
        except FileNotFoundError:
            return None

    def read_all(self, addresses: list[str]) -> dict[str, bytes]:
        """Return the contents of the files at the URLs `addresses` that exist, by URL."""
        if not addresses:
            return {}
        with _storage_errors_as(addresses[0], InputError):
            plain = {str(self._plain(each)): each for each in addresses}
            found = self._files.cat(list(plain), on_error="return")
            problems = [each for each in found.values() if isinstance(each, Exception)]
            for problem in problems:
                if not isinstance(problem, FileNotFoundError):
                    raise problem
        return {plain[each]: bytes(found[each]) for each in found if _is_content(found[each])}

    def write(self, address: str, content: bytes) -> None:
        """Write `content` to the file at the URL `address`, completely or not at all.

        An earlier file is replaced. Raise OutputError if that is not possible.
        """
        with _missing_is(address, OutputError), _storage_errors_as(address, OutputError):
            self._files.pipe_file(address, content)

    def stamp_of(self, address: str) -> FileStamp | None:
        """Return size and stamp of the file at the URL `address`, None if there is no file."""
        try:
            with _storage_errors_as(address, InputError):
                return _stamp_from(self._files.info(address))
        except FileNotFoundError:
            return None

    def below(self, folder: str) -> dict[str, FileStamp]:
        """Map the relative path of each file at any depth below the URL `folder` to size and stamp.

        The result is sorted by path, and empty if there is no such folder.
        """
        try:
            with _storage_errors_as(folder, InputError):
                found = self._files.find(folder, detail=True)
        except FileNotFoundError:
            return {}
        start = str(self._plain(folder)).rstrip("/") + "/"
        names = {name: each for name, each in found.items() if name.startswith(start)}
        return {name.removeprefix(start): _stamp_from(names[name]) for name in sorted(names)}

    def remove(self, address: str) -> None:
        """Remove the file at the URL `address` if there is one."""
        try:
            with _storage_errors_as(address, OutputError):
                self._files.rm_file(address)
        except FileNotFoundError:
            pass

    def matching(self, pattern: str) -> list[str]:
        """Return the URLs of files that match the glob `pattern`, sorted so that "9" precedes "10".

        `pattern` is a URL. The list is empty if none matches. Raise InputError if there is no such
        bucket or the storage fails.
        """
        with _missing_is(pattern, InputError), _storage_errors_as(pattern, InputError):
            found = (self._files.unstrip_protocol(each) for each in self._files.glob(pattern))
            return sorted(found, key=natural_key)

    def get(self, address: str, path: Path) -> None:
        """Download the file at `address` to `path`, completely or not at all.

        A file that exists at `path` is replaced. Raise InputError if there is no such file in
        storage, or it cannot be fetched.
        """
        make_folder(path.parent)
        with (
            replacing(path) as temporary,
            _missing_is(address, InputError),
            _storage_errors_as(address, InputError),
        ):
            self._files.get_file(address, str(temporary))

    def put(self, folder: Path, names: list[str], address: str) -> None:
        """Upload the named files of a local folder; their names stay the same below `address`.

        `names` are paths relative to `folder`, `address` is the URL of the target folder. Raise
        OutputError if the upload fails.
        """
        with _missing_is(address, OutputError), _storage_errors_as(address, OutputError):
            targets = [joined(address, name) for name in names]
            self._files.put([str(folder / name) for name in names], targets)


def reason(error: BaseException) -> str:
    """Return in one line why object storage failed; the error comes from fsspec or its package."""
    if any(word in type(error).__name__ for word in _CREDENTIALS):
        return "no credentials found; set them as its package expects, such as AWS_ACCESS_KEY_ID"
    words = " ".join(str(error).split()) or type(error).__name__
    return words if isinstance(error, OSError) else f"{type(error).__name__}: {words}"


@contextmanager
def _storage_errors_as(address: str, kind: type[OsiLidarError]) -> Iterator[None]:
    """Raise errors of object storage as `kind`, in one line; pass on FileNotFoundError."""
    try:
        yield
    except (FileNotFoundError, OsiLidarError):
        raise
    except Exception as error:  # packages may raise anything
        raise kind(f"{address}: {reason(error)}") from error


@contextmanager
def _missing_is(address: str, kind: type[OsiLidarError]) -> Iterator[None]:
    """Raise FileNotFoundError as `kind`, in one line."""
    try:
        yield
    except FileNotFoundError as error:
        words = "no such bucket" if "bucket" in str(error).lower() else "no such file or bucket"
        raise kind(f"{address}: {words} in {parent(address)}") from error


def _is_content(found: object) -> bool:
    return not isinstance(found, Exception)


def _stamp_from(info: Mapping[str, object]) -> FileStamp:
    """Return size and stamp of a file from the properties that object storage gives."""
    known = ("ETag", "etag", "md5Hash", "content_md5", "LastModified", "last_modified", "created",
             "mtime")  # fmt: skip
    stamp = next((str(info[key]) for key in known if info.get(key) is not None), "")
    return FileStamp(int(str(info.get("size") or 0)), stamp)
