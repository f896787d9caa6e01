// CUB: reductions, prefix sums, sorts and selections by warps, blocks and devices.
#pragma once
#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "device/device_radix_sort.cuh"
#include "device/device_reduce.cuh"
#include "device/device_scan.cuh"
#include "device/device_select.cuh"
#include "warp/warp_reduce.cuh"
