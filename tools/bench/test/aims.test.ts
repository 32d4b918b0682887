import { describe, expect, test } from 'vitest';
import { Series } from '../../rig/series.ts';
import { aimsTable, atMost } from '../report/aims.ts';

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
  });

  test('without the peer they are neither met nor missed', () => {
    const aim = atMost(1, { id: 'A', what: 'a', measured: series.ratio('ours', 'nobody', 'cpu') });
    expect(aim.isMet).toBeUndefined();
    expect(aimsTable([aim]).rows).toEqual([['A', 'a', '≤ 1.00 ×', '-', 'not measured']]);
  });
});
