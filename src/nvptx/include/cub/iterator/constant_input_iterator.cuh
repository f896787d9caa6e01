#pragma once
#include "../functors.h"
