#!/usr/bin/env python3
"""Compiles the Triton kernels to PTX, and has ptxas check every result.

Usage: tools/build-triton.py [name...]   (needs Triton 3.6.0 and ptxas 13, no GPU; without names, all of them)
The first line of a PTX file has the launch parameters: warps, bytes of shared memory, bytes of
scratch memory of a block, and the box and swizzling of each tensor map.
"""

import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "triton"
BENCHMARK_FOLDER = FOLDER.parent.parent.parent / "bench" / "kernels"
SWIZZLES = ("none", "32B", "64B", "128B")
sys.path.insert(0, str(FOLDER))

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from variants import BENCHMARKS, VARIANTS


def build(variant, folder):
    kernel, constants = variant["kernel"], variant["constants"]
    types = iter(variant["types"])
    signature, attributes = {}, {}
    for index, name in enumerate(kernel.arg_names):
        kind = "constexpr" if name in constants else next(types)
        signature[name] = kind.removesuffix(":16")
        if kind.startswith("*") or kind.endswith(":16"):
            attributes[(index,)] = [["tt.divisibility", 16]]
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    options = {"num_warps": variant["warps"], "num_stages": variant["stages"]}
    compiled = triton.compile(source, target=GPUTarget("cuda", variant["target"], 32), options=options)
    about = compiled.metadata
    # The last two parameters are addresses of scratch memory. Kernels that make tensor maps need the first.
    assert about.profile_scratch_size == 0, variant["name"]
    facts = [f"warps {about.num_warps}", f"shared {about.shared}"]
    if about.global_scratch_size:
        facts.append(f"scratch {about.global_scratch_size}")
    if about.tensordesc_meta:
        facts.append("maps " + " ".join("x".join(map(str, reversed(map_["block_size"]))) + ":" + SWIZZLES[map_["swizzle"]] for map_ in about.tensordesc_meta))
    target = folder / f"{variant['name']}.ptx"
    ptx = "\n".join(line.rstrip() for line in compiled.asm["ptx"].strip().splitlines())
    target.write_text(f"// Triton {triton.__version__}, {', '.join(facts)}\n{ptx}\n")
    subprocess.run(["ptxas", f"-arch={'sm_90a' if variant['target'] == 90 else 'sm_90'}", "-o", "/dev/null", target], check=True)
    return len(ptx)


wanted = sys.argv[1:]
for variants, folder in ((VARIANTS, FOLDER), (BENCHMARKS, BENCHMARK_FOLDER)):
    for variant in variants:
        if not wanted or variant["name"] in wanted:
            print(f"{variant['name']}: {build(variant, folder)} bytes", flush=True)
