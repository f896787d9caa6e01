#!/usr/bin/env bash
# Compiles the sources of the lessons, and the wrong answers of their tests, to PTX. Needs CUDA 13.0. The first line of each PTX
# file names its source. The PTX contains the lines of the source, but not its folder.
set -euo pipefail
cd "$(dirname "$0")"
for source in */*.cu ../../test/lessons/*.cu; do
  (
    cd "$(dirname "$source")"
    file=$(basename "$source")
    name=${file%.cu}
    mark="// sha256 $(sha256sum <"$file" | cut -d ' ' -f 1) of $file"
    if [ "$(head -n 1 "$name.ptx" 2>/dev/null)" = "$mark" ]; then exit; fi
    nvcc -ptx -lineinfo -std=c++17 -arch=compute_75 "$file" -o "$name.tmp"
    { echo "$mark"; sed -E '/^\/\/|^$/d; s|^(\.?\s*\.file\s+[0-9]+ )".*/([^/"]+)"|\1"\2"|' "$name.tmp"; } >"$name.ptx"
    rm "$name.tmp"
    ptxas -arch=sm_90 -o /dev/null "$name.ptx"
  )
done
