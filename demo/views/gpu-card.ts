// Shows the measurements of the machine's GPU, or instructions if there is no GPU.
import { el } from '../dom.ts';
import type { GpuInfo } from '../gpu/messages.ts';

/** Describes the adapter in one line: its name, its subgroup size and the lane plan. */
export function adapterText({ report }: GpuInfo): string {
  const { adapter, subgroupSize = 0, lanePlan } = report;
  const names = [adapter?.description, adapter?.device, adapter?.architecture, adapter?.vendor];
  const name = names.find((text) => text !== undefined && text !== '') ?? 'unnamed adapter';
  const size = subgroupSize > 0 ? `subgroup size ${subgroupSize}` : 'no usable subgroups';
  return [name + (adapter?.software ? ' (software, no GPU)' : ''), size, `${lanePlan?.kind ?? 'no'} lane plan`].join(
    ' · ',
  );
}

/** Shows all measurements. */
export function gpuCard(info: GpuInfo): HTMLElement {
  const { report, profile, ms } = info;
  const { adapter, problems = [] } = report;
  const rows: readonly (readonly [string, string])[] = [
    [
      'Adapter',
      [adapter?.vendor, adapter?.architecture, adapter?.device, adapter?.description].filter(Boolean).join(' · '),
    ],
    ['Kind', adapter?.software ? 'software: runs on the CPU' : 'hardware'],
    ['Subgroup size', report.subgroupSize ? `${report.subgroupSize} (measured)` : 'no usable subgroups'],
    ...(report.subgroupSize
      ? []
      : [
          [
            'Without subgroups',
            'lanes exchange values through workgroup memory, with the same results at lower speed; Chrome and Edge 134 or newer support subgroups',
          ] as const,
        ]),
    [
      'Lane plan',
      `${report.lanePlan?.kind ?? ''}: ${report.lanePlan?.slots ?? 0} lane${report.lanePlan?.slots === 1 ? '' : 's'} per invocation`,
    ],
    [
      'f32',
      `subnormals ${profile.denormals}, fma ${profile.fma}, division ${profile.div}, square root ${profile.sqrt}`,
    ],
    ['Browser', adapter?.host ?? ''],
    ['Opened in', `${ms.toFixed(0)} ms`],
    ...(problems.length > 0 ? [['Problems', problems.join('; ')] as const] : []),
  ];
  const list = el('dl', { class: 'facts' });
  for (const [name, value] of rows) list.append(el('dt', {}, name), el('dd', {}, value));
  return list;
}

/**
 * Shows how to enable WebGPU in the browser. `still` names the parts of the page that work without
 * WebGPU.
 */
export function noGpuHelp(
  reason: string,
  still = 'The page can still parse, translate, step through the reference and explain instructions.',
): HTMLElement {
  const code = (text: string): HTMLElement => el('code', {}, text);
  const item = (...parts: (string | HTMLElement)[]): HTMLElement => el('li', {}, ...parts);
  return el(
    'div',
    { class: 'help-box', id: 'no-webgpu' },
    el('h3', {}, 'WebGPU is not available'),
    el('p', {}, `${reason}. ${still} To run on a GPU:`),
    el(
      'ul',
      {},
      ...(window.isSecureContext
        ? []
        : [
            item(
              'Open the page over ',
              code('https://'),
              ' or from ',
              code('http://localhost'),
              ': WebGPU needs a secure context.',
            ),
          ]),
      item('Windows, macOS, ChromeOS, Android: Chrome or Edge 113 or newer; 134 or newer for subgroups.'),
      item(
        'Linux: Chrome with ',
        code('--enable-unsafe-webgpu --enable-features=Vulkan --use-angle=vulkan --ignore-gpu-blocklist'),
        ', or turn on ',
        code('chrome://flags/#enable-unsafe-webgpu'),
        ' and ',
        code('chrome://flags/#enable-vulkan'),
        '.',
      ),
      item(
        'No GPU at all: Chrome with ',
        code('--enable-unsafe-webgpu --use-webgpu-adapter=swiftshader'),
        ' runs on the CPU.',
      ),
      item(
        'Firefox 141 or newer on Windows, elsewhere with ',
        code('dom.webgpu.enabled'),
        ' (and on Linux ',
        code('gfx.webgpu.ignore-blocklist'),
        ') in ',
        code('about:config'),
        '; Safari 26 or newer. They lack subgroups, so Lanewise uses the portable plan.',
      ),
      item(
        'Then open ',
        code('chrome://gpu'),
        ': WebGPU must not be “Disabled”. Without a browser, run ',
        code('npx lanewise validate'),
        '.',
      ),
    ),
  );
}
