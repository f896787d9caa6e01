// The runtime in Node: devices come from Dawn, through the `webgpu` package.

import { dawnInNode } from './dawn-in-node.ts';
import { usePlatform } from './open-device.ts';

usePlatform(dawnInNode);

export * from './index.ts';
