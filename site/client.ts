// The script of a documentation page. Without this script, the page lacks only the search.
import './site.css';
import { startSearch } from './search.ts';

const field = document.getElementById('search');
const { root = '', search = '' } = document.documentElement.dataset;
if (field instanceof HTMLInputElement) startSearch(field, root, search);
