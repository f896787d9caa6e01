// `cuda::std` has the names of the C++ library, whose constexpr functions also exist on the device.
#pragma once

namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda
