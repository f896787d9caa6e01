// Graphs: commands that a program records once and launches often. All streams are one queue, so a
// launch performs the commands one after another, in an order that respects the dependencies.
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { Command, HostContext } from './host-context.ts';
import { launcherOf } from './launch.ts';
import { transfersOf } from './transfers.ts';

interface Graph {
  /** The nodes in the order of their creation. */
  readonly commands: Map<number, Command>;
  /** The nodes before each node. */
  readonly before: Map<number, Set<number>>;
}

/** The commands of an executable graph, by node, in the order of their execution. */
type ExecutableGraph = Map<number, Command>;

/** Returns the nodes in an order in which each node follows those before it. */
function sorted({ commands, before }: Graph): ExecutableGraph {
  const order: ExecutableGraph = new Map();
  const pending = new Set<number>();
  const visit = (node: number): void => {
    const command = commands.get(node);
    if (command === undefined || order.has(node)) return;
    if (pending.has(node)) throw new CudaFailure(cudaErrors.invalidValue, 'the dependencies of a graph form a cycle');
    pending.add(node);
    for (const earlier of before.get(node) ?? []) visit(earlier);
    order.set(node, command);
  };
  for (const node of commands.keys()) visit(node);
  return order;
}

export function graphFunctions(context: HostContext) {
  const { checked } = context;
  const { prepareLaunch } = launcherOf(context);
  const { copy, fillElements, prepareCopy3D } = transfersOf(context);
  const graphs = new Map<number, Graph>();
  const executables = new Map<number, ExecutableGraph>();
  let next = 0x1000;

  const found = <T>(map: ReadonlyMap<number, T>, handle: number): T => {
    const value = map.get(handle);
    if (value === undefined) throw new CudaFailure(cudaErrors.invalidValue, 'not a graph');
    return value;
  };
  const store = (to: number, graph: Graph): void => {
    graphs.set(next, graph);
    context.memory.setU32(to, next++);
  };
  const empty = (): Graph => ({ commands: new Map(), before: new Map() });
  const words = (address: number, count: number): number[] =>
    Array.from({ length: count }, (_, index) => context.memory.u32(address + 4 * index));
  /** Adds a node after `count` nodes of the list `after`. */
  const add = (to: number, handle: number, after: number, count: number, command: Command): void => {
    const graph = found(graphs, handle);
    const before = words(after, count);
    if (before.some((node) => !graph.commands.has(node)))
      throw new CudaFailure(cudaErrors.invalidValue, 'a dependency is not a node of the graph');
    graph.commands.set(next, command);
    graph.before.set(next, new Set(before));
    context.memory.setU32(to, next++);
  };
  /** Returns the launch that a `cudaKernelNodeParams` describes. */
  const launchAt = (parameters: number): Command => {
    const { memory } = context;
    const shape = { grid: memory.triple(parameters + 4), block: memory.triple(parameters + 16) };
    const configuration = { ...shape, shared: memory.u32(parameters + 28), stream: 0 };
    return prepareLaunch(memory.u32(parameters), configuration, memory.u32(parameters + 32), false);
  };
  const callOf = (parameters: number): Command => {
    const [callback, data] = [context.memory.u32(parameters), context.memory.u32(parameters + 4)];
    return function* () {
      yield* context.synchronize();
      yield* context.call(callback, data);
    };
  };

  return {
    cudaStreamBeginCapture: checked(() => {
      if (context.captured !== undefined) throw new CudaFailure(cudaErrors.illegalState, 'a stream is being captured');
      context.captured = [];
    }),
    cudaStreamEndCapture: checked((_stream: number, to: number) => {
      const commands = context.captured;
      if (commands === undefined) throw new CudaFailure(cudaErrors.illegalState, 'no stream is being captured');
      context.captured = undefined;
      const graph = empty();
      for (const command of commands) graph.commands.set(next++, command);
      store(to, graph);
    }),
    cudaStreamIsCapturing: checked((_stream: number, to: number) =>
      context.memory.setU32(to, context.captured === undefined ? 0 : 1),
    ),
    cudaGraphCreate: checked((to: number) => store(to, empty())),
    cudaGraphClone: checked((to: number, handle: number) => {
      const { commands, before } = found(graphs, handle);
      store(to, {
        commands: new Map(commands),
        before: new Map([...before].map(([node, earlier]) => [node, new Set(earlier)])),
      });
    }),
    cudaGraphDestroy: checked((handle: number) => {
      found(graphs, handle);
      graphs.delete(handle);
    }),
    cudaGraphGetNodes: checked((handle: number, to: number, count: number) => {
      const nodes = [...found(graphs, handle).commands.keys()];
      if (to !== 0)
        for (const [index, node] of nodes.slice(0, context.memory.u32(count)).entries())
          context.memory.setU32(to + 4 * index, node);
      context.memory.setU32(count, nodes.length);
    }),
    cudaGraphAddKernelNode: checked((to: number, graph: number, after: number, count: number, parameters: number) =>
      add(to, graph, after, count, launchAt(parameters)),
    ),
    cudaGraphAddMemcpyNode: checked((to: number, graph: number, after: number, count: number, parameters: number) =>
      add(to, graph, after, count, prepareCopy3D(parameters)),
    ),
    cudaGraphAddMemcpyNode1D: checked(
      (to: number, graph: number, after: number, count: number, target: number, from: number, bytes: number) =>
        add(to, graph, after, count, () => copy(target, from, bytes)),
    ),
    cudaGraphAddMemsetNode: checked((to: number, graph: number, after: number, count: number, parameters: number) => {
      const { memory } = context;
      const [target, pitch, value] = memory.triple(parameters);
      const [elementBytes, width, height] = memory.triple(parameters + 12);
      add(to, graph, after, count, () => fillElements(target, { pitch, value, elementBytes, width, height }));
    }),
    cudaGraphAddHostNode: checked((to: number, graph: number, after: number, count: number, parameters: number) =>
      add(to, graph, after, count, callOf(parameters)),
    ),
    // The header passes the size of a `cudaMemAllocNodeParams`, and the place of its address.
    __lanewiseGraphAddMemAllocNode: checked(function* (
      to: number,
      graph: number,
      after: number,
      count: number,
      bytes: number,
      place: number,
    ) {
      add(to, graph, after, count, yield* context.reserve(place, bytes));
    }),
    cudaGraphAddMemFreeNode: checked((to: number, graph: number, after: number, count: number, address: number) =>
      add(to, graph, after, count, () => void context.graphMemory.change(address >>> 0, false)),
    ),
    cudaGraphAddEmptyNode: checked((to: number, graph: number, after: number, count: number) =>
      add(to, graph, after, count, () => undefined),
    ),
    cudaGraphAddDependencies: checked((handle: number, from: number, to: number, count: number) => {
      const { commands, before } = found(graphs, handle);
      const [earlier, later] = [words(from, count), words(to, count)];
      for (const [index, node] of later.entries()) {
        const first = earlier[index];
        if (first === undefined || !commands.has(first) || !commands.has(node))
          throw new CudaFailure(cudaErrors.invalidValue, 'a dependency is not between nodes of the graph');
        before.set(node, (before.get(node) ?? new Set()).add(first));
      }
    }),
    cudaGraphInstantiateWithFlags: checked((to: number, handle: number) => {
      executables.set(next, sorted(found(graphs, handle)));
      context.memory.setU32(to, next++);
    }),
    cudaGraphExecKernelNodeSetParams: checked((handle: number, node: number, parameters: number) => {
      const executable = found(executables, handle);
      if (!executable.has(node)) throw new CudaFailure(cudaErrors.invalidValue, 'not a node of the graph');
      executable.set(node, launchAt(parameters));
    }),
    cudaGraphUpload: checked((handle: number) => void found(executables, handle)),
    cudaGraphLaunch: checked(function* (handle: number) {
      for (const command of found(executables, handle).values()) yield* context.enqueue(command);
    }),
    cudaGraphExecDestroy: checked((handle: number) => {
      found(executables, handle);
      executables.delete(handle);
    }),
  };
}
