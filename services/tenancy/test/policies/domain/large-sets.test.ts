import { createLog } from '@botyard/shared/log/log';
import { afterEach, expect, test } from 'vitest';
import { createPolicyEngine, type PolicySet } from '../../../src/policies/domain/engine.ts';
import { LargeSets } from '../../../src/policies/domain/large-sets.ts';
import { toMessageRequest } from '../../../src/policies/domain/requests.ts';

const log = createLog('test', 'silent');
let largeSets: LargeSets | undefined;
afterEach(() => largeSets?.close());

const request = toMessageRequest(
  {
    tenantId: 't',
    platform: 'messenger',
    chatKind: 'group',
    platformChatId: '7',
    bot: { botId: 'b', name: 'Support', isEnabled: true },
    sender: { platformUserId: '1', name: 'Anna' },
  },
  new Date(),
);
const when = (condition: string) =>
  `forbid(principal is Person, action == Action::"sendMessage", resource) when { ${condition} };`;
const setOf = (tenantId: string, ...texts: string[]): PolicySet => ({
  tenantId,
  revision: '1',
  policies: texts.map((text, index) => ({ policyId: `id-${index}`, name: `policy ${index}`, text })),
});
/** As it could be stored before there were limits: 100 texts of 10,000 characters, 3 to 11 s for a decision. */
const bomb = (tenantId: string) =>
  setOf(
    tenantId,
    ...Array.from({ length: 100 }, () => when(`"${'a'.repeat(4900)}" like "*${'a'.repeat(2450)}b*"`)),
  );
const names = Array.from({ length: 800 }, (_none, index) => `"n${index}"`).join(', ');
const honest = (tenantId: string, ...more: string[]) =>
  setOf(tenantId, when(`[${names}].contains(principal.name)`), ...more);

test('a large set decides in the thread as it would here', async () => {
  largeSets = new LargeSets({ log });
  const engine = createPolicyEngine();
  const sets = [
    honest('a'),
    honest('b', when('principal.name like "An*"')),
    honest('c', when('context.hour * 9223372036854775807 > 5 || context.hour == 0')),
    setOf('d', 'forbid('),
  ];
  const expected = sets.map((set) => engine.decide(set, request));
  expect(expected.map(({ isAllowed }) => isAllowed)).toEqual([true, false, false, false]);
  expect(await Promise.all(sets.map((set) => largeSets?.decide(set, request)))).toEqual(expected);
});

test('C-01: a decision that takes too long is refused for its tenant alone, also the next time, while others are decided', async () => {
  largeSets = new LargeSets({ log, budget: { cpuMs: 100, totalMs: 20_000 } });
  const here = createPolicyEngine();
  const small = setOf('small', when('principal.name == "Nobody"'));
  let ticks = 0;
  let longestMs = 0;
  let isOver = false;
  const other = (async () => {
    for (let last = performance.now(); !isOver; last = performance.now()) {
      expect(here.decide(small, request)).toEqual({ isAllowed: true });
      await new Promise((resolve) => setImmediate(resolve));
      ticks += 1;
      longestMs = Math.max(longestMs, performance.now() - last);
    }
  })();
  const hostile = Array.from({ length: 20 }, () => largeSets?.decide(bomb('hostile'), request));
  const decent = Array.from({ length: 20 }, () => largeSets?.decide(honest('honest'), request));
  const refused = { isAllowed: false, reason: 'policy failed', policies: [] };
  expect(await Promise.all(decent)).toEqual(decent.map(() => ({ isAllowed: true })));
  expect(await Promise.all(hostile)).toEqual(hostile.map(() => refused));
  isOver = true;
  await other;
  expect(ticks).toBeGreaterThan(20);
  process.stdout.write(
    `${ticks} other decisions meanwhile, the longest wait was ${longestMs.toFixed(0)} ms\n`,
  );
  const changed = { ...honest('hostile'), revision: '2' };
  expect(await largeSets.decide(changed, request)).toEqual({ isAllowed: true });
});

test("a tenant has a bounded number of pending decisions, which don't delay another tenant's", async () => {
  largeSets = new LargeSets({ log });
  const decisions = Array.from({ length: 80 }, () => largeSets?.decide(honest('loud'), request));
  const settled = Promise.allSettled(decisions);
  const order: string[] = [];
  void decisions[64]?.then(() => order.push('loud'));
  await largeSets.decide(honest('quiet'), request).then(() => order.push('quiet'));
  const refusals = (await settled).filter(({ status }) => status === 'rejected');
  expect(refusals.map((one) => 'reason' in one && one.reason.status)).toEqual(Array(15).fill(503));
  expect(order).toEqual(['quiet', 'loud']);
});
