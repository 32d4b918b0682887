import { expect, test } from 'vitest';
import { setLimits } from '../../../src/policies/domain/limits.ts';
import { createPolicyTrial } from '../../../src/policies/domain/trial.ts';

const harmless = 'forbid(principal is Person, action, resource) when { principal.name == "Nobody" };';
const when = (condition: string) => `forbid(principal is Person, action, resource) when { ${condition} };`;
const bomb = when(`"${'a'.repeat(4900)}" like "*${'a'.repeat(2450)}b*"`);

test('a text is measured together with the others that decide with it', async () => {
  const tryPolicy = createPolicyTrial({ budget: { cpuMs: 60_000, totalMs: 100_000 } });
  const alone = await tryPolicy({ tenantId: 'a', text: harmless, others: [] });
  expect(alone).toEqual({ issues: [], warnings: [], decisionMs: expect.any(Number) });
  expect(alone.decisionMs).toBeLessThan(setLimits.decisionMs);
  const beside = await tryPolicy({ tenantId: 'a', text: harmless, others: Array(40).fill(bomb) });
  expect(beside.issues).toEqual([]);
  expect(beside.decisionMs).toBeGreaterThan(setLimits.decisionMs);
});

test('a text beyond the limits is refused without a thread, with a remedy', async () => {
  const { issues } = await createPolicyTrial()({ tenantId: 'a', text: bomb, others: [] });
  expect(issues).toEqual([
    { path: 'text', message: 'has 4900 characters in one string; at most 500 are allowed' },
    { path: 'text', message: expect.stringMatching(/pattern of "like"; at most 200/) },
  ]);
});

test('a check that takes too long ends with its thread', async () => {
  const tryPolicy = createPolicyTrial({ budget: { cpuMs: 200, totalMs: 60_000 } });
  const { issues } = await tryPolicy({ tenantId: 'a', text: harmless, others: Array(100).fill(bomb) });
  expect(issues).toEqual([{ path: 'text', message: expect.stringMatching(/^takes too long to be checked/) }]);
});

test("C-01: one tenant's slow texts don't delay another's, and a tenant has a bounded number of pending ones", async () => {
  const tryPolicy = createPolicyTrial({ budget: { cpuMs: 400, totalMs: 60_000 }, maxWaitingOfTenant: 4 });
  const done: string[] = [];
  const slow = Array.from({ length: 6 }, () =>
    tryPolicy({ tenantId: 'slow', text: harmless, others: Array(100).fill(bomb) }).then(() =>
      done.push('slow'),
    ),
  );
  const settled = Promise.allSettled(slow);
  await tryPolicy({ tenantId: 'other', text: harmless, others: [] }).then(() => done.push('other'));
  const refused = (await settled).flatMap((one) => (one.status === 'rejected' ? [one.reason.status] : []));
  expect(refused).toEqual([503, 503]);
  // At most the one that was under way beside it.
  expect(done.indexOf('other')).toBeLessThanOrEqual(1);
  expect(done).toHaveLength(5);
});
