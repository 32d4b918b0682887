import { describe, expect, test } from 'vitest';
import { Series } from '../measure/series.ts';
import { orLeftOut } from '../peers/fetch/left-out.ts';
import { aimsTable, atLeast, atMost } from '../report/aims.ts';

const series = new Series();
for (const [ours, theirs] of [
  [1, 4],
  [2, 4],
  [9, 10],
] as const) {
  series.add('ours', { cpu: ours });
  series.add('theirs', { cpu: theirs });
}

describe('aims', () => {
  test('are judged by the median of the ratios within each round', () => {
    const measured = series.ratio('ours', 'theirs', 'cpu');
    expect(measured?.median).toBe(0.5);
    expect(atMost(0.5, { id: 'A', what: 'a', measured }).isMet).toBe(true);
    expect(atMost(0.49, { id: 'A', what: 'a', measured }).isMet).toBe(false);
    expect(atLeast(0.51, { id: 'A', what: 'a', measured }).isMet).toBe(false);
  });

  test('without the peer they are neither met nor missed', () => {
    const aim = atMost(1, { id: 'A', what: 'a', measured: series.ratio('ours', 'nobody', 'cpu') });
    expect(aim.isMet).toBeUndefined();
    expect(aimsTable([aim]).rows).toEqual([['A', 'a', '≤ 1.00 ×', '-', 'not measured']]);
  });
});

test('a peer that is not available is omitted, and the notes name it with the reason', async () => {
  const notes: string[] = [];
  const absent = await orLeftOut({ name: 'Absent', notes }, () =>
    Promise.reject(new Error('no compiler\nat x')),
  );
  const present = await orLeftOut({ name: 'Present', notes }, () => Promise.resolve('here'));
  expect([absent, present]).toEqual([[], ['here']]);
  expect(notes).toEqual(['LEFT OUT: Absent is not available on this machine: no compiler']);
});
