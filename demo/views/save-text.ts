// Copies and saves texts.
import { el } from '../dom.ts';

export function saveText(name: string, text: string, type = 'text/plain'): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  el('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/**
 * Copies a text, and shows in `status` for two seconds that it was copied. Shows `refusal` if
 * copying fails.
 */
export async function copyText(
  text: string,
  status: HTMLElement,
  refusal = 'No permission for the clipboard',
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = 'Copied';
  } catch {
    status.textContent = refusal;
  }
  setTimeout(() => {
    status.textContent = '';
  }, 2000);
}
