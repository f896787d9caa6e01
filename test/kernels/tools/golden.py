#!/usr/bin/env python3
"""Records the results of the case files on an NVIDIA GPU. Run it there, then merge-goldens.py here.

Usage: golden.py [--out FILE] [CASE.json...]
Without cases: all of test/kernels. The bundle goes to FILE, by default $OUT/goldens.json.
Needs only libcuda.so.1 (the driver).

Each case runs several times, in its own process, because an error can poison its CUDA context.
Every buffer is between guard bytes, whose value differs from run to run. A different result or a
changed guard is an error: a race or an access out of bounds.
"""

import argparse
import base64
import concurrent.futures
import ctypes
import datetime
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent
GUARD = 256  # bytes on each side; keeps the alignment of cuMemAlloc
GUARD_VALUES = (0xA5, 0x5A, 0x00, 0xFF)
CLUSTER_DIMENSION = 4  # a value of CUlaunchAttributeID
TIMEOUT = 60  # seconds a case
SCALARS = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}


class Output:
    """Captures the driver's output to stdout or stderr: the output of kernels, and failed assertions."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.saved = os.dup(self.descriptor)
        os.dup2(self.file.fileno(), self.descriptor)
        return self

    def __exit__(self, *_):
        ctypes.CDLL(None).fflush(None)
        os.dup2(self.saved, self.descriptor)
        os.close(self.saved)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")
        self.file.close()


class Cuda:
    """The required driver calls, each checked."""

    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *args, detail=None):
        code = getattr(self.lib, name)(*args)
        if code:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorString(code, ctypes.byref(text))
            message = f"{name}: {(text.value or b'?').decode()} ({code})"
            raise RuntimeError(message + (": " + detail() if detail else ""))

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, 256, self.device)
        return text.value.decode()

    def load(self, ptx):
        log = ctypes.create_string_buffer(8192)
        # CU_JIT_ERROR_LOG_BUFFER and its size
        options = (ctypes.c_int * 2)(5, 6)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 8192)
        module = ctypes.c_void_p()
        self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx, 2, options, values, detail=lambda: log.value.decode())
        return module

    def entry(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def upload(self, data):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address

    def download(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
        return data.raw


def struct_bytes(param, bases):
    """A by-value parameter with its addresses filled in. `bases` has the address of each buffer by parameter number."""
    data = bytearray(base64.b64decode(param["data"]))
    for pointer in param.get("pointers", []):
        data[pointer["at"]:pointer["at"] + 8] = struct.pack("<Q", bases[pointer["to"]] + pointer["offset"])
    return bytes(data)


def param_bytes(param):
    code = SCALARS[param["kind"]]
    value = param["value"]
    return struct.pack("<" + code, float(value) if code in "fd" else int(value))


def start_data(param):
    return base64.b64decode(param["data"]) if "data" in param else bytes(param["bytes"])


def launch_once(cuda, case, ptx, guard_value):
    """Returns the buffers after the launch by parameter name, and the printed lines, sorted. The module is loaded again, so its variables have their initial values."""
    module = cuda.load(ptx)
    guard = bytes([guard_value]) * GUARD
    addresses = {p["name"]: cuda.upload(guard + start_data(p) + guard) for p in case["params"] if p["kind"] == "buffer"}
    bases = [addresses[p["name"]].value + GUARD if p["kind"] == "buffer" else None for p in case["params"]]
    values = []
    for param, base in zip(case["params"], bases):
        if param["kind"] == "buffer":
            values.append(struct.pack("<Q", base))
        elif param["kind"] == "bytes":
            values.append(struct_bytes(param, bases))
        else:
            values.append(param_bytes(param))
    storage = [ctypes.create_string_buffer(v, len(v)) for v in values]
    pointers = (ctypes.c_void_p * len(storage))(*[ctypes.addressof(s) for s in storage])
    shape = [*case["grid"], *case["block"], case["sharedBytes"], None, pointers]
    if case.get("cooperative"):
        cuda.call("cuLaunchCooperativeKernel", cuda.entry(module, case["entry"]), *shape)
    elif case.get("cluster"):
        attribute = struct.pack("<I4x3I52x", CLUSTER_DIMENSION, *case["cluster"])
        attributes = ctypes.create_string_buffer(attribute, len(attribute))
        config = struct.pack("<7I4xQQI4x", *case["grid"], *case["block"], case["sharedBytes"], 0, ctypes.addressof(attributes), 1)
        cuda.call("cuLaunchKernelEx", ctypes.create_string_buffer(config, len(config)), cuda.entry(module, case["entry"]), pointers, None)
    else:
        cuda.call("cuLaunchKernel", cuda.entry(module, case["entry"]), *shape, None)
    with Output(1) as printed:
        cuda.call("cuCtxSynchronize")
    results = {}
    for param in case["params"]:
        if param["kind"] != "buffer":
            continue
        raw = cuda.download(addresses[param["name"]], param["bytes"] + 2 * GUARD)
        if raw[:GUARD] != guard or raw[-GUARD:] != guard:
            raise RuntimeError(f"{param['name']}: written out of bounds")
        results[param["name"]] = raw[GUARD:-GUARD]
        cuda.call("cuMemFree_v2", addresses[param["name"]])
    cuda.call("cuModuleUnload", module)
    return results, sorted(printed.text.splitlines(keepends=True))


def record(path):
    """Runs one case. Returns its document for the bundle."""
    case = json.loads(path.read_text())
    ptx = (path.parent / case["ptx"]).read_bytes()
    cuda = Cuda()
    inputs = {p["name"]: p.get("data", p.get("value")) for p in case["params"]}
    digests = {
        "gpu": cuda.name(), "ptxSha256": hashlib.sha256(ptx).hexdigest(),
        "inputsSha256": hashlib.sha256(json.dumps(inputs).encode()).hexdigest(),
    }
    if "fails" in case:
        return {**digests, "expect": record_failure(cuda, case, ptx)}
    runs, lines = zip(*[launch_once(cuda, case, ptx + b"\0", value) for value in GUARD_VALUES])
    if any(other != lines[0] for other in lines):
        raise RuntimeError("prints something else from run to run")
    expect = {}
    for param in case["params"]:
        name = param["name"]
        if param["kind"] != "buffer":
            continue
        if any(run[name] != runs[0][name] for run in runs):
            raise RuntimeError(f"{name}: differs from run to run")
        if "data" not in param or runs[0][name] != start_data(param):
            expect[name] = base64.b64encode(runs[0][name]).decode()
    if not lines[0] and all("data" not in p and not any(runs[0][p["name"]]) for p in case["params"] if p["name"] in expect):
        raise RuntimeError("wrote nothing but zeros")
    return {**digests, "expect": expect, **({"prints": lines[0]} if lines[0] else {})}


def record_failure(cuda, case, ptx):
    """Runs a launch that must fail with the text that the case names. It has no output buffers."""
    with Output(2) as said:
        try:
            launch_once(cuda, case, ptx + b"\0", GUARD_VALUES[0])
            failure = None
        except RuntimeError as error:
            failure = str(error)
    if failure is None:
        raise RuntimeError("did not fail")
    if case["fails"] not in said.text:
        raise RuntimeError(f"failed otherwise: {failure}: {said.text.strip()}")
    return {}


def record_apart(path):
    """Runs record() in a child process. Returns (result or None, error or None)."""
    try:
        done = subprocess.run([sys.executable, __file__, "--one", str(path)], capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, f"no result in {TIMEOUT} s"
    if done.returncode == 0:
        return json.loads(done.stdout), None
    lines = done.stderr.strip().splitlines()
    return None, lines[-1] if lines else f"exit status {done.returncode}"


def driver_version():
    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(os.environ.get("OUT", "."), "goldens.json"))
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--one", type=pathlib.Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(record(args.one)))
        return 0
    paths = args.cases or sorted(FOLDER.glob("*.json"))
    bundle = {"gpu": None, "driver": driver_version(), "date": datetime.date.today().isoformat(), "cases": {}, "errors": {}}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, (result, error) in zip(paths, pool.map(record_apart, paths)):
            if error:
                bundle["errors"][path.stem] = error
                print(f"FAIL {path.stem}: {error}", flush=True)
            else:
                bundle["gpu"] = result.pop("gpu")
                bundle["cases"][path.stem] = result
    args.out.write_text(json.dumps(bundle))
    print(f"{len(bundle['cases'])} recorded, {len(bundle['errors'])} failed on {bundle['gpu']}, driver {bundle['driver']}")
    return 1 if bundle["errors"] or not bundle["cases"] else 0


sys.exit(main())
