// The control tree: what its passes make of a kernel, as text, and what the verifier refuses.
import { describe, expect, it } from 'vitest';
import { planFor } from '../../../../src/base/lane-plan.ts';
import { lowerControl } from '../../../../src/translate/control/index.ts';
import { printControl } from '../../../../src/translate/control/print.ts';
import { mapLists, type Tree } from '../../../../src/translate/control/tree.ts';
import { assertControl } from '../../../../src/translate/control/verify.ts';
import { parseProgram } from '../../../../src/translate/ir/parse.ts';

/** Lanes leave a loop one after the other; those in it shuffle. Behind it, two arms have votes. */
const divergentLoop = `
kernel k {
b0:
  %lane:i32 = special.i32 "%laneid"
  jump b1(0, %lane)
b1(%round:i32, %x:i32):
  %next:i32 = iadd %round, 1
  %ends:i1 = icmp.uge %round, %lane
  branch %ends, b3(%x), b2
b2:
  %moved:i32 = warp "shfl" {mode: down}, %x, 1, 31
  jump b1(%next, %moved)
b3(%sum:i32):
  %odd:i1 = icmp.ult %sum, 7
  branch %odd, b4, b5
b4:
  %some:i32 = warp "vote.ballot" {}, %odd
  jump b6(%some)
b5:
  jump b6(1)
b6(%result:i32):
  store.i32 buffer(0)[%lane*4], %result
  exit
}
`;

const loopOfMoves = `
kernel k {
b0:
  jump b1(0)
b1(%i:i32):
  %next:i32 = iadd %i, 1
  %more:i1 = icmp.ult %next, 4
  branch %more, b1(%next), b2
b2:
  store.i32 buffer(0)[0], %i
  exit
}
`;

function lowered(text: string, obstacle?: string) {
  const { kernel } = parseProgram(text).program;
  const seen: string[] = [];
  const control = lowerControl(kernel, {
    plan: planFor(32),
    block: [32, 1, 1],
    mapping: obstacle === undefined && text === loopOfMoves ? 'threads' : 'warps',
    sinksRest: false,
    facts: () => ({ isUniform: () => false, isProvable: () => false, obstacle }),
    observe: (pass, tree) => void seen.push(`${pass}: ${printControl(kernel, tree)}`),
  });
  return { ...control, kernel, seen };
}

describe('the control tree', () => {
  it('of a divergent loop has the loop, then masks', () => {
    const { seen, mode } = lowered(divergentLoop);
    expect(mode).toBe('structured');
    expect(seen.join('\n')).toMatchInlineSnapshot(`
      "structure: control k {
        %lane:i32 = special.i32 "%laneid"
        move %round:i32 = 0, %x:i32 = %lane
        loop L0 exits L1 {
          %next:i32 = iadd %round, 1
          %ends:i1 = icmp.uge %round, %lane
          if %ends {
            move %sum:i32 = %x
            break L1
          }
          %moved:i32 = warp "shfl" {mode: down}, %x, 1, 31
          move %round:i32 = %next, %x:i32 = %moved
        }
        %odd:i1 = icmp.ult %sum, 7
        if %odd {
          %some:i32 = warp "vote.ballot" {}, %odd
          move %result:i32 = %some
        } else {
          move %result:i32 = 1
        }
        store.i32 buffer(0)[%lane*4], %result
        exit
      }

      lower-control: control k {
        mask start break L0
        lanes {
          %lane:i32 = special.i32 "%laneid"
          move %round:i32 = 0, %x:i32 = %lane
        }
        loop L1 exits L0 vote subgroup {
          lanes {
            %next:i32 = iadd %round, 1
            %ends:i1 = icmp.uge %round, %lane
          }
          lanes masked {
            if %ends {
              move %sum:i32 = %x
              mask leave until break L0
            }
          }
          collective %moved:i32 = warp "shfl" {mode: down}, %x, 1, 31
          lanes {
            move %round:i32 = %next, %x:i32 = %moved
          }
        }
        mask rejoin break L0
        lanes {
          %odd:i1 = icmp.ult %sum, 7
        }
        mask split %odd
        any subgroup {
          collective %some:i32 = warp "vote.ballot" {}, %odd
          lanes masked {
            move %result:i32 = %some
          }
        }
        mask other
        any subgroup {
          lanes masked {
            move %result:i32 = 1
          }
        }
        mask join
        lanes masked {
          store.i32 buffer(0)[%lane*4], %result
        }
      }
      "
    `);
  });

  it('of the same loop, dispatched, has a case for each place where lanes go on', () => {
    const { seen, mode } = lowered(divergentLoop, 'lanes are missing');
    expect(mode).toBe('dispatch');
    expect(seen.at(-1)).toMatchInlineSnapshot(`
      "lower-control: control k {
        dispatch {
          wait 1 = class 1
          wait 2 = class 2
          wait 3 = turn 1
          releases class 2, turn 1, class 1
          case 0 {
            %lane:i32 = special.i32 "%laneid"
            move %round:i32 = 0, %x:i32 = %lane
            goto 1
          }
          case 1 {
            %next:i32 = iadd %round, 1
            %ends:i1 = icmp.uge %round, %lane
            if %ends {
              move %sum:i32 = %x
              %odd:i1 = icmp.ult %sum, 7
              if %odd {
                wait class 1, goto 7: %some:i32 = warp "vote.ballot" {}, %odd
              } else {
                move %result:i32 = 1
                goto 5
              }
            } else {
              wait class 2, goto 9: %moved:i32 = warp "shfl" {mode: down}, %x, 1, 31
            }
          }
          case 5 {
            store.i32 buffer(0)[%lane*4], %result
            exit
          }
          case 7 {
            resume %some
            move %result:i32 = %some
            goto 5
          }
          case 9 {
            resume %moved
            move %round:i32 = %next, %x:i32 = %moved
            wait turn 1, goto 1
          }
        }
      }
      "
    `);
  });

  it('of threads without collectives is the structure alone', () => {
    const { seen, mode } = lowered(loopOfMoves);
    expect(mode).toBe('threads');
    expect(seen.at(-1)).toMatchInlineSnapshot(`
      "lower-control: control k {
        move %i:i32 = 0
        loop L0 exits L1 {
          %next:i32 = iadd %i, 1
          %more:i1 = icmp.ult %next, 4
          if %more {
          } else {
            break L1
          }
          move %i:i32 = %next
        }
        store.i32 buffer(0)[0], %i
      }
      "
    `);
  });
});

describe('the verifier of the control tree', () => {
  type Change = (tree: Tree) => readonly Tree[] | undefined;

  /** The tree with the first that `change` takes changed. */
  function changed(list: readonly Tree[], change: Change): readonly Tree[] {
    let isDone = false;
    const inside = (trees: readonly Tree[]): readonly Tree[] =>
      trees.flatMap((tree) => {
        const own = isDone ? undefined : change(tree);
        if (own !== undefined) isDone = true;
        return own ?? [mapLists(tree, inside)];
      });
    const result = inside(list);
    expect(isDone).toBe(true);
    return result;
  }

  const drop =
    (test: (tree: Tree) => boolean): Change =>
    (tree) =>
      test(tree) ? [] : undefined;

  it.each([divergentLoop, loopOfMoves])('takes what the passes make', (text) => {
    for (const obstacle of [undefined, 'lanes are missing']) {
      const { kernel, tree } = lowered(text, obstacle);
      expect(() => assertControl(kernel, tree)).not.toThrow();
    }
  });

  it.each<readonly [string, Change, string]>([
    ['a value that nothing defines', drop(({ kind }) => kind === 'code'), 'where it is not defined'],
    [
      'a parameter that gets no value',
      (tree) =>
        tree.kind === 'lanes' ? [{ ...tree, body: tree.body.filter(({ kind }) => kind !== 'move') }] : undefined,
      'where it is not defined',
    ],
    [
      'an arm that is not joined',
      drop((tree) => tree.kind === 'mask' && tree.change.op === 'join'),
      'a mask that is other is not joined',
    ],
    [
      'an arm that is joined before the other',
      drop((tree) => tree.kind === 'mask' && tree.change.op === 'other'),
      'mask join without the other arm',
    ],
    [
      'a collective in lane code',
      (tree) => (tree.kind === 'collective' ? [{ kind: 'lanes', masked: true, body: [tree] }] : undefined),
      'stands in lane code',
    ],
    [
      'a change of all masks in lane code',
      (tree) =>
        tree.kind === 'mask' && tree.change.op === 'split'
          ? [{ kind: 'lanes', masked: true, body: [tree] }]
          : undefined,
      'mask split stands in lane code',
    ],
    [
      'a barrier that only a subgroup decides on',
      (tree) => {
        if (tree.kind !== 'collective') return undefined;
        const barrier = parseProgram('kernel k {\nb0:\n  barrier.sync 0\n  exit\n}\n').program.kernel.blocks[0]
          ?.insts[0];
        if (barrier?.op !== 'barrier') throw new Error('a barrier was expected');
        return [{ kind: 'collective', inst: barrier, keeps: false }];
      },
      'where the block may not come together',
    ],
  ])('refuses %s', (_, change, message) => {
    const { kernel, tree } = lowered(divergentLoop);
    expect(() => assertControl(kernel, changed(tree, change))).toThrow(message);
  });

  it('refuses a jump out of nothing', () => {
    const { kernel, tree } = lowered(loopOfMoves);
    const without = changed(tree, (each) => (each.kind === 'loop' ? each.body : undefined));
    expect(() => assertControl(kernel, without)).toThrow('leads to no construct around it');
  });

  it.each<readonly [string, Change, string]>([
    [
      'a case that is not there',
      (tree) =>
        tree.kind === 'dispatch'
          ? [{ kind: 'dispatch', dispatch: { ...tree.dispatch, cases: tree.dispatch.cases.slice(0, -1) } }]
          : undefined,
      'no case has the number',
    ],
    [
      'a wait without a number',
      (tree) =>
        tree.kind === 'dispatch' ? [{ kind: 'dispatch', dispatch: { ...tree.dispatch, waits: [] } }] : undefined,
      'has no number',
    ],
    ['results that nobody takes', drop(({ kind }) => kind === 'resume'), 'where it is not defined'],
  ])('refuses, in a dispatch, %s', (_, change, message) => {
    const { kernel, tree } = lowered(divergentLoop, 'lanes are missing');
    expect(() => assertControl(kernel, changed(tree, change))).toThrow(message);
  });
});
