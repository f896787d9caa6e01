// The worker's part of the communication with the page.
import type { Exchange, Handlers, PlainError, Reply, Request } from './protocol.ts';

export const post = (reply: Reply): void => self.postMessage(reply);

/**
 * Answers all requests, beginning with those that arrived while the modules were loading. `plain`
 * converts an exception of a handler to a message.
 */
export function serve<R extends { [K in keyof R]: Exchange }>(
  handlers: Handlers<R>,
  plain: (error: unknown) => PlainError,
  early: readonly MessageEvent<Request<R>>[],
): void {
  const answer = async <K extends keyof R>({ id, kind, args }: Request<R, K>): Promise<void> => {
    try {
      const value = await handlers[kind](args, (step) => post({ id, kind: 'progress', value: step }));
      post({ id, kind: 'result', value });
    } catch (error) {
      post({ id, kind: 'error', error: plain(error) });
    }
  };
  post({ id: 0, kind: 'ready' });
  self.addEventListener('message', ({ data }: MessageEvent<Request<R>>) => void answer(data));
  for (const { data } of early) void answer(data);
}
