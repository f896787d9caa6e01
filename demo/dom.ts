// Elements without a framework.

type Value = string | number | boolean | undefined | ((event: Event) => void);
export type Child = Node | string | undefined | false;

/**
 * An element with attributes and children. `true` sets an attribute without a value, `false` and undefined leave it out; a function under
 * `onclick` and the like listens.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

/** As `el`, of SVG. */
export function svg(
  tag: string,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(element, attributes, children);
  return element;
}

function apply(element: Element, attributes: Readonly<Record<string, Value>>, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
}

/** The element of index.html with this id. Throws if the page has none. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** A labelled drop-down list. */
export function choice(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
  onChange: (value: string) => void,
): HTMLLabelElement {
  const list = el('select', { onchange: () => onChange(list.value) });
  for (const [key, text] of options) list.append(el('option', { value: key, selected: key === value }, text));
  return el('label', { class: 'field' }, el('span', {}, label), list);
}

/** Says that a list goes on, where it does. */
export function moreNote(count: number, what: string): HTMLElement[] {
  return count > 0 ? [el('p', { class: 'note' }, `and ${count} more ${what}`)] : [];
}

/** Calls `work` once things have been quiet for `ms`. */
export function debounce(ms: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}

/** Keeps the keyboard's place when `render` replaces what stands in `root`: the element with the same `data-key` gets the focus again. */
export function keepFocus(root: HTMLElement, render: () => void): void {
  const active = document.activeElement;
  const key = active instanceof HTMLElement && root.contains(active) ? active.dataset.key : undefined;
  const caret = active instanceof HTMLInputElement && active.type === 'text' ? active.selectionStart : null;
  render();
  if (key === undefined) return;
  const again = [...root.querySelectorAll<HTMLElement>('[data-key]')].find((item) => item.dataset.key === key);
  again?.focus({ preventScroll: true });
  if (again instanceof HTMLInputElement && caret !== null) again.setSelectionRange(caret, caret);
}
