#!/usr/bin/env python3
"""Writes the case files test/kernels/<id>.json from the tables in corpus/.

The recorded results of a case file are kept if its PTX, launch and inputs are unchanged. Otherwise
they are dropped, and golden.py must run again. Results always come from hardware. A table may state
the results of a launch if they follow from its numbers alone; the recorded results must equal them.
"""

import base64
import hashlib
import json
import pathlib
import sys

sys.dont_write_bytecode = True

from corpus import TABLES
from corpus.inputs import Stream, encode

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def render_param(row, stream):
    param = {"name": row["name"], "kind": row["kind"]}
    if row["kind"] in ("buffer", "memory"):
        param["type"] = row["type"]
        if "generator" in row:
            data = encode(row["type"], row["generator"](stream))
            param["bytes"] = len(data)
            param["data"] = base64.b64encode(data).decode()
        else:
            param["bytes"] = row["bytes"]
        if row["tolerance"]:
            param["tolerance"] = row["tolerance"]
        if row.get("expect") == "any":
            param["expect"] = "any"
        elif "expect" in row:
            param["expect"] = base64.b64encode(encode(row["type"], row["expect"])).decode()
    elif row["kind"] in ("texture", "surface"):
        param.update({key: value for key, value in row.items() if key != "generator"})
        type = "u16" if row["type"] == "f16" else row["type"]
        param["data"] = base64.b64encode(encode(type, row["generator"](stream))).decode()
    elif row["kind"] == "tensormap":
        return row
    elif row["kind"] == "bytes":
        param["data"] = row["data"]
    else:
        wide = row["kind"] in ("u64", "s64")
        param["value"] = str(row["value"]) if wide else row["value"]
    return param


def render(row):
    stream = Stream(row["id"])
    return {
        "id": row["id"], "group": "corpus", "ptx": row["ptx"], "entry": row["entry"],
        "grid": row["grid"], "block": row["block"], "sharedBytes": row["shared"], **row["told"],
        "params": [render_param(p, stream) for p in row["params"]],
    }


def without_results(document):
    params = [{k: v for k, v in p.items() if k not in ("expect", "tolerance")} for p in document["params"]]
    return {**{k: v for k, v in document.items() if k not in ("golden", "prints")}, "params": params}


def keep_results(document, old, ptx_hash):
    """Copies `expect` and `golden` from the old case file if the case is unchanged."""
    golden = old.get("golden")
    if not golden or golden.get("ptxSha256") != ptx_hash or without_results(old) != without_results(document):
        return False
    for param, old_param in zip(document["params"], old["params"]):
        if "expect" in param and param["expect"] != old_param["expect"]:
            sys.exit(f"{document['id']}: the table states other results for {param['name']} than the hardware gave")
        if "expect" in old_param:
            param["expect"] = old_param["expect"]
    if "prints" in old:
        document["prints"] = old["prints"]
    document["golden"] = golden
    return True


def main():
    rows = [row for table in TABLES for row in table]
    ids = [row["id"] for row in rows]
    if len(set(ids)) != len(ids):
        sys.exit("two cases share an id: " + ", ".join(sorted({i for i in ids if ids.count(i) > 1})))
    kept = 0
    for row in rows:
        ptx = (FOLDER / row["ptx"]).read_bytes()
        if f".entry {row['entry']}(".encode() not in ptx:
            sys.exit(f"{row['id']}: {row['ptx']} has no entry {row['entry']}")
        document = render(row)
        path = FOLDER / f"{row['id']}.json"
        if path.exists():
            kept += keep_results(document, json.loads(path.read_text()), hashlib.sha256(ptx).hexdigest())
        path.write_text(json.dumps(document, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
    for path in sorted(FOLDER.glob("*.json")):
        # Inductor's launches are recorded with their inputs.
        if path.stem not in ids and not path.stem.startswith("inductor_"):
            print(f"{path.name} is in no table")
    kernels = {(row["ptx"], row["entry"]) for row in rows}
    print(f"{len(rows)} cases of {len(kernels)} kernels; {kept} keep their results, {len(rows) - kept} need golden.py")


main()
