#!/usr/bin/env python3
"""Trains the demo's transformer with its PTX on the CUDA driver: the same launches, in the same order.

  node scripts/gpt.mjs plan --size small > plan.json
  python3 demo/gpt/native.py plan.json --steps 200

Prints JSON with the bits of every loss and the steps per second. Needs libcuda only.
"""

import argparse
import ctypes
import json
import time
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("plan")
parser.add_argument("--kernels", default=Path(__file__).parent / "kernels", type=Path)
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--seconds", type=float, default=3, help="how long to measure after them")
parser.add_argument("--cuda", default="libcuda.so.1")
options = parser.parse_args()
plan = json.loads(Path(options.plan).read_text())
cuda = ctypes.CDLL(options.cuda)


def call(name, *args):
    status = getattr(cuda, name)(*args)
    if status != 0:
        text = c_char_p()
        cuda.cuGetErrorString(status, byref(text))
        raise SystemExit(f"{name}: {(text.value or b'unknown error').decode()}")


call("cuInit", 0)
device, context, stream = c_int(), c_void_p(), c_void_p()
call("cuDeviceGet", byref(device), 0)
call("cuDevicePrimaryCtxRetain", byref(context), device)
call("cuCtxSetCurrent", context)
call("cuStreamCreate", byref(stream), 1)
name = ctypes.create_string_buffer(100)
call("cuDeviceGetName", name, 100, device)

modules = []
for file in sorted(options.kernels.glob("*.ptx")):
    module = c_void_p()
    call("cuModuleLoadData", byref(module), file.read_bytes() + b"\0")
    modules.append(module)


def function(kernel):
    found = c_void_p()
    for module in modules:
        if cuda.cuModuleGetFunction(byref(found), module, kernel.encode()) == 0:
            return found
    raise SystemExit(f"no file has the kernel {kernel}")


memory = {}
for buffer, size in plan["buffers"].items():
    memory[buffer] = c_uint64()
    call("cuMemAlloc_v2", byref(memory[buffer]), c_size_t(size))
    call("cuMemsetD8_v2", memory[buffer], 0, c_size_t(size))
for buffer, words in plan["contents"].items():
    call("cuMemcpyHtoD_v2", memory[buffer], (c_uint32 * len(words))(*words), c_size_t(4 * len(words)))


def prepared(launch):
    values = []
    for arg in launch["args"]:
        if isinstance(arg, str):
            values.append(memory[arg])
        else:
            values.append(c_uint32((arg["f32"] if isinstance(arg, dict) else arg) & 0xFFFFFFFF))
    params = (c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
    sizes = [c_uint(size) for size in (*launch["grid"], 1, *launch["block"], 1)]
    # The values must live as long as the pointers to them.
    return (function(launch["kernel"]), *sizes, c_uint(0), stream, params, None), values


def run(launches):
    launch = cuda.cuLaunchKernel
    for args, _ in launches:
        status = launch(*args)
        if status != 0:
            raise SystemExit(f"a launch failed with {status}")


setup = [prepared(launch) for launch in plan["setup"]]
step = [prepared(launch) for launch in plan["step"]]
run(setup)
call("cuStreamSynchronize", stream)
for _ in range(options.steps):
    run(step)
call("cuStreamSynchronize", stream)
ring = plan["buffers"]["history"] // 4
history = (c_uint32 * ring)()
call("cuMemcpyDtoH_v2", history, memory["history"], c_size_t(4 * ring))
losses = [f"{history[(number + 1) % ring]:08x}" for number in range(options.steps)]


def rate(one):
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < options.seconds / 2:
        for _ in range(20):
            one()
        call("cuStreamSynchronize", stream)
        count += 20
    return count / (time.perf_counter() - begin)


by_launches = rate(lambda: run(step))
graph, executable = c_void_p(), c_void_p()
call("cuStreamBeginCapture_v2", stream, 2)
run(step)
call("cuStreamEndCapture", stream, byref(graph))
call("cuGraphInstantiateWithFlags", byref(executable), graph, ctypes.c_ulonglong(0))
by_graph = rate(lambda: call("cuGraphLaunch", executable, stream))

version = c_int()
call("cuDriverGetVersion", byref(version))
print(
    json.dumps(
        {
            "on": "cuda",
            "adapter": f"{name.value.decode()}, CUDA {version.value // 1000}.{version.value % 1000 // 10}",
            "matrices": plan["matrices"],
            "parameters": plan["parameters"],
            "launches": len(plan["step"]),
            "tokens": plan["tokens"],
            "losses": losses,
            "stepsPerSecond": max(by_launches, by_graph),
            "stepsPerSecondByLaunches": by_launches,
            "stepsPerSecondByGraph": by_graph,
        }
    )
)
