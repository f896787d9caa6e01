#!/usr/bin/env python3
"""Makes case files from the launches of record-inductor.py: test/kernels/inductor_*.json and inductor/*.ptx.

Usage: merge-inductor.py RECORDS-FOLDER TARGET-FOLDER DATE DRIVER
Launches with overlapping buffers are skipped. The results of the recording become the expected ones.
"""

import base64
import hashlib
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True

from corpus.triton import CLOSE

KINDS = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64", "int64": "s64", "int32": "s32", "int16": "s16", "int8": "s8", "uint8": "u8", "bool": "u8"}
SCALARS = {"i64": "s64", "i32": "s32", "u32": "u32", "u64": "u64", "fp32": "f32", "fp64": "f64", "i1": "u8", "i8": "s8"}
APPROXIMATE = re.compile(r"\b(ex2|lg2|sin|cos|tanh|rsqrt|sqrt|rcp|div)\.(approx|full)|\bmma\.sync\S*\.f32\b")


def overlap(buffers):
    spans = sorted((b["address"], b["address"] + b["bytes"]) for b in buffers)
    return any(first[1] > second[0] for first, second in zip(spans, spans[1:]))


def param(arg, is_approximate):
    if "dtype" not in arg:
        kind = "u64" if arg["type"].startswith("*") else SCALARS[arg["type"]]
        value = arg["value"]
        return {"name": arg["name"], "kind": kind, "value": str(int(value)) if kind in ("s64", "u64") else value}
    kind = KINDS[arg["dtype"]]
    made = {"name": arg["name"], "kind": "buffer", "type": kind, "bytes": arg["bytes"], "data": arg["before"]}
    if arg["before"] != arg["after"]:
        made["expect"] = arg["after"]
        if is_approximate and kind in CLOSE:
            made["tolerance"] = CLOSE[kind]
    return made


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    bundle = json.loads((source / "records.json").read_text())
    (target / "inductor").mkdir(parents=True, exist_ok=True)
    left_out = 0
    for record in bundle["records"]:
        buffers = [arg for arg in record["args"] if "dtype" in arg]
        if "error" in record or any(arg["bytes"] == 0 for arg in buffers) or overlap(buffers):
            left_out += 1
            continue
        text = (source / f"{record['file']}.ptx").read_text()
        ptx = "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
        name = f"{record['of']}_{record['file'][:6]}"
        (target / "inductor" / f"{name}.ptx").write_text(ptx)
        params = [param(arg, APPROXIMATE.search(ptx)) for arg in record["args"]]
        params += [{"name": f"{of}_scratch", "kind": "u64", "value": "0"} for of in ("global", "profile")]
        case = {
            "id": f"inductor_{name}", "group": "corpus", "ptx": f"inductor/{name}.ptx", "entry": record["entry"],
            "grid": record["grid"], "block": [32 * record["warps"], 1, 1], "sharedBytes": record["shared"], "params": params,
            "golden": {"gpu": bundle["gpu"], "driver": sys.argv[4], "date": sys.argv[3], "ptxSha256": hashlib.sha256(ptx.encode()).hexdigest()},
        }
        (target / f"inductor_{name}.json").write_text(json.dumps(case, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
    print(f"{len(bundle['records']) - left_out} cases, {left_out} left out")


main()
