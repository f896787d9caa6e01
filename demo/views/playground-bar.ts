// The bar above the text, with the examples and the target of the WGSL.
import { choice, el } from '../dom.ts';
import { exampleItems } from '../examples.ts';
import type { AppState, Store } from '../state.ts';

const plans: readonly (readonly [AppState['plan'], string])[] = [
  ['auto', "this GPU's"],
  ['32', 'subgroups of 32 (native)'],
  ['64', 'subgroups of 64 (wide)'],
  ['128', 'subgroups of 128 (wide)'],
  ['16', 'subgroups of 16 (narrow)'],
  ['8', 'subgroups of 8 (narrow)'],
  ['4', 'subgroups of 4 (narrow)'],
  ['0', 'no subgroups (portable)'],
];

const floats = [
  ['exact', 'exact'],
  ['fast', "the GPU's own arithmetic"],
] as const;

export function playgroundBar(store: Store): HTMLElement[] {
  const { state } = store;
  const plan = choice('WGSL for', plans, state.plan, (value) =>
    store.set({ plan: plans.find(([key]) => key === value)?.[0] ?? 'auto' }),
  );
  const float = choice('f32', floats, state.float, (value) =>
    store.set({ float: floats.find(([key]) => key === value)?.[0] ?? 'exact' }),
  );
  return [el('label', { class: 'field' }, el('span', {}, 'Start from'), examplesMenu(store)), plan, float];
}

function examplesMenu(store: Store): HTMLSelectElement {
  const load = async (id: string): Promise<void> => {
    const example = exampleItems.find((item) => item.id === id);
    if (example) store.set(await example.load());
  };
  const menu = el('select', { id: 'examples', onchange: () => void load(menu.value) });
  menu.append(el('option', { value: '' }, 'Examples…'));
  for (const group of new Set(exampleItems.map((item) => item.group))) {
    const items = exampleItems.filter((item) => item.group === group);
    menu.append(el('optgroup', { label: group }, ...items.map(({ id, title }) => el('option', { value: id }, title))));
  }
  return menu;
}
