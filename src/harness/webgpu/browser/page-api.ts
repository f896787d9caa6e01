// The page's part of the connection with Node: it opens the device, then answers messages.
import { type DeviceReport, openDevice } from '../../../runtime/device/device.ts';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import { encodeError } from '../wire.ts';

/** The functions that Node calls through the debugging protocol. */
export interface PageApi {
  /**
   * Opens the device and starts to request messages at `answerUrl`, which the page learns only from
   * this call. Returns the message of an error.
   */
  open(answerUrl: string): Promise<{ report: DeviceReport } | { error: string }>;
}

declare global {
  var lanewise: PageApi | undefined;
}

/** Returns the answer to a message. */
export type Respond = (message: ArrayBuffer) => Promise<BlobPart[]>;

/** Opens the device, and answers Node's messages with the function that `responder` returns. */
export function servePage(responder: (device: GPUDevice) => Respond): void {
  // Start to open the device before Node requests it, because Node needs a while to find the page.
  const opening = openDevice(navigator.gpu);
  opening.catch(() => undefined);
  globalThis.lanewise = {
    async open(answerUrl) {
      try {
        const { device, report } = await opening;
        void answerAll(answerUrl, responder(device));
        return { report };
      } catch (error) {
        return { error: messageOf(error) };
      }
    },
  };
}

/** Posts the last answer and receives the next message in one request, until the server has closed. */
async function answerAll(answerUrl: string, respond: Respond): Promise<never> {
  let answer: BlobPart[] = [];
  for (;;) {
    const response = await fetch(answerUrl, { method: 'POST', body: new Blob(answer) });
    const message = await response.arrayBuffer();
    answer = await respond(message).catch(encodeError);
  }
}
