// Streams and events. All streams are one queue, so commands run in the order of the calls.
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { HostContext } from './host-context.ts';

export function streamFunctions(context: HostContext) {
  const { checked } = context;
  /** The times of events in milliseconds; undefined until they are recorded. */
  const events = new Map<number, number | undefined>();
  let next = 0x100;
  const create = checked((to: number) => context.memory.setU32(to, next++));
  const createEvent = checked((to: number) => {
    events.set(next, undefined);
    context.memory.setU32(to, next++);
  });
  const wait = checked(() => {
    if (context.captured !== undefined)
      throw new CudaFailure(cudaErrors.captureUnsupported, 'a stream that is being captured does not run');
    return context.synchronize();
  });
  const nothing = checked(() => undefined);
  const record = checked((event: number) => {
    if (!events.has(event)) throw new CudaFailure(cudaErrors.invalidResourceHandle, 'not an event');
    return context.enqueue(function* () {
      // The time of an event is the time at which the device has finished all earlier commands.
      yield* context.synchronize();
      events.set(event, performance.now());
    });
  });

  return {
    cudaStreamCreate: create,
    cudaStreamCreateWithFlags: create,
    cudaStreamCreateWithPriority: create,
    cudaStreamDestroy: nothing,
    cudaStreamSynchronize: wait,
    cudaStreamQuery: wait,
    cudaStreamWaitEvent: nothing,
    cudaStreamSetAttribute: nothing,
    cudaStreamGetPriority: checked((_stream: number, to: number) => context.memory.setU32(to, 0)),
    cudaStreamGetFlags: checked((_stream: number, to: number) => context.memory.setU32(to, 0)),
    cudaStreamAddCallback: checked(function* (stream: number, callback: number, data: number) {
      yield* context.synchronize();
      yield* context.call(callback, stream, 0, data);
    }),
    cudaLaunchHostFunc: checked((_stream: number, callback: number, data: number) =>
      context.enqueue(function* () {
        yield* context.synchronize();
        yield* context.call(callback, data);
      }),
    ),
    cudaEventCreate: createEvent,
    cudaEventCreateWithFlags: createEvent,
    cudaEventDestroy: checked((event: number) => void events.delete(event)),
    cudaEventRecord: record,
    cudaEventRecordWithFlags: record,
    cudaEventSynchronize: wait,
    cudaEventQuery: wait,
    cudaEventElapsedTime: checked((to: number, start: number, end: number) => {
      const [begin, finish] = [events.get(start), events.get(end)];
      if (begin === undefined || finish === undefined)
        throw new CudaFailure(
          events.has(start) && events.has(end) ? cudaErrors.invalidResourceHandle : cudaErrors.invalidValue,
          'no time',
        );
      context.memory.view.setFloat32(to, finish - begin, true);
    }),
  };
}
