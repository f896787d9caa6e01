#pragma once
#include "remove.h"
