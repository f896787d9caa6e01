// Sets the light or dark theme: the system's choice, until the user chooses. This script blocks the
// page, so that the first frame has the right colors.
export {};

const key = 'lanewise-theme';
const page = document.documentElement;

/**
 * Returns the stored choice. A browser may forbid storage; then a choice lasts as long as the page.
 */
function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Without storage, only this page keeps the choice.
  }
}

const chosen = stored();
if (chosen === 'light' || chosen === 'dark') page.dataset.theme = chosen;

document.addEventListener('DOMContentLoaded', () => {
  document.querySelector('button.theme')?.addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    const next = (page.dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
    page.dataset.theme = next;
    store(next);
  });
});
