// Reports on disk.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ToolRecord } from '../harness/report/json.ts';
import { UsageError } from './console.ts';
import { packageVersion } from './version.ts';

/// Writes a report, and the folder that it lies in. Throws `UsageError` where that cannot be.
export function writeReport(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function toolRecord(): ToolRecord {
  return {
    name: 'lanewise',
    version: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
}

export function toJson(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
