// How long work takes, whatever else the machine does meanwhile.

/** Milliseconds of processor time that this process has used. For Node. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
