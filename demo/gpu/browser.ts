// Identifies the browser by its user agent, for reports.

import type { GpuExecutorIdentity } from '../../src/harness/executors/gpu-executor.ts';

/**
 * The patterns of browsers in the order in which they are tested. The first match applies, because
 * most user agents include names of other browsers.
 */
const browsers = [
  { pattern: /\bEdg(?:A|iOS)?\/([\d.]+)/, name: 'Edge' },
  { pattern: /\bOPR\/([\d.]+)/, name: 'Opera' },
  { pattern: /\bSamsungBrowser\/([\d.]+)/, name: 'SamsungBrowser' },
  { pattern: /\b(?:Firefox|FxiOS)\/([\d.]+)/, name: 'Firefox' },
  { pattern: /\bHeadlessChrome\/([\d.]+)/, name: 'HeadlessChrome' },
  { pattern: /\b(?:Chrome|CriOS)\/([\d.]+)/, name: 'Chrome' },
  { pattern: /\bVersion\/([\d.]+).* Safari\//, name: 'Safari' },
] as const;

const systems = [
  { pattern: /Android/, name: 'android' },
  { pattern: /iPhone|iPad|iPod/, name: 'ios' },
  { pattern: /Windows/, name: 'windows' },
  { pattern: /Macintosh/, name: 'mac' },
  { pattern: /CrOS/, name: 'chromeos' },
  { pattern: /Linux/, name: 'linux' },
] as const;

/**
 * Returns the host, such as `Chrome/156.0.0.0 linux`, in the form that WebDriver sessions report.
 * For an unknown browser, returns the beginning of its user agent.
 */
export function hostOf(userAgent: string): string {
  for (const { pattern, name } of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = systems.find((candidate) => candidate.pattern.test(userAgent))?.name;
    return [`${name}/${version}`, ...(system ? [system] : [])].join(' ');
  }
  return userAgent.slice(0, 60);
}

/**
 * Returns the corresponding executor of the command line. Every browser on iOS uses Safari's
 * engine, and only Safari's driver can open it.
 */
export function identityOf(userAgent: string): GpuExecutorIdentity {
  const isWebKit = !/Chrome\/|Firefox\//.test(userAgent);
  if (isWebKit) return { name: 'webdriver', on: 'webdriver=http://127.0.0.1:4444?browserName=safari' };
  return { name: /Firefox\//.test(userAgent) ? 'firefox' : 'chrome' };
}
