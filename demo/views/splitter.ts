// Divides the width between the panes when the user moves the separator with the pointer or the
// arrow keys.
import { byId } from '../dom.ts';

const [least, most] = [15, 85];

export function makeSplitter(): void {
  const panes = byId('panes');
  const splitter = byId('splitter');
  const set = (percent: number): void => {
    const share = Math.round(Math.min(Math.max(percent, least), most));
    panes.style.setProperty('--share', `${share}fr`);
    panes.style.setProperty('--rest', `${100 - share}fr`);
    splitter.setAttribute('aria-valuenow', String(share));
  };
  splitter.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    splitter.setPointerCapture(event.pointerId);
  });
  splitter.addEventListener('pointermove', ({ pointerId, clientX }) => {
    if (!splitter.hasPointerCapture(pointerId)) return;
    const { left, width } = panes.getBoundingClientRect();
    set(((clientX - left) / width) * 100);
  });
  splitter.addEventListener('dblclick', () => set(50));
  splitter.addEventListener('keydown', ({ key }) => {
    const now = Number(splitter.getAttribute('aria-valuenow'));
    if (key === 'ArrowLeft') set(now - 5);
    if (key === 'ArrowRight') set(now + 5);
  });
}
