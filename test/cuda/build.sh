#!/usr/bin/env bash
# Compiles samples/ and planted/ to PTX with the CUDA line of each instruction, as `lanewise run` compiles them.
# Usage: test/cuda/build.sh (needs nvcc 13). Sources are copied first, and folders are left out of the PTX, so that no machine's paths get into it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in samples planted; do
  for file in "$here/$folder"/*.cu; do
    name=$(basename "$file" .cu)
    cp "$file" "$work/"
    (cd "$work" && nvcc -ptx -lineinfo -arch=sm_80 "$name.cu" -o "$name.ptx")
    sed -E 's|^([[:space:]]*\.file[[:space:]]+[0-9]+ ").*/|\1|' "$work/$name.ptx" > "$here/$folder/$name.ptx"
  done
done
