// The page's part of the exchange of messages with Node.
import { encodeError } from '../wire.ts';

/**
 * Posts the last answer and receives the next message in one request, until the server has closed.
 * `respond` returns the answer to a message.
 */
export async function serveAnswers(
  answerUrl: string,
  respond: (message: ArrayBuffer) => Promise<BlobPart[]>,
): Promise<never> {
  let answer: BlobPart[] = [];
  for (;;) {
    const response = await fetch(answerUrl, { method: 'POST', body: new Blob(answer) });
    const message = await response.arrayBuffer();
    answer = await respond(message).catch(encodeError);
  }
}
