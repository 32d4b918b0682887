import { expect, test } from 'vitest';
import { Program } from '../program.ts';
import { walk } from '../walk.ts';

const sources = [
  {
    path: 'a.ts',
    text: `import { save } from './b.ts';
import { find } from './c.ts';
export function run(deps: Deps, order: Order) {
  check(order);
  find(deps);
  save(deps, { order });
  deps.mailer.send(order);
  check(order);
}
const check = (order: Order) => order.id > 0;
interface Deps { mailer: Mailer }`,
  },
  {
    path: 'b.ts',
    text: `import { find } from './c.ts';
export const save = (deps: Deps, { order }: { order: Order }) => deps.within(() => find(order.id, order));`,
  },
  {
    path: 'c.ts',
    text: `export function find(one: unknown, other?: unknown) {}
export class Mailer { send(order: Order) {} }`,
  },
];

test('a walk follows one parameter through calls, closures, objects and methods, and counts returns to a file', () => {
  const program = new Program(sources);
  const stays = walk(program, program.find('a.ts', 'run'), 'order');
  expect(stays.map(({ path, functions }) => [path, ...functions.map(({ name }) => name)])).toEqual([
    ['a.ts', 'run', 'check'],
    ['b.ts', 'save'],
    ['c.ts', 'find', 'Mailer.send'],
    ['a.ts', 'check'],
  ]);
});

test('a walk without a parameter follows every call', () => {
  const program = new Program(sources);
  const stays = walk(program, program.find('a.ts', 'run'));
  expect(stays.map(({ path }) => path)).toEqual(['a.ts', 'c.ts', 'b.ts', 'c.ts', 'a.ts']);
});

test('a prepared statement is told apart from functions, and what its definition calls is followed', () => {
  const statement = {
    path: 'd.ts',
    text: `import { find } from './c.ts';
export const run = (tx: Tx) => insert(tx);
const insert = preparedStatement({ name: 'insert', values: (rows) => rows.map((row) => find(row)) });`,
  };
  const program = new Program([...sources, statement]);
  const functions = walk(program, program.find('d.ts', 'run')).flatMap((stay) => stay.functions);
  expect(functions.map(({ name, isStatement }) => [name, isStatement])).toEqual([
    ['run', false],
    ['insert', true],
    ['find', false],
  ]);
});
