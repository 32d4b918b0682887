import { afterAll, expect, test } from 'vitest';
import { Calculator } from '../../../src/tools/domain/calculator.ts';

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

test('a faulty expression is refused with the reason', async () => {
  await expect(calculate('foo + 1')).rejects.toMatchObject({
    outcome: 'refused',
    message: 'foo is no constant and no unit',
  });
});

test.each(['1e9!', '3 ^ 3 ^ 3 ^ 3 ^ 3', '5!!!', 'combinations(1e9, 5e8)', 'sinh(1e10)'])(
  '%s ends soon, with any result, and the next calculation is made',
  async (expression) => {
    await expect(calculate(expression)).rejects.toMatchObject({ outcome: 'refused' });
    expect(await calculate('6 * 7')).toBe('42');
  },
);

test('a tenant that keeps it busy waits for itself; others are next', async () => {
  const ended: string[] = [];
  const end = (name: string) => () => void ended.push(name);
  const slow = Array.from({ length: 3 }, () => calculate('1e9!', 'flooding').catch(end('slow')));
  const quick = Array.from({ length: 2 }, () => calculate('6 * 7', 'quiet').then(end('quick')));
  await Promise.all([...slow, ...quick]);
  expect(ended).toEqual(['slow', 'quick', 'slow', 'quick', 'slow']);
});

test('more than so many do not wait', async () => {
  const all = await Promise.allSettled(Array.from({ length: 40 }, () => calculate('1 + 1')));
  const refused = all.filter((end) => end.status === 'rejected');
  expect(refused.map(({ reason }) => reason.message)).toEqual(refused.map(() => 'the calculator is busy'));
  expect(refused.length).toBe(23);
});

test('a turn that was stopped calculates nothing', async () => {
  const stopped = AbortSignal.abort(new Error('stopping'));
  await expect(calculator.calculate('tenant', '1 + 1', stopped)).rejects.toThrow('stopping');
});

test('after it was stopped it begins again', async () => {
  await calculator.stop();
  expect(await calculate('1 + 2')).toBe('3');
});
