// Creates elements without a framework.

type Value = string | number | boolean | undefined | ((event: Event) => void);
export type Child = Node | string | undefined | false;

/**
 * Creates an element with attributes and children. `true` sets an attribute without a value;
 * `false` and undefined omit the attribute; a function for `onclick` or a similar attribute is a
 * listener.
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

/** Creates an SVG element, as `el` does for HTML. */
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

/** Returns the page's element with this id. Throws an error if the element does not exist. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page lacks #${id}`);
  return element;
}

/** Creates a labeled drop-down list. */
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

/** Returns a note that there are `count` more items, or an empty list if there are none. */
export function moreNote(count: number, what: string): HTMLElement[] {
  return count > 0 ? [el('p', { class: 'note' }, `and ${count} more ${what}`)] : [];
}

/** Returns a function that calls `work` once `ms` have passed without another call. */
export function debounce(ms: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}

/**
 * Preserves the keyboard focus while `render` replaces the contents of `root`: focuses the new
 * element with the same `data-key`.
 */
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
