import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBot, openTenancyServices, startAgents, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;

beforeAll(async () => {
  services = await openTenancyServices();
});
afterAll(() => services?.close());

const stats = (as = services.acme.admin) => services.tenancy.call('GET', '/api/auth/stats', { as });

/** A message as the agents service keeps it, of so many hours ago. */
const keepMessage = (tenantId: string, refusal: string | null, hoursAgo: number) =>
  services.harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, refusal,
       received_at, created_at)
     select $1, (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5($2), 1, 19))::uuid,
       $2::uuid, 'in', 1, 'x', 'text', 'ignored', $3, at, at
     from (select now() - make_interval(hours => $4) as at) as moments`,
    [tenantId, randomUUID(), refusal, hoursAgo],
  );

test('while the agents service is away the stats are 503', async () => {
  expect((await stats()).status).toBe(503);
});

test('the stats count mutes, grants, relationships and refusals in the tenant, and nothing of another', async () => {
  const { harness, tenancy, acme, other } = services;
  await startAgents(harness);
  const as = acme.admin;
  const post = async (path: string, body: object) =>
    expect((await tenancy.call('POST', `/api/auth${path}`, { as, body })).status).toBe(201);
  const botId = await createBot(services, acme);
  const person = { platform: 'messenger', platformUserId: '7' };
  await tenancy.call('PUT', `/api/auth/bots/${botId}`, { as, body: { channels: 'granted' } });
  await post('/moderation', person);
  await post('/moderation', { ...person, platformUserId: '8' });
  await harness.asOwner(`update tenancy.mutes set until = now() where platform_user_id = '8'`);
  await post('/channel-grants', { botId, platform: 'messenger', platformChatId: '-7' });
  await post('/private-chat-grants', { botId, ...person });
  await harness.asOwner(
    `insert into tenancy.policies (tenant_id, policy_id, name, text) values ($1, tenancy.new_id(), 'p', '')`,
    [acme.tenantId],
  );
  await harness.asOwner(
    `insert into tenancy.edges (tenant_id, subject_type, subject_id, relation, object_type, object_id)
     values ($1, 'user', $2, 'member', 'group', 'staff')`,
    [acme.tenantId, randomUUID()],
  );
  for (const [refusal, hoursAgo] of [
    ['muted', 0],
    ['muted', 24],
    ['policy', 24],
    [null, 0],
    ['muted', 24 * 8],
  ] as const) {
    await keepMessage(acme.tenantId, refusal, hoursAgo);
  }
  const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const { status, body } = await stats();
  expect(status).toBe(200);
  expect(body).toEqual({
    activeMutes: 1,
    restrictedBots: { channels: 1, privateChats: 0 },
    grants: { channels: 1, privateChats: 1 },
    policies: 1,
    edges: { admin: 1, member: 2 },
    refusals: {
      byReason: { muted: 2, 'channel not granted': 0, 'private chat not granted': 0, policy: 1 },
      byDay: [6, 5, 4, 3, 2, 1, 0].map((daysAgo) => ({
        day: dayOf(daysAgo),
        refused: { 0: 1, 1: 2 }[daysAgo] ?? 0,
      })),
    },
  });
  const theirs = (await stats(other.admin)).body;
  expect([theirs.activeMutes, theirs.policies, theirs.refusals.byReason.muted]).toEqual([0, 0, 0]);
});
