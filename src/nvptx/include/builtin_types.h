// prelude.h has the declarations of this header.
