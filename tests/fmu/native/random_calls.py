# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Call a library's functions of a version of FMI in random order, with random arguments.

python -m tests.fmu.native.random_calls FMI LIBRARY RESOURCES TOKEN CALLS

Prints how many calls were made. What a master promises is kept: arrays are as long as said, null,
or longer than any can be; messages lie where they are said to be.
"""

import ctypes
import faulthandler
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from fmu_src.references import references
from tests.builders.messages import moving
from tests.fmu.native.c_master import functions_of

STEPS_PER_RUN = 100
MOST_REPEATED = 1000  # fewer calls are the same in every run
TEXTS = (b"", b"lidar", "müller ✓".encode(), b"\xff\xfe\x80", b"%s%n%d", b"x" * 5000, b"a\nb", None)
PLACES = (b"file:", b"file:///%", b"http://x", b"/nowhere", b"file://localhost/%00%zz%ff", b"\xff")
MESSAGES = (b"", bytes(range(256)), *moving(2))
COUNTS = (0, 1, 2, 3, 7)
HUGE = (100_001, 2**31, 2**32, 2**63, 2**64 - 1)
ANY_INSTANCE = st.integers(0, 99)
NUMBERS = (0.0, 0.1, -1.0, 1e300, float("inf"), float("nan"))
_KINDS2 = {"Real": ctypes.c_double, "Integer": ctypes.c_int, "Boolean": ctypes.c_int}
_KINDS3 = {
    "Float32": ctypes.c_float,
    "Float64": ctypes.c_double,
    "Boolean": ctypes.c_bool,
    **{f"Int{n}": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"UInt{n}": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}
_Logger2 = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_int, *[ctypes.c_char_p] * 2)
_Logger3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_char_p] * 2)


class Callbacks(ctypes.Structure):
    """fmi2CallbackFunctions."""

    _fields_ = (
        ("logger", _Logger2),
        ("allocate", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
        ("finished", ctypes.c_void_p),
        ("environment", ctypes.c_void_p),
    )


class Calls(RuleBasedStateMachine):
    """The calls of a version of FMI; `fmi`, `library`, `resources` and `token` are set before."""

    fmi, library, resources, token = 2, None, b"", b""
    n_calls, n_ok = 0, 0

    def __init__(self):
        super().__init__()
        self.instances, self.alive, self.kept = [None], [], []
        self.loggers = [_Logger2(self._told2), _Logger3(self._told3)]

    def _told2(self, _environment, _name, _status, category, text):
        self._told(category, text)

    def _told3(self, _environment, _status, category, text):
        self._told(category, text)

    def _told(self, category, text):
        if category not in (b"FMI", b"OSMP", b"OSI") or not text.decode() or b"\n" in text:
            sys.stdout.write(f"not a line of the log: {category} {text}\n")

    def call(self, name, *arguments):
        """Call a function, and check its status."""
        function = getattr(self.library, f"fmi{self.fmi}{name}")
        function.restype = ctypes.c_void_p if "Instantiate" in name else ctypes.c_int
        result = function(*arguments)
        Calls.n_calls += 1
        if "Instantiate" not in name and name != "FreeInstance":
            assert result in (0, 1, 2, 3), (name, result)
            Calls.n_ok += result < 2
        return result

    @rule(
        name=st.sampled_from(TEXTS),
        token=st.sampled_from((*TEXTS, *[()] * 12)),
        place=st.sampled_from((*PLACES, *TEXTS, *[()] * 20)),
        kind=st.sampled_from((1, 1, 1, 1, 0)),
        is_logging=st.integers(0, 1),
        has_logger=st.booleans(),
    )
    def instantiate(self, name, token, place, kind, **log):
        """Make an instance, mostly with what belongs to the FMU."""
        self.made(name, token or self.token, place or self.resources, kind, log)

    @initialize(is_logging=st.integers(0, 1), has_logger=st.booleans())
    def instantiate_well(self, **log):
        """Make an instance with what belongs to the FMU."""
        self.made(b"lidar", self.token, self.resources, 1, log)

    def made(self, name, token, place, kind, log):
        """Make an instance; there may be none."""
        is_logging, has_logger = log["is_logging"], log["has_logger"]
        if self.fmi == 2:
            callbacks = Callbacks(self.loggers[0]) if has_logger else Callbacks()
            self.kept.append(callbacks)
            address = ctypes.byref(callbacks) if has_logger or is_logging else None
            made = self.call("Instantiate", name, kind, token, place, address, 0, is_logging)
        else:
            log = self.loggers[1] if has_logger else None
            if kind:
                more = (None, ctypes.c_size_t(0), None, log, None)
                flags = (False, bool(is_logging), False, False)
                made = self.call("InstantiateCoSimulation", name, token, place, *flags, *more)
            else:
                flags = (False, bool(is_logging), None, log)
                made = self.call("InstantiateModelExchange", name, token, place, *flags)
                assert made is None
        if made is not None:
            self.instances.append(made)
            self.alive.append(made)

    @rule(data=st.data(), time_s=st.sampled_from(NUMBERS))
    def go_on(self, data, time_s):
        """Take a step in the life of an instance, not always the next one."""
        instance = self.one(data)
        time = ctypes.c_double(time_s)
        nothing = (0, ctypes.c_double(0.0))
        setup = (*nothing, time, *nothing)
        names = [
            "EnterInitializationMode",
            "ExitInitializationMode",
            "DoStep",
            "Terminate",
            "Reset",
        ]
        name = data.draw(st.sampled_from([*names[:3] * 2, *names, "SetupExperiment"]))
        if name == "DoStep":
            more = (0,) if self.fmi == 2 else (False, *[None] * 4)
            self.call(name, instance, time, ctypes.c_double(0.1), *more)
        elif name == "SetupExperiment":
            if self.fmi == 2:
                self.call(name, instance, *setup)
        elif name == "EnterInitializationMode":
            self.call(name, instance, *(setup if self.fmi == 3 else ()))
        else:
            self.call(name, instance)

    @rule(data=st.data())
    def live(self, data):
        """Go the usual way, so that many calls meet an instance that runs."""
        instance = self.one(data)
        setup = (0, ctypes.c_double(0.0), ctypes.c_double(0.0), 0, ctypes.c_double(0.0))
        if self.fmi == 2:
            self.call("SetupExperiment", instance, *setup)
        self.call("EnterInitializationMode", instance, *(setup if self.fmi == 3 else ()))
        self.call("ExitInitializationMode", instance)

    @rule(data=st.data(), is_freed_again=st.booleans())
    def free(self, data, is_freed_again):
        """Free an instance; its handle is still used."""
        instance = self.instances[data.draw(ANY_INSTANCE) % len(self.instances)]
        self.alive = [each for each in self.alive if each != instance]
        for _ in range(1 + is_freed_again):
            self.call("FreeInstance", ctypes.c_void_p(instance))

    @rule(data=st.data(), is_on=st.integers(0, 1), n=st.sampled_from((*COUNTS, *HUGE)))
    def set_debug_logging(self, data, is_on, n):
        """Choose categories of the log."""
        names = data.draw(st.lists(st.sampled_from((b"FMI", b"OSI", b"x", None)), max_size=7))
        array = (ctypes.c_char_p * len(names))(*names) if len(names) == n or n in HUGE else None
        flag = is_on if self.fmi == 2 else bool(is_on)
        self.call("SetDebugLogging", self.one(data), flag, ctypes.c_size_t(n), array)

    @rule(data=st.data(), is_set=st.booleans())
    def exchange(self, data, is_set):
        """Get or set values, of the right kind or not."""
        kinds = dict(_KINDS2 if self.fmi == 2 else _KINDS3, String=ctypes.c_char_p)
        usual = sorted(set(kinds) & {"Real", "Integer", "Float64", "Int32", "Boolean", "String"})
        kind = data.draw(st.sampled_from([*usual * 3, *sorted(kinds)]))
        element = kinds[kind]
        references, n = self.references(data, kind)
        values = (element * max(n, 1))()
        for index in range(n):
            values[index] = data.draw(self.values_of(kind, element))
        self.exchanged(data, f"{'Set' if is_set else 'Get'}{kind}", references, n, [values])

    @rule(data=st.data(), is_set=st.booleans())
    def exchange_binary(self, data, is_set):
        """Get or set messages: three integers or a binary."""
        if self.fmi == 2:
            self.put_pointer(data)
            return
        references, n = self.references(data, "Binary")
        messages = [data.draw(st.sampled_from((*MESSAGES, None))) for _ in range(n)]
        values = (ctypes.c_char_p * max(n, 1))(*messages)
        self.kept.append(messages)
        sizes = (ctypes.c_size_t * max(n, 1))(
            *(len(each) if each is not None else data.draw(st.integers(0, 9)) for each in messages)
        )
        name = "SetBinary" if is_set else "GetBinary"
        self.exchanged(data, name, references, n, [sizes, values])

    @rule(data=st.data())
    def call_what_is_refused(self, data):
        """Call a function that the FMU does not offer."""
        known = ("GetVersion", "GetTypesPlatform", "FreeInstance", "DoStep", "Terminate", "Reset")
        names = [name[4:] for name in sorted(functions_of(f"fmi{self.fmi}Functions.h"))]
        skipped = ("Instantiate", "EnterInit", "ExitInit", "SetDebug", "Setup")
        typed = [f"{way}{kind}" for way in ("Get", "Set") for kind in (*_KINDS2, *_KINDS3)]
        typed += ["GetString", "SetString", "GetBinary", "SetBinary"]
        refused = [n for n in names if n not in (*known, *typed) and not n.startswith(skipped)]
        assert len(refused) > 20
        name = data.draw(st.sampled_from(refused))
        assert self.call(name, self.one(data), *[None] * 8) == 3

    def one(self, data):
        """Return an instance, one that has been freed, or none.

        What is drawn does not depend on which instances there are: addresses of freed ones come
        back, so that this may be different in a second run.
        """
        is_any, place = data.draw(st.integers(0, 9)) == 0, data.draw(ANY_INSTANCE)
        of = self.instances if is_any or not self.alive else self.alive
        return ctypes.c_void_p(of[place % len(of)])

    def references(self, data, kind):
        """Return an array of value references, and how many there are."""
        of_fmi2 = {"Float64": "Real", "Int32": "Integer"}.get(kind, kind)
        all_ = references(self.fmi)
        right = [index for index, each in enumerate(all_) if each.kind == of_fmi2]
        any_ = st.sampled_from((*range(len(all_) + 2), 2**31, 2**32 - 1))
        n = data.draw(st.sampled_from(COUNTS))
        is_right = right and data.draw(st.integers(0, 4))
        of = st.sampled_from(right) if is_right else any_
        return (ctypes.c_uint32 * max(n, 1))(*(data.draw(of) for _ in range(n))), n

    def values_of(self, kind, element):
        """Return a strategy of values."""
        if kind == "String":
            texts = [each for each in TEXTS if each] + [b"VLP-16", b"debug", b"/nowhere"]
            return st.sampled_from((*texts, None))
        if element in (ctypes.c_double, ctypes.c_float):
            return st.sampled_from(NUMBERS)
        return st.integers(0, 1) if kind == "Boolean" else st.integers(0, 100)

    def exchanged(self, data, name, references, n, arrays):
        """Call with arrays of the right length, or null pointers, or a number beyond all bounds."""
        if name == "SetInteger" and self.is_address(references, n):
            return  # a wild pointer: see put_pointer
        odd = data.draw(st.integers(0, 9))
        count = ctypes.c_size_t(data.draw(st.sampled_from(HUGE)) if odd == 0 else n)
        given = [None if odd == 1 else each for each in arrays]
        names = None if odd == 2 else references
        instance = self.one(data)
        if self.fmi == 2:
            self.call(name, instance, names, count, *given)
        else:
            n_values = ctypes.c_size_t(n + 1) if odd == 3 else count
            self.call(name, instance, names, count, *given, n_values)

    def is_address(self, numbers, n):
        """Tell whether one of the variables is a part of a message."""
        all_ = references(self.fmi)
        return any(number < len(all_) and all_[number].part for number in numbers[:n])

    def put_pointer(self, data):
        """Set the three integers of a message that is there."""
        all_ = references(2)
        firsts = [i for i, each in enumerate(all_) if each.part == "base.lo"]
        first = data.draw(st.sampled_from(firsts))
        message = data.draw(st.sampled_from(MESSAGES))
        self.kept.append(message)
        address = ctypes.cast(message, ctypes.c_void_p).value
        is_null, size = data.draw(st.booleans()), data.draw(st.sampled_from((len(message), 0, -5)))
        parts = (ctypes.c_int * 3)(0 if is_null else address, 0 if is_null else address >> 32, size)
        numbers = (ctypes.c_uint32 * 3)(first, first + 1, first + 2)
        self.call("SetInteger", self.one(data), numbers, ctypes.c_size_t(3), parts)

    def teardown(self):
        """Free what lives."""
        for instance in self.instances:
            self.call("FreeInstance", ctypes.c_void_p(instance))


def main(fmi, library, resources, token, n_calls):
    Calls.fmi, Calls.library = int(fmi), ctypes.CDLL(library)
    place = Path(resources)
    Calls.resources = (place.as_uri() if Calls.fmi == 2 else str(place)).encode()
    Calls.token = token.encode()
    runs = max(int(n_calls) // STEPS_PER_RUN, 1)
    options = settings(
        max_examples=runs,
        stateful_step_count=STEPS_PER_RUN,
        deadline=None,
        database=None,
        derandomize=int(n_calls) < MOST_REPEATED,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    faulthandler.enable()
    while Calls.n_calls < int(n_calls):
        run_state_machine_as_test(Calls, settings=options)
    sys.stdout.write(f"{Calls.n_calls} calls, {Calls.n_ok} with status OK\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
