#!/usr/bin/env bash
# Compiles the kernels to PTX and checks it with ptxas. Needs CUDA 13.0. The first line of each PTX file names its sources.
set -euo pipefail
cd "$(dirname "$0")"
for source in *.cu; do
  name=${source%.cu}
  # Products in tensor cores need sm_80.
  case $name in *_f16) arch=compute_80 ;; *) arch=compute_75 ;; esac
  # Without contraction and approximations: the sources determine every rounding.
  nvcc -ptx -std=c++17 "-arch=$arch" -fmad=false -prec-div=true -prec-sqrt=true -ftz=false "$source" -o "$name.tmp"
  { echo "// sha256 $(cat arithmetic.cuh "$source" | sha256sum | cut -d ' ' -f 1) of arithmetic.cuh and $source"; cat "$name.tmp"; } >"$name.ptx"
  rm "$name.tmp"
  ptxas -arch=sm_90 -o /dev/null "$name.ptx"
done
