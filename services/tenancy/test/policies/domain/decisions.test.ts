import type { AccessQuestion } from '@botyard/shared/auth/caller';
import type { Database } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPolicyDecisions } from '../../../src/policies/domain/decisions.ts';
import { createPolicyEngine } from '../../../src/policies/domain/engine.ts';
import { createBot } from '../../tenancy-services.ts';
import { openPlatform, type Platform } from '../../whole-platform.ts';

let platform: Platform;
let database: Database;

beforeAll(async () => {
  platform = await openPlatform();
  database = platform.harness.databaseAs('tenancy');
});
afterAll(() => platform?.close());

const decisionsOf = (parts: Partial<Parameters<typeof createPolicyDecisions>[0]> = {}) =>
  createPolicyDecisions({ database, log: platform.harness.log('test'), ...parts });

const never = 'forbid(principal is User, action, resource);';
const always = 'permit(principal is User, action, resource);';

/** Past the API, in one transaction for each call: nothing is announced. */
async function write(tenantId: string, text: string, { name = 'p', isEnabled = true } = {}): Promise<void> {
  await platform.harness.asOwner(
    `insert into tenancy.policies (tenant_id, policy_id, name, text, is_enabled) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, name) do update set text = excluded.text, is_enabled = excluded.is_enabled`,
    [tenantId, uuidv7(), name, text, isEnabled],
  );
}
const clear = (tenantId: string) =>
  platform.harness.asOwner('delete from tenancy.policies where tenant_id = $1', [tenantId]);

const question = (...tenantIds: string[]): AccessQuestion => ({
  caller: { userId: 'u', idpUserId: 'user_1', isOperator: false },
  action: 'read',
  places: tenantIds.map((tenantId) => ({ tenantId, botId: null, relation: 'admin' })),
  request: { address: '2001:db8::1', router: 'bots', method: 'GET' },
});

test('every change applies immediately on every instance, without an announcement and with a stopped clock', async () => {
  const { tenantId } = platform.acme;
  const instances = [decisionsOf(), decisionsOf()];
  const refusing = async () =>
    (await Promise.all(instances.map((one) => one.decideAccess(question(tenantId))))).map(
      (refusals) => refusals.length,
    );
  expect(await refusing()).toEqual([0, 0]);
  for (const [text, isEnabled, expected] of [
    [never, true, 1],
    [always, true, 0],
    [never, true, 1],
    [never, false, 0],
    [never, true, 1],
  ] as const) {
    await write(tenantId, text, { isEnabled });
    // Gives all changes the same millisecond: a change must not be recognized by its time.
    await platform.harness.asOwner(
      `update tenancy.policies set updated_at = '2026-01-01' where tenant_id = $1`,
      [tenantId],
    );
    expect([text, isEnabled, await refusing()]).toEqual([text, isEnabled, [expected, expected]]);
  }
  await clear(tenantId);
  expect(await refusing()).toEqual([0, 0]);
});

test('tenants that evict each other from the only slot are decided by their own policies, also simultaneously', async () => {
  const { acme, other } = platform;
  const decisions = decisionsOf({ engine: createPolicyEngine({ slots: 1 }) });
  await write(acme.tenantId, never);
  await write(other.tenantId, always);
  const ask = async (tenantId: string) => (await decisions.decideAccess(question(tenantId))).length;
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_none, index) => ask(index % 2 === 0 ? acme.tenantId : other.tenantId)),
  );
  expect(answers).toEqual(answers.map((_answer, index) => (index % 2 === 0 ? 1 : 0)));
  const both = await decisions.decideAccess(question(acme.tenantId, other.tenantId));
  expect(both).toEqual([{ tenantId: acme.tenantId, reason: 'policy', policies: ['p'] }]);
  await Promise.all([clear(acme.tenantId), clear(other.tenantId)]);
});

test('a stored text that does not parse refuses in its tenant, and in no other', async () => {
  const { acme, other } = platform;
  const decisions = decisionsOf();
  await write(acme.tenantId, 'forbid(');
  await write(other.tenantId, always);
  expect(await decisions.decideAccess(question(acme.tenantId, other.tenantId))).toEqual([
    { tenantId: acme.tenantId, reason: 'policy failed', policies: [] },
  ]);
  await Promise.all([clear(acme.tenantId), clear(other.tenantId)]);
});

test('a message is refused to the people that a policy matches, and a tenant without policies is distinguished', async () => {
  const { acme } = platform;
  const botId = await createBot(platform, acme, { name: 'Quiet' });
  const decisions = decisionsOf({ now: () => new Date('2026-03-08T23:00:00.000Z') });
  const ask = (chatKind: string) =>
    decisions.decideMessages({
      tenantId: acme.tenantId,
      botId,
      platform: 'messenger',
      platformChatId: '7',
      chatKind,
      senders: [
        { platformUserId: '1', name: 'Anna' },
        { platformUserId: '2', name: 'Boris' },
      ],
    });
  expect(await ask('group')).toEqual([]);
  await write(
    acme.tenantId,
    `forbid(principal == Person::"messenger:2", action == Action::"sendMessage", resource)
     when { context.chatKind == "group" && context.weekday == 7 && context.hour == 23 && resource.name == "Quiet" };`,
    { name: 'quiet Sundays' },
  );
  const refused = { platformUserId: '2', reason: 'policy', policies: ['quiet Sundays'] };
  expect(await ask('group')).toEqual([refused]);
  expect(await ask('private')).toEqual([]);
  await clear(acme.tenantId);
});
