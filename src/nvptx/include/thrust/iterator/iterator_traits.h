#pragma once
#include "../detail/system.h"
