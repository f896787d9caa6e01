#!/usr/bin/env bash
# Compiles the kernels to PTX with the flags of each file, and has ptxas check every result.
# Usage: tools/build.sh [name...]   (needs nvcc and ptxas 13; without names, all of them)
# The sources are copied to a fixed folder first: nvcc writes paths, and hashes of them, into PTX.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=/tmp/kernels
mkdir -p "$work"

flags() {
  case $1 in
    double) echo -arch=compute_80 -fmad=false ;;
    reduce | neural | cooperative | copies | mbarriers | waiting | waiting_warps | graph | grid | grid_blocks | wmma | fragments | attention) echo -arch=compute_80 ;;
    half | transpose | fractal | calls | float | intrinsics | cub_warp) echo -arch=compute_86 ;;
    bfloat | fp8 | gemm | tensor | atomics | atomics64 | atomics_types | barriers | bulk | cluster | cluster_blocks | cluster_bulk | cluster_wide | forms | matrix_forms | barrier_forms | video_forms | image_forms | async_updates | async_shared | cub_block | nbody | parameters) echo -arch=compute_90 ;;
    copy_forms | im2col | tensor_maps | warpgroup | pipeline | large_shared) echo -arch=compute_90a ;;
    narrow_forms) echo -arch=compute_100a ;;
    divergence) echo -arch=compute_80 -lineinfo ;;
    switch) echo -arch=compute_80 -Xcicc -jump-table-density=1 ;;
    bitfields | debug_build) echo -arch=compute_80 -G ;;
    fastmath) echo -arch=compute_80 -use_fast_math ;;
    flush) echo -arch=compute_86 -ftz=true ;;
    *) echo -arch=compute_75 ;;
  esac
}

names=("$@")
[ ${#names[@]} -gt 0 ] || names=($(cd "$here" && basename -s .cu -- *.cu))
cd "$work"
for name in "${names[@]}"; do
  cp "$here/$name.cu" "$work/"
  nvcc -ptx -std=c++17 $(flags "$name") "$name.cu" -o "$name.ptx"
  # Kernels for one architecture only are built for it. The rest runs on the GPU that records.
  ptxas -arch="$(grep -qE '^\.target sm_[0-9]+a' "$name.ptx" && sed -n 's/^\.target \(sm_[0-9]*a\).*/\1/p' "$name.ptx" || echo sm_90)" -o /dev/null "$name.ptx"
  cp "$name.ptx" "$here/"
  echo "$name.ptx: $(grep -c '\.entry' "$name.ptx") kernels"
done
