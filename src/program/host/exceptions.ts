// C++ exceptions. The C++ library of WebAssembly cannot catch them, so they end the program.
import type { GuestFunctions } from './cuda/host-context.ts';
import type { GuestMemory } from './guest-memory.ts';
import type { HostFunction } from './host-work.ts';
import { abortCode, ProgramExit } from './wasi.ts';

/** The functions that the compiler calls for `throw`. */
export const exceptionFunctions = (
  memory: () => GuestMemory,
  guest: () => GuestFunctions,
): Record<string, HostFunction> => ({
  __cxa_allocate_exception: (bytes: number) => guest().malloc(bytes),
  __cxa_free_exception: (address: number) => guest().free(address),
  __cxa_throw: (_thrown: number, type: number) => {
    // The second word of a `std::type_info` is the mangled name of the type.
    const name = memory().text(memory().u32(type + 4));
    throw new ProgramExit(abortCode, `the program threw an exception of type ${name}, and exceptions cannot be caught`);
  },
});

/** The names of these functions. */
export const exceptionNames = ['__cxa_allocate_exception', '__cxa_free_exception', '__cxa_throw'];
