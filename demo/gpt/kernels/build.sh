#!/usr/bin/env bash
# Makes the PTX of the kernels, and has ptxas check it. Needs nvcc and ptxas of CUDA 13.0. The first line of each says of which sources it is made.
set -euo pipefail
cd "$(dirname "$0")"
for source in *.cu; do
  name=${source%.cu}
  # Nothing is contracted or approximated: what the sources do not round, PTX does.
  nvcc -ptx -std=c++17 -arch=compute_75 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false "$source" -o "$name.tmp"
  { echo "// sha256 $(cat arithmetic.cuh "$source" | sha256sum | cut -d ' ' -f 1) of arithmetic.cuh and $source"; cat "$name.tmp"; } >"$name.ptx"
  rm "$name.tmp"
  ptxas -arch=sm_90 -o /dev/null "$name.ptx"
done
