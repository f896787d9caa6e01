#!/usr/bin/env bash
# Compiles samples/ and planted/ to PTX with the CUDA line of each instruction, as `lanewise run`
# does. Usage: test/cuda/build.sh (needs nvcc 13). It copies the sources first and removes folders
# from the PTX, so the PTX contains no paths of the machine.
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
