// Simulates two discs of bodies that attract each other.
import { choice, el } from '../dom.ts';
import { Exhibit } from './exhibit.ts';
import { bodiesPlan, twoDiscs } from './plans.ts';

const [width, height] = [768, 512];
/** The number of steps from one picture to the next. */
const between = 4;

export function bodiesView(): HTMLElement {
  let count = 4096;
  let isRunning = false;
  const canvas = el('canvas', { width, height, role: 'img', 'aria-label': 'Bodies that attract each other' });
  const sizes = [1024, 4096, 16_384].map((size) => [String(size), size.toLocaleString('en')] as const);
  const planOf = () => bodiesPlan(count, 0.004, 0.002);
  const exhibit = new Exhibit(
    {
      id: 'bodies',
      title: 'Bodies that attract each other',
      about: 'In every step, each body reads all other bodies: blocks load them in tiles into shared memory.',
      file: 'bodies',
      per: 'pair of steps',
    },
    planOf(),
    'Start',
    choice('bodies', sizes, String(count), (value) => {
      count = Number(value);
      isRunning = false;
    }),
  );
  const run = async (): Promise<void> => {
    const plan = planOf();
    const { places, velocities } = twoDiscs(count);
    const stage = await exhibit.open(plan);
    stage.at('places').write(places);
    stage.at('velocities').write(velocities);
    exhibit.picture.replaceChildren(canvas);
    const begin = performance.now();
    let steps = 0;
    while (isRunning) {
      for (let step = 0; step < between; step += 2) stage.run(plan.launches);
      steps += between;
      paint(canvas, await stage.at('places').read(Float32Array));
      const pairs = (steps * count * count * 1000) / (performance.now() - begin);
      exhibit.say(
        `Step ${steps.toLocaleString('en')}: ${(pairs / 1e9).toPrecision(3)} billion pairs per second, including drawing.`,
      );
      await new Promise(requestAnimationFrame);
    }
  };
  exhibit.start.addEventListener('click', () => {
    if (isRunning) {
      isRunning = false;
      return;
    }
    isRunning = true;
    exhibit.start.textContent = 'Stop';
    void exhibit.attempt(run).finally(() => {
      isRunning = false;
      exhibit.start.textContent = 'Start';
    });
  });
  return exhibit.root;
}

/** Draws the bodies. The light of overlapping bodies adds up. */
function paint(canvas: HTMLCanvasElement, places: Float32Array): void {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the canvas lacks a 2D context');
  const image = context.createImageData(width, height);
  image.data.fill(255);
  const pixels = new Uint32Array(image.data.buffer).fill(0xff1c100c);
  const light = new Uint16Array(width * height);
  for (let at = 0; at < places.length; at += 4) {
    const x = Math.round(width / 2 + 170 * (places[at] ?? 0));
    const y = Math.round(height / 2 + 170 * (places[at + 1] ?? 0));
    if (x < 0 || y < 0 || x >= width - 1 || y >= height - 1) continue;
    for (const pixel of [y * width + x, y * width + x + 1, (y + 1) * width + x, (y + 1) * width + x + 1]) {
      const sum = (light[pixel] ?? 0) + 1;
      light[pixel] = sum;
      const [red, green, blue] = [60 + 40 * sum, 110 + 40 * sum, 200 + 30 * sum].map((value) => Math.min(value, 255));
      pixels[pixel] = 0xff000000 + (blue ?? 0) * 0x10000 + (green ?? 0) * 0x100 + (red ?? 0);
    }
  }
  context.putImageData(image, 0, 0);
}
