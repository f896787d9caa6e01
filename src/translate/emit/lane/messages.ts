// Messages of kernels that print or assert.
import * as w from '../../../wgsl/tree/build.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { MessageSite } from '../../program.ts';
import { messageFunction, statusCodes, statusStmt } from '../program/status.ts';
import type { Emitter } from '../values/emitter.ts';

export function writeMessage(emitter: Emitter, { attrs, args, span }: InstNamed<'message'>): void {
  const { uses, writer } = emitter;
  // Absent: the frame around a fragment has no span in the PTX.
  const site: MessageSite = { kind: attrs.kind, span: span ?? { start: 0, end: 0 }, words: args.length };
  const known = uses.sites.findIndex((other) => other.span.start === site.span.start && other.words === site.words);
  const number = known === -1 ? uses.sites.push(site) - 1 : known;
  const words = args.map((arg) => emitter.read(arg));
  writer.push(w.perform(w.call(messageFunction(uses, args.length), 'u32', w.u32(number), ...words)));
  // A thread continues after these faults, so that no other thread waits for it.
  if (attrs.kind === 'tensor-fault' || attrs.kind === 'rank-fault') writer.push(statusStmt(uses, statusCodes.trap));
}
