// The builders of asynchronous copies, mbarriers and clusters, by the row's name.
import { clusterBuilds } from './clusters.ts';
import { copyBuilds } from './copies.ts';
import { mbarrierBuilds } from './mbarriers.ts';

export const asyncRows = { ...clusterBuilds, ...copyBuilds, ...mbarrierBuilds };
