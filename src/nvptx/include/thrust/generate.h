#pragma once
#include "tabulate.h"
