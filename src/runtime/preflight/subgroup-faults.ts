// Describes the faults of subgroups for reports.

import type { Shape, SubgroupFault } from './subgroups.ts';

const inShape = (shape: Shape, text: string): string => `workgroup ${shape.join('x')}: ${text}`;

export function faultText(fault: SubgroupFault): string {
  switch (fault[0]) {
    case 'sizes': {
      const [, ...sizes] = fault;
      return `the subgroup size varies with the workgroup: ${sizes.join(', ')}`;
    }
    case 'explicit':
      return `@subgroup_size(${fault[1]}) has no effect`;
    case 'differs':
      return inShape(fault[1], 'subgroup_size differs between invocations');
    case 'partial':
      return inShape(fault[1], `a subgroup of size ${fault[2]} has ${fault[3]} invocations`);
    case 'ids':
      return inShape(fault[1], 'subgroup_invocation_id does not number the subgroup from 0');
    case 'shuffle':
      return inShape(fault[1], `subgroupShuffle from ${fault[2]} reached ${fault[3]}`);
  }
}
