// The script of a documentation page. Without this script, only the search does not work.
import './site.css';
import { startSearch } from './search.ts';

const field = document.getElementById('search');
const { root = '', search = '' } = document.documentElement.dataset;
if (field instanceof HTMLInputElement) startSearch(field, root, search);
