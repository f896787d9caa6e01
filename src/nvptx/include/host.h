// CUDA's runtime as host code sees it. The device half of a `.cu` file contains no call of it, but
// clang also parses the host half.
#pragma once

// Programs search for the guards of CUDA's headers.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define CUDART_CB
#define CUDARTAPI
#define CUDART_VERSION 12000

// CUDA declares these functions for host code, too.
template <class A, class B> static __host__ inline decltype(A() + B()) min(A a, B b) { return a < b ? a : b; }
template <class A, class B> static __host__ inline decltype(A() + B()) max(A a, B b) { return a > b ? a : b; }

static __host__ inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static __host__ inline double rsqrt(double x) { return 1 / sqrt(x); }

#include "host/errors.h"
#include "host/device.h"
#include "host/streams.h"
#include "host/memory.h"
#include "host/arrays.h"
#include "host/launch.h"
#include "host/graphs.h"
