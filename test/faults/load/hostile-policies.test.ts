import { randomUUID } from 'node:crypto';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPolicyEngine } from '../../../services/tenancy/src/policies/domain/engine.ts';
import { sampleRequests } from '../../../services/tenancy/src/policies/domain/worst-case.ts';
import { printFigures } from '../rig/history.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const requests = isFull ? 2000 : 100;

let harness: ServiceHarness;
let tenancy: TestService;
let usage: TestService;
let hostile: People;
let large: People;
let other: People;
beforeAll(async () => {
  harness = await ServiceHarness.open();
  tenancy = await harness.startProcess('tenancy');
  usage = await harness.startProcess('usage');
  [hostile, large, other] = await Promise.all([
    createTenantWithPeople(harness, tenancy),
    createTenantWithPeople(harness, tenancy),
    createTenantWithPeople(harness, tenancy),
  ]);
});
afterAll(() => harness?.close());

const when = (condition: string) => `forbid(principal is User, action, resource) when { ${condition} };`;
/** As it could be saved before there were limits. */
const bombs = Array.from({ length: 100 }, () => when(`"${'a'.repeat(4900)}" like "*${'a'.repeat(2450)}b*"`));
/** As bad as it can be saved. */
const numbers = Array.from({ length: 500 }, (_none, index) => `{a: ${index}}`).join(', ');
const worst = when(`[${numbers}].containsAll([${numbers}]) && context.hour > 30`);

const store = (tenantId: string, texts: readonly string[]) =>
  harness.asOwner(
    `insert into tenancy.policies (tenant_id, policy_id, name, text)
     select $1, tenancy.new_id(), 'stored ' || n, text from unnest($2::text[]) with ordinality as t (text, n)`,
    [tenantId, texts],
  );

/** How long one decision by the stored set would keep the process from everything else. */
function decisionMs(): number {
  const policies = bombs.map((text, index) => ({ policyId: `p${index}`, name: '', text }));
  const [request] = sampleRequests();
  const beganAt = performance.now();
  createPolicyEngine().decide({ tenantId: 't', revision: '1', policies }, request!);
  return performance.now() - beganAt;
}

/** Calls repeatedly until it is stopped. Resolves with the number of answers by status. */
function repeat(
  calls: readonly (() => Promise<{ status: number }>)[],
): () => Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let isOver = false;
  const loops = calls.map(async (call) => {
    while (!isOver) {
      const { status } = await call();
      counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(loops);
    return counts;
  };
}

test(`C-01: a tenant's worst policies are saved, tried and decided, and another tenant's ${requests} requests are answered`, async () => {
  const alone = decisionMs();
  await store(hostile.tenantId, bombs);
  await store(other.tenantId, [when('context.method == "TRACE"')]);
  const by =
    (people: People, path: string, service = tenancy) =>
    () =>
      service.call('GET', path.replace(':tenantId', people.tenantId), { as: people.admin });
  const post = (people: People, path: string, text: string) => () =>
    tenancy.call('POST', `/api/auth/policies${path}`, {
      as: people.admin,
      body: { name: randomUUID(), text },
    });
  const decided = repeat([
    by(hostile, '/api/bots/tenants/:tenantId'),
    by(hostile, '/api/usage/:tenantId/check', usage),
  ]);
  const decidedInThread = repeat([by(large, '/api/bots/tenants/:tenantId')]);
  const tried = repeat([
    post(hostile, '', worst),
    post(large, '', worst),
    post(hostile, '/validate', worst),
    post(hostile, '/validate', bombs[0]!),
  ]);
  const answers: Record<string, number> = {};
  const longestMs = { read: 0, check: 0 };
  const reads = [by(other, '/api/bots/tenants/:tenantId'), by(other, '/api/usage/:tenantId/check', usage)];
  const check = post(other, '/validate', 'forbid(');
  let unanswered = 0;
  for (let number = 0; number < requests; number += 1) {
    // Checking a policy starts a thread: seldom.
    const kind = number % 20 === 19 ? 'check' : 'read';
    const call = kind === 'check' ? check : reads[number % 2]!;
    const beganAt = performance.now();
    let { status } = await call();
    longestMs[kind] = Math.max(longestMs[kind], performance.now() - beganAt);
    // A question over the bus has its deadline, which a machine that does much else can miss.
    for (; status === 503 && unanswered < requests / 10; unanswered += 1) ({ status } = await call());
    answers[status] = (answers[status] ?? 0) + 1;
  }
  const [ofDecisions, ofLarge, ofTries] = await Promise.all([decided(), decidedInThread(), tried()]);
  printFigures('C-01', {
    answered: requests,
    'of them asked again': unanswered,
    'longest read, ms': Math.round(longestMs.read),
    'longest check of a policy, ms': Math.round(longestMs.check),
    'one hostile decision alone, ms': Math.round(alone),
    'hostile decisions': JSON.stringify(ofDecisions),
    'large decisions': JSON.stringify(ofLarge),
    'hostile tries': JSON.stringify(ofTries),
  });
  expect(answers).toEqual({ 200: requests });
  expect(Object.keys(ofDecisions)).toContain('403');
  expect(Object.keys(ofDecisions)).not.toContain('200');
  expect(ofTries).toMatchObject({ 201: expect.any(Number) });
}, 400_000);
