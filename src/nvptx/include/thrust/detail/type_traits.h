#pragma once
#include "system.h"
