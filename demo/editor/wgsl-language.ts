// Syntax colors for WGSL.
import { StreamLanguage } from '@codemirror/language';

const keywords = new Set(
  (
    'break case const continue continuing default diagnostic else enable fn for if let loop override requires return ' +
    'struct switch var while true false'
  ).split(' '),
);
const types = /^(?:[iuf]32|f16|bool|vec[234][iuf]?|array|atomic|ptr|mat\dx\d)$/;

export const wgslLanguage = StreamLanguage.define({
  name: 'wgsl',
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^@\w+/)) return 'meta';
    if (stream.match(/^0[xX][\da-fA-F]+[iu]?|^\d[\d.]*(?:[eE][+-]?\d+)?[iufh]?/)) return 'number';
    if (stream.match(/^[A-Za-z_]\w*/)) {
      const word = stream.current();
      if (keywords.has(word)) return 'keyword';
      if (types.test(word)) return 'typeName';
      return stream.peek() === '(' ? 'labelName' : 'variableName';
    }
    stream.next();
    return 'operator';
  },
});
