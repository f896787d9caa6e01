// Reads the machines of documents and of fleet campaigns.

import { maxDocumentBytes, readText } from '../harness/files/read-text.ts';
import { CampaignError, campaignDocument, isCampaign } from '../harness/fleet/campaign-file.ts';
import { type Machine, MergeError, machinesOf } from '../harness/runs/merge-results.ts';
import { UsageError } from './console.ts';

/**
 * Reads a JSON document of `validate`, `run`, `fleet` or the page, or a file of `fleet --campaign`.
 * Throws `UsageError` if the file is none of these.
 */
export function readMachines(file: string): Machine[] {
  try {
    const text = readText(file, maxDocumentBytes);
    return machinesOf(file, isCampaign(text) ? campaignDocument(file, text) : JSON.parse(text));
  } catch (error) {
    if (error instanceof MergeError || error instanceof CampaignError) throw new UsageError(error.message);
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
