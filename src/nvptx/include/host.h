// CUDA's runtime as host code sees it. The device half of a `.cu` file contains no call of it, but
// clang also parses the host half.
#pragma once

#include "host/errors.h"
#include "host/device.h"
#include "host/streams.h"
#include "host/memory.h"
#include "host/arrays.h"
#include "host/launch.h"
#include "host/graphs.h"
