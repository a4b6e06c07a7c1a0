# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The help of every command, and its examples."""

import re
import shlex

import pytest
import typer

from lidar_app.cli.main import app
from tests.commands import assert_one_line, run

ROOT = typer.main.get_command(app)


def commands(group=ROOT, path=()):
    """Yield the words of every command, and the command."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())
EVERY = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def context(words):
    """Return the context in which a command parses nothing, for its parameters."""
    return COMMANDS[words].make_context(words[-1], [], resilient_parsing=True)


@EVERY
def test_a_command_shows_its_help_as_people_type(words):
    result = run(*words, "-h")
    assert result.exit_code == 0, result.output
    assert "<bool>" not in result.output
    assert "{" not in result.output.split("\n\n")[0]  # the line of usage
    assert "--quiet" in result.output
    assert "--verbose" in result.output
    assert "-h" in result.output


@EVERY
def test_help_has_no_picture_in_place_of_words(words):
    """Rich draws `:100:` as an emoji."""
    shown = run(*words, "-h").output
    assert [each for each in shown if ord(each) > 0x2500 + 0x7F or 0x7F < ord(each) < 0x2500] == []


def test_an_example_shows_a_range_of_frames():
    assert "--frames 0:100:10" in " ".join(run("replay", "-h").output.split())


@EVERY
def test_every_parameter_has_a_help_and_says_what_is_put_in(words):
    for each in COMMANDS[words].get_params(context(words)):
        if each.hidden:
            continue
        assert each.help, each.name
        if each.param_type_name == "option" and not each.is_flag:
            assert each.metavar, each.name
        elif each.param_type_name == "argument":
            assert each.metavar == each.metavar.upper(), each.name
        if not each.required and each.default is None and not getattr(each, "is_flag", False):
            assert re.search("efault|Required", each.help) or each.param_type_name == "argument", (
                each.name
            )


@EVERY
def test_the_examples_of_a_command_are_lines_of_it_whose_options_exist(words):
    shown = f"{COMMANDS[words].help}\n{COMMANDS[words].epilog}"
    lines = re.findall(r"^(?: +|Example: )(osi-lidar .*)$", shown, re.MULTILINE)
    assert lines
    for line in lines:
        program, *arguments = shlex.split(line)
        assert tuple(arguments[: len(words)]) == words, program
        parsed = COMMANDS[words].make_context(words[-1], arguments[len(words) :])
        assert parsed.params


CONFIG_FIRST = [
    (("sweep",), ("--vary", "seed=1,2")),
    (("show", "waveform"), ("--beam", "0:0")),
    (("materials", "suggest"), ()),
]


@pytest.mark.parametrize(("words", "more"), CONFIG_FIRST)
def test_config_is_an_option_and_the_trace_an_argument_as_it_was_config_trace(words, more):
    now = run(*words, "b.osi", "-c", "a.yaml", *more)
    traced = ("--trace", "b.osi") if words[-1] == "waveform" else ("b.osi",)
    assert_one_line(now, 2, "no such file")
    assert run(*words, "a.yaml", *traced, *more).stderr == now.stderr
    assert_one_line(run(*words, *more), 2, "--config: got nothing, expected a configuration")
    beside = run(*words, "b.osi", "c.osi", "-c", "a.yaml", *more)
    assert_one_line(beside, 2, "b.osi and c.osi, expected one trace")


def test_the_configuration_of_range_is_an_option_as_it_was_an_argument():
    now = run("show", "range", "-c", "a.yaml")
    assert_one_line(now, 2, "a.yaml: no such file")
    assert run("show", "range", "a.yaml").stderr == now.stderr
    assert_one_line(run("show", "range", "-c", "a.yaml", "b.yaml"), 2, "got a.yaml and b.yaml")


NAMES_OF_0_2 = {
    "init": ("config", "init"),
    **{name: ("show", name) for name in ("range", "waveform", "shapes")},
    **{name: ("gap", name) for name in ("calibrate", "compare", "twin")},
}


def of_parameters(command, name):
    made = command.make_context(name, [], resilient_parsing=True)
    return [(sorted(each.opts), each.default, each.help) for each in command.get_params(made)]


@pytest.mark.parametrize("name", NAMES_OF_0_2)
def test_the_names_of_version_0_2_are_hidden_and_do_the_same(name):
    earlier, now = ROOT.commands[name], COMMANDS[NAMES_OF_0_2[name]]
    assert of_parameters(earlier, name) == of_parameters(now, name)
    assert (earlier.help, earlier.epilog) == (now.help, now.epilog)
    assert re.search(rf"│ {name} +", run("-h").output) is None
    assert re.search(rf"│ {name} +", run(NAMES_OF_0_2[name][0], "-h").output)


def test_the_help_of_all_groups_its_commands():
    assert len([each for each in ROOT.commands.values() if not each.hidden]) <= 25
    shown = run("-h").output
    for group in ("Start", "Run", "Look at files", "Hand over", "Compare with real sensors"):
        assert group in shown
    assert run().output.strip() == run("--help").output.strip() == shown.strip()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rplay",), ("No such command 'rplay'", "'replay'")),
        (("fmu", "inf"), ("No such command 'inf'", "'info'")),
        (("materials", "asphlt_worn"), ("asphlt_worn", "did you mean 'asphalt_worn'?")),
        (("materials", "asphalt_worn"), ("osi-lidar materials show asphalt_worn",)),
        (("materials", "shwo"), ("shwo", "did you mean 'show'?")),
        (("replay", "x.osi", "--sensr", "VLP-16"), ("--sensr", "--sensor")),
        (("-q",), ("Missing command",)),
    ],
)
def test_a_misspelt_word_is_told_with_a_near_one(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    text = " ".join(result.output.replace("│", " ").split())
    for word in words:
        assert word in text


def test_a_stream_without_a_simulator_is_told_how_to_find_one():
    words = ("say where the simulator is: --connect HOST:PORT, or --listen PORT",)
    assert_one_line(run("stream"), 2, *words, "neither")
    assert_one_line(run("stream", "--listen", 1, "--connect", 2), 2, *words, "both")
