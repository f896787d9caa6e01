// All lessons in order, and the sources of each.
import type { Lesson } from './lesson.ts';

export interface ListedLesson extends Lesson {
  /** The name of the lesson's folder, which also identifies it in links. */
  readonly id: string;
  /** The number of the lesson, from 1. */
  readonly number: number;
}

/** A CUDA source with its PTX. */
export interface Prepared {
  readonly cuda: string;
  readonly ptx: string;
}

const found: Readonly<Record<string, Lesson>> = import.meta.glob<Lesson>('./*/lesson.ts', {
  import: 'lesson',
  eager: true,
});

export const lessons: readonly ListedLesson[] = Object.keys(found)
  .sort()
  .flatMap((path, index) => {
    const lesson = found[path];
    const [, id] = path.split('/');
    return lesson === undefined || id === undefined ? [] : [{ ...lesson, id, number: index + 1 }];
  });

/** Returns a lesson. Throws RangeError if there is none with this id. */
export function lessonOf(id: string): ListedLesson {
  const lesson = lessons.find((each) => each.id === id);
  if (lesson === undefined) throw new RangeError(`unknown lesson ${id}`);
  return lesson;
}

const texts: Readonly<Record<string, () => Promise<string>>> = import.meta.glob<string>('./*/*.{cu,ptx}', {
  query: '?raw',
  import: 'default',
});

/** Loads the kernel at the start of a lesson, or its solution. */
export async function loadPrepared(id: string, name: 'start' | 'solution'): Promise<Prepared> {
  const load = async (extension: string): Promise<string> => {
    const path = `./${id}/${name}.${extension}`;
    const text = texts[path];
    if (text === undefined) throw new RangeError(`unknown file ${path}`);
    return await text();
  };
  const [cuda, ptx] = await Promise.all([load('cu'), load('ptx')]);
  return { cuda, ptx };
}
