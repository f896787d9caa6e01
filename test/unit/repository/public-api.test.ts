// Every public symbol has a docstring, because editors and the reference show it.
import { describe, expect, it } from 'vitest';
import { publicSymbols } from '../../../scripts/public-api.mjs';

const entries = ['lanewise', 'lanewise/node', 'lanewise/runtime'] as const;

describe.each(entries)('%s', (entry) => {
  const symbols = publicSymbols(entry);

  it('exports symbols, classes with members among them', () => {
    expect(symbols.length).toBeGreaterThan(20);
    expect(symbols.some(({ kind, members }) => kind === 'class' && members.length > 1)).toBe(true);
  });

  it('has a docstring for every symbol', () => {
    expect(symbols.filter(({ doc }) => doc === '').map(({ file, line, name }) => `${file}:${line} ${name}`)).toEqual(
      [],
    );
  });

  it('has a docstring for every member of a class or interface', () => {
    const bare = symbols.flatMap(({ name, members }) =>
      members.filter(({ doc }) => doc === '').map((member) => `${name}: ${member.signature}`),
    );
    expect(bare).toEqual([]);
  });
});

describe('the examples', () => {
  it.each(entries)('of %s exist', (entry) => {
    const examples = publicSymbols(entry).filter(({ doc }) => doc.includes(`from '${entry}'`));
    expect(examples.length).toBeGreaterThan(0);
  });
});
