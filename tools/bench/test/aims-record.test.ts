import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { atMost } from '../report/aims.ts';
import { markdownOf, type RecordedAim, withRun, withTable } from '../report/aims-record.ts';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const recordedAim: RecordedAim = {
  id: 'A1',
  what: 'gateway',
  wanted: '≤ 1.00 ×',
  measured: '3.00 ×',
  kept: 'no',
  otherWork: '-',
  date: '2026-01-01',
  command: 'npm run bench -- gateway',
};
const run = { at: new Date('2026-02-03T04:05:06Z'), command: 'npm run bench -- start', otherWork: 0.042 };
const once = (median: number) => ({ median, min: median, max: median });

test("the page's table is what the command writes of the recorded runs", async () => {
  const page = await readFile(`${docs}performance.md`, 'utf8');
  const recorded = JSON.parse(await readFile(`${docs}performance/aims.json`, 'utf8')) as RecordedAim[];
  expect(withTable(page, markdownOf(recorded))).toBe(page);
});

test('a run replaces what it has measured, adds what is new, and leaves the rest as it was', () => {
  const measuredAgain = atMost(2, { id: 'A1', what: 'gateway', measured: once(1.5) });
  const isNew = atMost(4, { id: 'B1', what: 'start', unit: 's', measured: once(5) });
  const absent = atMost(1, { id: 'A2', what: 'peer', measured: undefined });
  const other = { ...recordedAim, id: 'A2', what: 'peer' };
  expect(withRun([recordedAim, other], [measuredAgain, isNew, absent], run)).toEqual([
    {
      id: 'A1',
      what: 'gateway',
      wanted: '≤ 2.00 ×',
      measured: '1.50 ×',
      kept: 'yes',
      otherWork: '4 %',
      date: '2026-02-03',
      command: run.command,
    },
    other,
    {
      id: 'B1',
      what: 'start',
      wanted: '≤ 4.00 s',
      measured: '5.00 s',
      kept: 'no',
      otherWork: '4 %',
      date: '2026-02-03',
      command: run.command,
    },
  ]);
});

test('a page without markers is left alone', () => {
  expect(() => withTable('# A page', markdownOf([recordedAim]))).toThrow('no markers');
});
