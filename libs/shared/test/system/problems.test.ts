import { expect, test } from 'vitest';
import { Problems } from '../../src/system/problems.ts';

function open() {
  const lines: string[] = [];
  const time = { now: Date.parse('2026-03-01T12:00:00Z') };
  const log = { warn: (_fields: object, line: string) => lines.push(line) };
  return { lines, time, problems: new Problems({ log: log as never, now: () => time.now }) };
}
const note = { setting: 'IDP_ISSUER', cause: 'issuer', problem: 'tokens name another issuer' };

test('a problem is logged once an hour however often it occurs, and listed with its first time', () => {
  const { lines, time, problems } = open();
  for (let count = 0; count < 1000; count += 1) problems.note(note);
  expect(lines).toEqual(['IDP_ISSUER: tokens name another issuer']);
  time.now += 61 * 60_000;
  problems.note(note);
  expect(lines).toHaveLength(2);
  expect(problems.list()).toEqual([
    { setting: 'IDP_ISSUER', problem: note.problem, since: '2026-03-01T12:00:00.000Z' },
  ]);
});

test('a problem that is over is not listed, and is logged again when it returns', () => {
  const { lines, problems } = open();
  problems.note(note);
  problems.clear('IDP_ISSUER');
  expect(problems.list()).toEqual([]);
  problems.note(note);
  expect(lines).toHaveLength(2);
});

test('a problem is not listed a day after its last occurrence', () => {
  const { time, problems } = open();
  problems.note(note);
  time.now += 25 * 60 * 60_000;
  expect(problems.list()).toEqual([]);
});

test('at most 50 problems are kept, the latest ones', () => {
  const { problems } = open();
  for (let number = 0; number < 1000; number += 1) problems.note({ ...note, cause: `cause ${number}` });
  expect(problems.list()).toHaveLength(50);
});
