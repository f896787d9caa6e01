// Shows the list of lessons, the text of a lesson, and verdicts.
import { byId, el } from '../dom.ts';
import { timeText } from '../format.ts';
import { adapterText } from '../views/gpu-card.ts';
import type { Failure } from './check-outputs.ts';
import type { GpuResult } from './gpu-check.ts';
import { chapters } from './lesson.ts';
import { type ListedLesson, lessons } from './list.ts';
import type { LessonProgress } from './progress.ts';

/** Scrolls the list to the current lesson, but not the page around it. */
export function scrollToCurrent(): void {
  const list = byId('contents');
  const current = list.querySelector<HTMLElement>('[aria-current]');
  if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}

/** Returns a text in which the parts between backticks are code. */
export const inline = (text: string): (Node | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : el('code', {}, part)));

export function showList(current: ListedLesson, progress: LessonProgress): void {
  const item = ({ id, number, title }: ListedLesson): HTMLElement => {
    const passed = progress.hasPassed(id) && el('span', { class: 'passed', role: 'img', 'aria-label': 'passed' }, '✓');
    const attributes = { href: `#${id}`, 'aria-current': id === current.id ? 'page' : undefined };
    return el('li', { value: number }, el('a', attributes, title), ' ', passed);
  };
  byId('lesson-list').replaceChildren(
    ...chapters.flatMap((chapter) => {
      const own = lessons.filter((lesson) => lesson.chapter === chapter);
      return own.length === 0 ? [] : [el('h3', {}, chapter), el('ol', {}, ...own.map(item))];
    }),
  );
  byId('contents-summary').textContent = `All lessons: ${progress.passedCount} of ${lessons.length} passed`;
}

export function showText({ number, chapter, title, text, hint }: ListedLesson): void {
  byId('lesson-chapter').textContent = `Lesson ${number} of ${lessons.length} · ${chapter}`;
  byId('lesson-title').textContent = title;
  byId('lesson-text').replaceChildren(...text.map((paragraph) => el('p', {}, ...inline(paragraph))));
  byId('lesson-hint').removeAttribute('open');
  byId('lesson-hint-text').replaceChildren(...inline(hint));
}

/** Shows why a kernel has failed. `onJump` is called with a line of the source. */
export function failureView({ title, text, hint, line }: Failure, onJump: (line: number) => void): HTMLElement {
  const jump = line !== undefined && [
    el('button', { type: 'button', class: 'link', onclick: () => onJump(line) }, `Line ${line}`),
    ': ',
  ];
  return el(
    'div',
    { class: 'verdict-differs' },
    el('strong', {}, `${title}.`),
    ' ',
    ...(jump || []),
    ...inline(text),
    hint !== undefined && el('div', { class: 'hint' }, ...inline(hint)),
  );
}

export function passedView(trials: number, next: ListedLesson | undefined): HTMLElement {
  const text = ` The reference ran ${trials} launches with random inputs, and found no wrong result, race or access out of bounds. `;
  const link = next && el('a', { href: `#${next.id}` }, `Next lesson: ${next.title}`);
  return el('div', { class: 'verdict-agrees' }, el('strong', {}, 'Passed.'), text, link);
}

/** Shows the result of the GPU. `best` is the time of the solution in milliseconds, if it was measured. */
export function gpuView({ info, launch, time }: GpuResult, best: number | undefined): HTMLElement {
  const measured = time && [
    el('dt', {}, 'Your kernel'),
    el('dd', {}, `${timeText(time.spread.median)} per launch`),
    ...(best === undefined ? [] : [el('dt', {}, 'The solution'), el('dd', {}, `${timeText(best)} per launch`)]),
  ];
  return el(
    'div',
    {},
    el('h3', {}, info.report.adapter?.software ? 'On this software adapter' : 'On this GPU'),
    el('p', {}, 'The results are correct for a launch with ', ...inline(launch), '.'),
    measured && el('dl', { class: 'facts' }, ...measured),
    el('p', { class: 'note' }, adapterText(info)),
  );
}
