// Shows the Mandelbrot set, and the number of iterations of each warp.
import { choice, el } from '../dom.ts';
import { Exhibit } from './exhibit.ts';
import { type MandelbrotPlace, mandelbrotPlan } from './plans.ts';
import type { Stage } from './stage.ts';

const [width, height] = [768, 512];
const most = 512;
const whole: MandelbrotPlace = { x: -0.65, y: 0, size: 3.3 / width };

export function mandelbrotView(): HTMLElement {
  let place = whole;
  let shows: 'steps' | 'rounds' = 'steps';
  let stage: Stage | undefined;
  const canvas = el('canvas', { width, height, role: 'img', 'aria-label': 'The Mandelbrot set' });
  const into = el('button', { type: 'button' }, 'Zoom in');
  const out = el('button', { type: 'button' }, 'Zoom out');
  const exhibit = new Exhibit(
    {
      id: 'mandelbrot',
      title: 'A Mandelbrot set with votes',
      about:
        'A warp has 8 × 4 pixels. After every 16 steps its lanes vote, and the warp ends when all of them have escaped. The other picture shows the number of votes of each warp. Click a place to zoom in.',
      file: 'mandelbrot',
      per: 'picture',
    },
    mandelbrotPlan(width, height, most, whole),
    'Draw',
    into,
    out,
    choice(
      'shown',
      [
        ['steps', 'steps of each pixel'],
        ['rounds', 'votes of each warp'],
      ],
      shows,
      (value) => {
        shows = value === 'rounds' ? 'rounds' : 'steps';
        void exhibit.attempt(draw);
      },
    ),
  );
  const draw = async (): Promise<void> => {
    const plan = mandelbrotPlan(width, height, most, place);
    stage ??= await exhibit.open(plan);
    const begin = performance.now();
    stage.run(plan.launches);
    const values = await stage.at(shows).read(Int32Array);
    const ms = performance.now() - begin;
    paint(canvas, values, shows === 'rounds' ? 16 : 1);
    exhibit.picture.replaceChildren(canvas);
    exhibit.say(
      `Drawn and read back in ${ms.toFixed(ms < 10 ? 1 : 0)} ms; a pixel is ${place.size.toExponential(1)} wide.`,
    );
  };
  const zoom = (next: MandelbrotPlace): void => {
    // In f32, smaller pixels would have equal coordinates.
    place = { ...next, size: Math.min(Math.max(next.size, 2e-7), whole.size) };
    void exhibit.attempt(draw);
  };
  exhibit.start.addEventListener('click', () => void exhibit.attempt(draw));
  into.addEventListener('click', () => zoom({ ...place, size: place.size / 2 }));
  out.addEventListener('click', () => zoom({ ...place, size: place.size * 2 }));
  canvas.addEventListener('click', (event) => {
    const scale = width / canvas.clientWidth;
    const x = place.x + (event.offsetX * scale - width / 2) * place.size;
    const y = place.y + (event.offsetY * scale - height / 2) * place.size;
    zoom({ x, y, size: place.size / 2 });
  });
  return exhibit.root;
}

/**
 * Draws the points in colors that depend on their values. Points that never escape are dark; the
 * colors of the others range from blue to yellow.
 */
function paint(canvas: HTMLCanvasElement, values: Int32Array, unit: number): void {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the canvas lacks a 2D context');
  const image = context.createImageData(canvas.width, canvas.height);
  values.forEach((value, at) => {
    const steps = value * unit;
    const light = steps < 0 || steps >= most ? 0 : Math.log2(1 + steps) / 9;
    const colour = [255 * light ** 1.6, 225 * light ** 1.2, 90 + 150 * Math.sin(Math.PI * light), 255];
    image.data.set(light === 0 && steps !== 0 ? [12, 16, 28, 255] : colour, 4 * at);
  });
  context.putImageData(image, 0, 0);
}
