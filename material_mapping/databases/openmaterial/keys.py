# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys in OpenMATERIAL 3D files that this package does not read, to report them to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_base.unfollowed import Unfollowed
from material_mapping.databases.openmaterial.json_files import line_of

if TYPE_CHECKING:
    from lidar_base.unfollowed import NotFollowed
    from material_mapping.databases.openmaterial.json_files import JsonFile

_OF_METADATA = (
    "uuid creationDate assetVersion mappingVersion materialVersion assetType objectClass animated "
    "boundingBox humanClassData meshCount triangleCount modelCreationTool modelingMethod "
    "normalMapFormat pbrMaterialWorkflow textureResolutions validationDescription"
)
_OF_PROPERTIES = (
    "densityData elasticityData emissivityData electromagneticPropertiesUri "
    "reflectionCoefficientUris"
)
_OF_NO_LIDAR = frozenset(
    {
        *("$schema", "brdf.wavelengths", "lightDefinitions", "emissiveLightMapping"),
        *(f"metadata.{key}" for key in _OF_METADATA.split()),
        *(f"materialProperties.{key}" for key in _OF_PROPERTIES.split()),
    }
)
"""Keys that are not reported, nor the keys below them: authorship, data that the mesh also has,
mechanics, heat, radar, visible light."""
_MOST_LETTERS = 40  # of a key on the list


def keys_not_read(document: JsonFile) -> tuple[NotFollowed, ...]:
    """Return the keys of a file that were not read so far, without those irrelevant to a lidar.

    Call it after reading: keys in ``document.asked`` count as read. Each entry has a key's line.
    """
    unfollowed = Unfollowed()
    tables: list[tuple[tuple[str, ...], dict[str, object]]] = [((), document.content)]
    for above, table in tables:  # grows as it goes
        for key, value in table.items():
            place = (*above, key)
            if place in document.asked:
                tables += [(place, value)] if isinstance(value, dict) else []
            elif ".".join(place) not in _OF_NO_LIDAR:
                name = ".".join(each[:_MOST_LETTERS] for each in place)
                unfollowed.add(f"key {name}", f"line {line_of(document.text, place)}")
    return unfollowed.kinds
