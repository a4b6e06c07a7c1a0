# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The first Python code that the native wrapper runs: it creates an instance, or reports why not.

It imports only the standard library until the packages of osi-lidar can be found.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .host_record import add_site_folders, missing_packages
from .log_emitter import Emitter
from .vendored import activate

if TYPE_CHECKING:
    from .fmi_calls import Instance


def instantiate(  # noqa: PLR0913, PLR0917  as the wrapper gives them
    resources: str,
    emit: int,
    component: int,
    fmi: int,
    name: bytes,
    token: bytes,
) -> Instance | None:
    """Return an instance for the native wrapper, or None after sending the reason to the master.

    Parameters
    ----------
    resources : str
        Folder of the FMU's resources.
    emit, component : int
        Addresses of the wrapper's logging function, and of the component that is its first
        argument.
    fmi : int
        Major version of FMI.
    name, token : bytes
        Name of the instance, and GUID or instantiation token, from the master.
    """
    emitter = Emitter(emit, component)
    try:
        return _opened(emitter, Path(os.fsdecode(resources)), fmi, name, token)
    except ImportError as error:
        emitter.refuse(missing_packages(error))
    except (OSError, ValueError, TypeError) as error:
        emitter.refuse(str(error))
    except KeyboardInterrupt:  # of a master in Python: the wrapper hands it on
        raise
    except BaseException as error:  # noqa: BLE001
        emitter.refuse(f"internal error: {type(error).__name__}: {error}")
    return None


def _opened(emitter: Emitter, folder: Path, fmi: int, name: bytes, token: bytes) -> Instance:
    """Make the packages of osi-lidar importable, and return an instance."""
    activate(folder)
    add_site_folders(folder)
    from .fmi_calls import Instance  # noqa: PLC0415  it imports the packages

    texts = {"name": name.decode("utf-8", "replace"), "token": token.decode("utf-8", "replace")}
    return Instance(emitter, folder, fmi, **texts)
