// Syntax colors for CUDA C++.
import { StreamLanguage, type StreamParser } from '@codemirror/language';

const keywords = new Set(
  (
    'alignas auto break case class const constexpr continue decltype default delete do else enum explicit extern false ' +
    'for friend if inline namespace new noexcept nullptr operator private protected public return sizeof static ' +
    'static_assert struct switch template this true typedef typename union using virtual volatile while'
  ).split(' '),
);
const types =
  /^(?:bool|char|double|float|half|int|long|short|signed|unsigned|void|u?int\d+_t|size_t|__half2?|__nv_bfloat16\d?|(?:u?(?:char|short|int|long|longlong)|float|double)[1234]|dim3)$/;
const special = /^(?:__\w+__|threadIdx|blockIdx|blockDim|gridDim|warpSize)$/;

interface State {
  isComment: boolean;
}

const parser: StreamParser<State> = {
  name: 'cuda',
  startState: () => ({ isComment: false }),
  token(stream, state) {
    if (state.isComment || stream.match('/*')) {
      state.isComment = !stream.match(/^.*?\*\//);
      if (state.isComment) stream.skipToEnd();
      return 'comment';
    }
    if (stream.sol() && stream.match(/^\s*#\s*\w+/)) return 'meta';
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^"(?:\\.|[^"\\])*"?|^'(?:\\.|[^'\\])*'?/)) return 'string';
    if (stream.match(/^(?:0[xX][\da-fA-F']+|\.?\d[\d.']*(?:[eE][+-]?\d+)?)[uUlLfF]*/)) return 'number';
    if (stream.match(/^[A-Za-z_]\w*/)) {
      const word = stream.current();
      if (special.test(word)) return 'atom';
      if (keywords.has(word)) return 'keyword';
      if (types.test(word)) return 'typeName';
      return stream.peek() === '(' ? 'labelName' : 'variableName';
    }
    stream.next();
    return 'operator';
  },
};

export const cudaLanguage = StreamLanguage.define(parser);
