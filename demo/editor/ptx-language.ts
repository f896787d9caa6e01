// Syntax colors for PTX and SASS. The colors only distinguish kinds of words; the parser finds
// errors.
import { StreamLanguage, type StringStream } from '@codemirror/language';
import { specialRegisters } from '../../src/isa/index.ts';
import { opcodeWords } from '../../src/isa/match.ts';

const words = new Set(opcodeWords());
const sassWords = new Set(['SHFL', 'FADD', 'SEL']);
const special = new Set(specialRegisters.map(({ name }) => name));

interface State {
  inComment: boolean;
}

function token(stream: StringStream, state: State): string | null {
  if (state.inComment || stream.match('/*')) {
    state.inComment = !stream.skipTo('*/');
    if (state.inComment) stream.skipToEnd();
    else stream.match('*/');
    return 'comment';
  }
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match(/^"[^"]*"?/)) return 'string';
  if (stream.match(/^@!?/)) return 'operator';
  if (stream.match(/^0[fFdD][\da-fA-F]+|^0[xX][\da-fA-F]+U?|^0[bB][01]+U?|^\d[\d.]*(?:[eE][+-]?\d+)?U?/))
    return 'number';
  if (stream.match(/^\.[\w:]+/)) return 'typeName';
  if (stream.match(/^%?[A-Za-z_$][\w$]*(?:\.[xyz]\b)?/)) return wordStyle(stream.current(), stream.peek());
  stream.next();
  return /[{}()[\],;:]/.test(stream.current()) ? 'punctuation' : 'operator';
}

function wordStyle(text: string, next: string | undefined): string {
  if (special.has(text)) return 'atom';
  if (next === ':') return 'labelName';
  return words.has(text) || sassWords.has(text) ? 'keyword' : 'variableName';
}

export const ptxLanguage = StreamLanguage.define<State>({
  name: 'ptx',
  startState: () => ({ inComment: false }),
  token,
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } }, wordChars: '%$' },
});
