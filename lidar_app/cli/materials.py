# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``materials list``, ``show``, ``suggest`` and ``hits``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.command import HELP_NAMES, Commands, Group
from lidar_app.cli.parts.completion import builtin_materials
from lidar_app.cli.parts.console import (
    EXIT_DAMAGED,
    display,
    err,
    fail,
    line,
    offer_schema,
    out,
    print_json,
    progress,
    say,
    tell,
)
from lidar_app.cli.parts.options import ConfigFile, JsonOption, Messages
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, argument, option, switch
from lidar_base.near_match import near_match
from material_mapping.bands import WAVELENGTHS_NM
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from typer._click.core import Context

    from material_mapping import MaterialEntry
    from material_mapping.mapping.resolver import Source
    from osi_lidar.config import Config

DEFAULT_WAVELENGTH_NM = 905.0

WavelengthOption = Annotated[
    float | None,
    option("NM", "Wavelength to show. Default: wavelengths of the configuration, else 905."),
]


@dataclass(frozen=True)
class MaterialOptions:
    """Values of options of ``osi-lidar materials`` for materials beside the built-in ones.

    Attributes
    ----------
    database : list of Path, or None
        Folders of measured materials, which are searched before the databases of `config`; None:
        none.
    config : Path or None
        Configuration (YAML) whose mapping table and databases are used; None: none.
    """

    database: list[Path] | None = option(
        "DIR", "Folder of measured materials, repeatable. Default: as configured."
    )
    config: Path | None = option(
        "FILE",
        "Configuration (YAML) whose mapping table and databases are used. Default: none.",
        INPUT,
        "--config",
        "-c",
    )

    def read(self, wavelength_nm: float | None) -> tuple[_Catalogue, tuple[float, ...]]:
        """Return a catalogue of infrared materials, and the wavelengths at which to show them.

        Parameters
        ----------
        wavelength_nm : float or None
            The only wavelength to show; None: the wavelengths of the configured sensors, each once,
            or without a configuration 905 nm. [nm]

        Returns
        -------
        catalogue
            The materials by name: of the mapping table, of the databases, and built-in ones.
        wavelengths_nm : tuple of float
            One or more. [nm]

        Raises
        ------
        InputError
            If `wavelength_nm` is out of the limits `WAVELENGTHS_NM`.
        """
        from osi_lidar.config import load_config

        config = None if self.config is None else load_config(self.config)
        wavelengths_nm = _wavelengths_nm(config, wavelength_nm)
        return _Catalogue(config, self.database or []), wavelengths_nm


class _ListByDefault(Group):
    """A command group in which `materials`, alone or with options, means `materials list`."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in HELP_NAMES["help_option_names"]):
            args = ["list", *args]
        elif not args[0].startswith("-") and args[0] not in self.commands:
            ctx.fail(_no_such_command(args[0], self.commands))
        return super().parse_args(ctx, args)


def _no_such_command(word: str, commands: Iterable[str]) -> str:
    """Return the error message for an unknown command, which may be the name of a material."""
    import material_mapping

    known = material_mapping.builtin_materials()
    names = ", ".join(commands)
    if word in known:
        return f"No such command {word!r} ({names}); `osi-lidar materials show {word}` shows it"
    command = near_match(word, commands)
    hint = command or near_match(word, known)
    shown = "" if command or not hint else "; `osi-lidar materials show NAME` shows a material"
    return f"No such command {word!r} ({names}){hint}{shown}"


def list_materials(
    options: MaterialOptions, wavelength: WavelengthOption = None, as_json: JsonOption = False
) -> None:
    """List the materials that a mapping can name: built-in ones and those of databases."""
    from lidar_app.show import material_tables as reports
    from lidar_app.show.terminal import print_whole

    catalogue, (wavelength_nm, *_) = options.read(wavelength)
    groups = catalogue.groups()
    if as_json:
        print_json([reports.material_summary(e, wavelength_nm) for g in groups.values() for e in g])
        return
    for title, entries in groups.items():
        print_whole(out, reports.material_list(title, entries, wavelength_nm))
    out.print(reports.STAND_IN, style="dim")


def show(
    name: Annotated[str, argument("NAME", "Name of a material.", builtin_materials)],
    wavelength: WavelengthOption = None,
    *,
    options: MaterialOptions,
    plot: Path | None = option(
        "FILE.png", "Plot the reflectance over angle and wavelength. Default: no plot.", OUTPUT
    ),
    as_json: JsonOption = False,
) -> None:
    """Show all data of a material: reflectance by angle, source, licence, uncertainty."""
    from lidar_app.show import material_tables as reports

    if plot is not None:
        from lidar_app.show.plots.materials import material_picture
    catalogue, wavelengths_nm = options.read(wavelength)
    entry = catalogue.find(name)
    if not as_json:
        display(*reports.material_details(entry, wavelengths_nm))
    picture = None if plot is None else material_picture(entry, wavelengths_nm, plot)
    if as_json:
        shown = reports.material_dict(entry, wavelengths_nm)
        print_json(shown if picture is None else {**shown, "plot": str(picture)})
    elif picture is not None:
        line(f"Plot: {picture}")


def suggest(
    trace: Path | None = argument("TRACE", "OSI trace that names meshes."),
    *,
    files: ConfigFile,
    file: Path | None = option("FILE", "Mapping file to write. Default: stdout.", *OUT),
    overwrite: bool = switch("Replace an existing file."),
    unmapped: bool = switch("Suggest materials only for visual materials without a rule."),
    messages: Messages,
) -> None:
    """Suggest an infrared material for every visual material, as a mapping file to edit.

    Reads the meshes of the environment and of the rules. With a trace, it also reads the meshes
    of its objects; without a trace, all meshes in the folders of scene.search.
    """
    from lidar_app.show import material_tables as reports
    from lidar_app.show.suggesting import check_target, propose, write_mapping

    config, trace = files.and_trace(trace)
    if file is not None:
        inputs = [config] if trace is None else [config, trace]
        check_target(file, overwrite=overwrite, inputs=inputs)
    source = None if trace is None else messages.of(trace)
    with progress() as bar:
        task = bar.add_task("meshes", total=None)

        def on_mesh(done: int) -> None:
            bar.update(task, completed=done)

        proposal = propose(config, source, unmapped_only=unmapped, on_mesh=on_mesh)
    tables = reports.suggestion_tables(proposal)
    if file is None:
        display(*tables, on=err)
        sys.stdout.write(proposal.text)
    else:
        write_mapping(proposal.text, file)
        tell(*tables)
        tell(f"Mapping: {file}")
    if proposal.damage is not None:
        fail(str(proposal.damage), EXIT_DAMAGED)


def hits(
    run_dir: Annotated[Path, argument("DIR", "Folder of a run.")], as_json: JsonOption = False
) -> None:
    """Count the points of a run by infrared material, in all and by object."""
    from lidar_app.show import material_tables as reports
    from lidar_app.show.material_hits import count_hits

    with progress() as bar:
        task = bar.add_task("clouds", total=None)
        found = count_hits(
            run_dir, lambda done, count: bar.update(task, completed=done, total=count)
        )
    if as_json:
        print_json(reports.hits_dict(found))
    else:
        display(*reports.hits_report(found))


class _Catalogue:
    """Materials by name, searched as in a run: mapping table, databases, built-in materials.

    Parameters
    ----------
    config : Config or None
        Configuration whose mapping table and databases are used.
    folders : list of Path
        Databases that are searched before the databases of the configuration.
    """

    def __init__(self, config: Config | None, folders: list[Path]) -> None:
        from material_mapping import builtin_materials, load_mapping, open_database

        wanted = None if config is None else config.materials
        self._defined: Mapping[str, MaterialEntry] = {}
        if wanted is not None and wanted.mapping is not None:
            self._defined = load_mapping(wanted.mapping).defined
        self._databases: dict[Path, Source] = {folder: open_database(folder) for folder in folders}
        for database in () if wanted is None else wanted.databases:
            if database.folder not in self._databases:
                self._databases[database.folder] = open_database(**database.arguments())
        self._builtin = builtin_materials()

    def find(self, name: str) -> MaterialEntry:
        """Return a material.

        Raises
        ------
        MaterialError
            If there is no material of that name, or its file cannot be used.
        """
        from material_mapping import UnknownMaterialError

        if name in self._defined:
            return self._defined[name]
        for database in self._databases.values():
            entry = database.get(name)
            if entry is not None:
                return entry
        if name not in self._builtin:
            measured = [each for one in self._databases.values() for each in one.names]
            raise UnknownMaterialError(name, [*self._defined, *self._builtin, *measured])
        return self._builtin[name]

    def groups(self) -> dict[str, list[MaterialEntry]]:
        """Return all materials by origin, and report unusable files on stderr."""
        groups = {"Built-in": list(self._builtin.values())}
        if self._defined:
            groups["Defined in the mapping table"] = list(self._defined.values())
        for folder, database in self._databases.items():
            for problem in database.problems:
                say(problem, style="yellow")
            groups[str(folder)] = list(_usable(database))
        return groups


def _usable(database: Source) -> Iterator[MaterialEntry]:
    from material_mapping import MaterialError

    for name in sorted(database.names):
        try:
            entry = database.get(name)
        except MaterialError as error:
            say(f"{error}; skipped", style="yellow")
            continue
        if entry is not None:
            yield entry


def _wavelengths_nm(config: Config | None, wanted: float | None) -> tuple[float, ...]:
    if wanted is not None:
        least_nm, most_nm = WAVELENGTHS_NM
        if not least_nm <= wanted <= most_nm:
            raise InputError(
                f"--wavelength: got {wanted:g}, expected {least_nm:g} to {most_nm:g} nm"
            )
        return (wanted,)
    if config is None:
        return (DEFAULT_WAVELENGTH_NM,)
    return tuple(dict.fromkeys(sensor.wavelength_nm for sensor in config.sensors))


def schema(out_file: Path | None = option("FILE", "File to write. Default: stdout.", *OUT)) -> None:
    """Print the JSON Schema of mapping tables, with which editors complete and check them."""
    from material_mapping import mapping_schema

    offer_schema(mapping_schema(), out_file)


materials = Commands(
    "List infrared materials, show one, suggest a mapping, count a run's points by material.",
    group=_ListByDefault,
    alone=True,
)
materials.add(list_materials, "osi-lidar materials list --wavelength 905", name="list")
materials.add(
    show, "osi-lidar materials show asphalt_worn --plot asphalt.png", writes="materials show"
)
materials.add(suggest, "osi-lidar materials suggest drive.osi -c lidar.yaml -o materials.yaml")
materials.add(hits, "osi-lidar materials hits drive_lidar")
materials.add(
    schema, "osi-lidar materials schema --out materials.schema.json", writes="materials schema"
)
