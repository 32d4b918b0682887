import { afterAll, expect, test } from 'vitest';
import { Calculator } from '../../../src/domain/tools/calculator.ts';

const calculator = new Calculator();
const signal = new AbortController().signal;
const calculate = (expression: string, tenantId = 'tenant') =>
  calculator.calculate(tenantId, expression, signal);

afterAll(() => calculator.stop());

test('calculates in a thread, one after another', async () => {
  expect(await Promise.all(['1 + 1', '2 + 2', '3 + 3'].map((one) => calculate(one)))).toEqual([
    '2',
    '4',
    '6',
  ]);
});

test('what is wrong with an expression is said', async () => {
  await expect(calculate('foo + 1')).rejects.toMatchObject({
    outcome: 'refused',
    message: 'foo is no constant and no unit',
  });
});

test.each(['1e9!', '3 ^ 3 ^ 3 ^ 3 ^ 3', '5!!!', 'combinations(1e9, 5e8)', 'sinh(1e10)'])('%s ends soon, whatever it comes to, and the next calculation is made', async (expression) => {
  const begin = performance.now();
  await expect(calculate(expression)).rejects.toMatchObject({ outcome: 'refused' });
  expect(performance.now() - begin).toBeLessThan(5000);
  expect(await calculate('6 * 7')).toBe('42');
});

test('a tenant that keeps it busy waits for itself; others are next', async () => {
  const slow = Array.from({ length: 6 }, () => calculate('1e9!', 'flooding'));
  const other = calculate('6 * 7', 'quiet');
  const ends = await Promise.allSettled(slow);
  expect(ends.map((end) => end.status === 'rejected' && end.reason.message)).toEqual([
    ...Array.from({ length: 4 }, () => 'this takes too long to calculate'),
    ...Array.from({ length: 2 }, () => 'the calculator is busy'),
  ]);
  expect(await other).toBe('42');
});

test('a turn that was stopped calculates nothing', async () => {
  const stopped = AbortSignal.abort(new Error('stopping'));
  await expect(calculator.calculate('tenant', '1 + 1', stopped)).rejects.toThrow('stopping');
});

test('after it was stopped it begins again', async () => {
  await calculator.stop();
  expect(await calculate('1 + 2')).toBe('3');
});
