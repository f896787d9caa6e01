// Lists of 1, 2, 4 or 8 registers as operands of inline PTX, for mma.h: their names in the text, and their
// constraints.
#pragma once

#define LANEWISE_NAMES1(x) "{%[" #x "0]}"
#define LANEWISE_OUT1(x, kind, v) [x##0] "=" kind(v[0])
#define LANEWISE_IN1(x, kind, v) [x##0] kind(v[0])
#define LANEWISE_NAMES2(x) "{%[" #x "0], %[" #x "1]}"
#define LANEWISE_OUT2(x, kind, v) [x##0] "=" kind(v[0]), [x##1] "=" kind(v[1])
#define LANEWISE_IN2(x, kind, v) [x##0] kind(v[0]), [x##1] kind(v[1])
#define LANEWISE_NAMES4(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3]}"
#define LANEWISE_OUT4(x, kind, v) [x##0] "=" kind(v[0]), [x##1] "=" kind(v[1]), \
  [x##2] "=" kind(v[2]), [x##3] "=" kind(v[3])
#define LANEWISE_IN4(x, kind, v) [x##0] kind(v[0]), [x##1] kind(v[1]), [x##2] kind(v[2]), \
  [x##3] kind(v[3])
#define LANEWISE_NAMES8(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3], %[" #x "4], \
  %[" #x "5], %[" #x "6], %[" #x "7]}"
#define LANEWISE_OUT8(x, kind, v) [x##0] "=" kind(v[0]), [x##1] "=" kind(v[1]), \
  [x##2] "=" kind(v[2]), [x##3] "=" kind(v[3]), [x##4] "=" kind(v[4]), [x##5] "=" kind(v[5]), \
  [x##6] "=" kind(v[6]), [x##7] "=" kind(v[7])
#define LANEWISE_IN8(x, kind, v) [x##0] kind(v[0]), [x##1] kind(v[1]), [x##2] kind(v[2]), \
  [x##3] kind(v[3]), [x##4] kind(v[4]), [x##5] kind(v[5]), [x##6] kind(v[6]), [x##7] kind(v[7])
