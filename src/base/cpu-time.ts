// Processor time, which does not depend on other work on the machine.

/** Returns the milliseconds of processor time that this process has used. For Node. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
