// The page of the gallery.
import { byId } from '../dom.ts';
import { bodiesView } from './bodies-view.ts';
import { mandelbrotView } from './mandelbrot-view.ts';
import { sortRace } from './sort-race.ts';

byId('exhibits').append(sortRace(), mandelbrotView(), bodiesView());
