export { type Dominators, dominatorsOf, dominatorTree, type Postdominators, postdominatorsOf } from './dominators.ts';
export { type FlowGraph, flowGraph, reversePostorder } from './flow-graph.ts';
export { type Loop, type Loops, loopsIn, loopsOf } from './loops.ts';
export { placeParams, type RegisterSets } from './place-params.ts';
export {
  type ArgumentEdge,
  blocksOfInsts,
  forEachOperand,
  forEachOwnValue,
  incomingEdges,
  type User,
  useCounts,
  usersOf,
} from './users.ts';
