// The mangled names of kernels in the two halves. Clang mangles `main(int, char **)` with its
// parameters for WebAssembly, but not for the device. So the names of kernels differ if an argument
// of their template is a lambda of `main`.

/**
 * Returns the kernel's name on the device; undefined if no kernel or several kernels match. In names
 * with `main`, the parameters of `main` change the numbers of all later substitutions, so these are
 * not compared.
 */
export function deviceNameOf(kernels: ReadonlyMap<string, unknown>, hostName: string): string | undefined {
  if (kernels.has(hostName)) return hostName;
  if (!hostName.includes(hostMain)) return undefined;
  const wanted = withoutSubstitutions(hostName.replaceAll(hostMain, deviceMain));
  const matches = [...kernels.keys()].filter((name) => withoutSubstitutions(name) === wanted);
  return matches.length === 1 ? matches[0] : undefined;
}

const hostMain = 'Z4mainiPPcE';
const deviceMain = 'Z4mainE';

/** Removes substitutions, and the types `char *` and `char **`, for which one of the names has a substitution. */
const withoutSubstitutions = (name: string): string => name.replace(/S[0-9A-Z]*_|P?Pc/g, '');
