import { randomBytes, randomInt } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { House } from '../../house/house.ts';
import { ask, type Person, signIn } from '../../house/people.ts';
import { type CallerName, type GroupName, groupNames } from '../planned-call.ts';
import { Pool } from './pool.ts';

/** Three new tenants with people and one chat each, as the initial data for random calls. */
export interface World {
  /** Part of every canary. */
  name: string;
  house: House;
  pool: Pool;
  people: Readonly<Record<Exclude<CallerName, 'nobody'>, Person>>;
  /** The tenants behind `{{A.tenantId}}` and the like. */
  tenantOf: Readonly<Record<GroupName, string>>;
}

export async function openWorld(house: House): Promise<World> {
  const name = `w${randomBytes(4).toString('hex')}`;
  const pool = new Pool();
  const groups = await Promise.all(groupNames.map((group) => openGroup(house, pool, { group, world: name })));
  const [stranger, operator] = await Promise.all([
    signIn(house, { name: `${name}-stranger` }),
    signIn(house, { name: `${name}-operator`, isOperator: true }),
  ]);
  keepPerson(pool, 'stranger', { ...stranger, owner: undefined });
  keepPerson(pool, 'operator', { ...operator, owner: undefined });
  for (let spare = 0; spare < 10; spare += 1) await addSpare(house, pool, { world: name, spare });
  const tenantOf = Object.fromEntries(groups.map(({ group, tenantId }) => [group, tenantId]));
  // An operator belongs to no tenant, so an active one has to be chosen.
  await ask(house.system, operator.bearer, 'POST /api/tenant/select', { tenantId: tenantOf.A });
  return {
    ...{ name, house, pool, tenantOf: tenantOf as World['tenantOf'] },
    people: Object.assign({ stranger, operator }, ...groups.map(({ people }) => people)) as World['people'],
  };
}

/** Adds a caller to the pool. Calls may read the caller, but don't add them to other tenants. */
function keepPerson(
  pool: Pool,
  name: string,
  { userId, idpUserId, owner }: Person & { owner: GroupName | undefined },
): void {
  for (const [kind, value] of Object.entries({ userId, idpUserId }))
    pool.add({ key: `${name}.${kind}`, kind, value, owner, isKept: true });
}

interface Place {
  group: GroupName;
  world: string;
}

async function openGroup(house: House, pool: Pool, { group, world }: Place) {
  const { system } = house;
  const name = (what: string) => `zq${world}x${group}0q-${what}`;
  const [admin, member] = await Promise.all([
    signIn(house, { name: name('admin') }),
    signIn(house, { name: name('member') }),
  ]);
  const call = <Body>(what: string, body?: unknown) => ask<Body>(system, admin.bearer, what, body);
  const { tenantId } = await call<{ tenantId: string }>('POST /api/bots/tenants', { name: name('tenant') });
  await call(`POST /api/bots/tenants/${tenantId}/members`, { userId: member.userId, role: 'member' });
  for (const { bearer } of [admin, member])
    await ask(system, bearer, 'POST /api/tenant/select', { tenantId });
  pool.add({ key: `${group}.tenantId`, kind: 'tenantId', value: tenantId, owner: group, isKept: true });
  keepPerson(pool, `${group}.admin`, { ...admin, owner: group });
  keepPerson(pool, `${group}.member`, { ...member, owner: group });
  await openChat(house, pool, { group, world, tenantId, bearer: admin.bearer });
  return { group, tenantId, people: { [`${group}.admin`]: admin, [`${group}.member`]: member } };
}

/** Creates a bot and writes to it, so that there are a chat, messages, a person and a trace. */
async function openChat(
  { system }: House,
  pool: Pool,
  { group, world, tenantId, bearer }: Place & { tenantId: string; bearer: string },
): Promise<void> {
  const call = <Body>(what: string, body?: unknown) => ask<Body>(system, bearer, what, body);
  const name = `zq${world}x${group}0q`;
  const agent = { name, instructions: name, provider: 'private-llm', model: 'fake' };
  const { id: agentId } = await call<{ id: string }>('POST /api/definitions/agents', agent);
  const bot = { name, agentIds: [agentId], joinWindowMs: 0 };
  const { botId } = await call<{ botId: string }>(`POST /api/bots/${tenantId}/bots`, bot);
  const botToken = `${randomInt(1e9, 9e9)}:${'c'.repeat(35)}`;
  const webhookSecretToken = `secret-${world}`;
  await call(`POST /api/bots/${tenantId}/${botId}/integrations`, {
    integrationType: 'messenger',
    credentials: { botToken, botName: name },
    settings: { messenger: { webhookSecretToken } },
  });
  const chatId = randomInt(1e9, 9e9);
  const from = { id: chatId, is_bot: false, first_name: name };
  const chat = { id: chatId, type: 'private', first_name: name };
  const message = { message_id: 1, from, chat, date: Math.floor(Date.now() / 1000), text: name };
  await eventually('the update is taken', async () => {
    const { status } = await fetch(`${system.gatewayUrl}/webhooks/messenger/${botId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': webhookSecretToken },
      body: JSON.stringify({ update_id: chatId, message }),
    });
    return status === 200;
  });
  await system.messenger.sent.waitFor((sent) => sent.chatId === String(chatId), { timeoutMs: 60_000 });
  pool.add({ key: `${group}.botId`, kind: 'botId', value: botId, owner: group });
  pool.add({ key: `${group}.agentId`, kind: 'agents/id', value: agentId, owner: group });
}

/** Adds a person without a tenant. Changes to them affect no caller. */
async function addSpare(
  house: House,
  pool: Pool,
  { world, spare }: { world: string; spare: number },
): Promise<void> {
  const { userId, idpUserId } = await signIn(house, { name: `${world}-spare-${spare}` });
  pool.add({ key: `spare.${spare}.userId`, kind: 'userId', value: userId, owner: undefined });
  pool.add({ key: `spare.${spare}.idpUserId`, kind: 'idpUserId', value: idpUserId, owner: undefined });
}
