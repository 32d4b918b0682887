import { randomUUID } from 'node:crypto';
import { personRenamed } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitMessages } from '../../../src/moderation/domain/admit-messages.ts';
import { createPolicyDecisions } from '../../../src/policies/domain/decisions.ts';
import { createBot, openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let botId: string;

beforeAll(async () => {
  services = await openTenancyServices();
  botId = await createBot(services, services.acme);
  const body = { privateChats: 'granted' };
  await services.tenancy.call('PUT', `/api/auth/bots/${botId}`, { as: services.acme.admin, body });
});
afterAll(() => services?.close());

const newId = () => `DE.${randomUUID().replaceAll('-', '')}`;

const rename = async (from: string, to: string, tenantId = services.acme.tenantId) => {
  await services.harness.publish(personRenamed, { tenantId, platform: 'whatsapp', from, to });
  await services.harness.settled('tenancy', 'webhooks');
};

const create = async (path: string, platformUserId: string, more: object = {}) => {
  const body = { botId, platform: 'whatsapp', platformUserId, ...more };
  const { status } = await services.tenancy.call('POST', `/api/auth/${path}`, {
    as: services.acme.admin,
    body,
  });
  expect(status).toBe(201);
};
const grant = (platformUserId: string) => create('private-chat-grants', platformUserId);
const mute = (platformUserId: string, until?: string) =>
  create('moderation', platformUserId, until === undefined ? {} : { until });

async function refusalOf(platformUserId: string, migratedFrom?: string) {
  const database = services.harness.databaseAs('tenancy');
  const policies = createPolicyDecisions({ database, log: services.harness.log('test') });
  const { refusals } = await admitMessages(
    { database, policies },
    {
      tenantId: services.acme.tenantId,
      botId,
      platform: 'whatsapp',
      senders: [{ platformUserId, name: 'Anna' }],
      chat: { platformChatId: platformUserId, kind: 'private', ...(migratedFrom ? { migratedFrom } : {}) },
    },
  );
  return refusals[0]?.refusal;
}

const erasureOf = async (platformUserId: string) => {
  const body = { platform: 'whatsapp', platformUserId };
  const answer = await services.tenancy.call('POST', '/api/admin/gdpr/requests', {
    as: services.acme.admin,
    body,
  });
  return [answer.status, answer.body.personIds?.toSorted()];
};
const hashesOf = (...ids: string[]) =>
  ids
    .map((platformUserId) =>
      personIdOfAccount(services.acme.tenantId, { platform: 'whatsapp', platformUserId }),
    )
    .toSorted();

test('mutes and grants follow a person to another identifier, however often the change is reported', async () => {
  const [granted, muted] = [newId(), newId()];
  const [grantedNow, mutedNow] = [newId(), newId()];
  await grant(granted);
  await grant(muted);
  await mute(muted);
  await rename(granted, grantedNow);
  await rename(granted, grantedNow);
  await rename(muted, mutedNow);
  expect(await refusalOf(grantedNow)).toBeUndefined();
  expect(await refusalOf(granted)).toBe('private chat not granted');
  expect(await refusalOf(mutedNow)).toBe('muted');
});

test('a message under the new identifier is judged by the old one until the change has arrived', async () => {
  const [granted, muted] = [newId(), newId()];
  await grant(granted);
  await mute(muted);
  expect(await refusalOf(newId(), granted)).toBeUndefined();
  expect(await refusalOf(newId(), muted)).toBe('muted');
});

test('changes that arrive in the wrong order lead to the last identifier', async () => {
  const [first, second, third] = [newId(), newId(), newId()];
  await grant(first);
  await rename(second, third);
  await rename(first, second);
  expect(await refusalOf(third)).toBeUndefined();
});

test('a person who gets an earlier identifier back has their permissions there', async () => {
  const [one, other] = [newId(), newId()];
  await grant(one);
  await rename(one, other);
  await rename(other, one);
  expect(await refusalOf(one)).toBeUndefined();
  expect(await refusalOf(other)).toBe('private chat not granted');
});

test('of two mutes of one person the longer one stays', async () => {
  const [one, other] = [newId(), newId()];
  await mute(one);
  await mute(other, new Date(Date.now() + 60_000).toISOString());
  await rename(one, other);
  const { body } = await services.tenancy.call('GET', '/api/auth/moderation', { as: services.acme.admin });
  const own = body.filter(({ platformUserId }: { platformUserId: string }) =>
    [one, other].includes(platformUserId),
  );
  expect(own).toMatchObject([{ platformUserId: other, until: null }]);
});

test("another tenant's change moves nothing", async () => {
  const [one, other] = [newId(), newId()];
  await grant(one);
  await rename(one, other, services.other.tenantId);
  expect(await refusalOf(one)).toBeUndefined();
  expect(await refusalOf(other)).toBe('private chat not granted');
});

test.each([0, 1, 2])('an erasure by any identifier of a person is one of all of them: %s', async (index) => {
  const ids = [newId(), newId(), newId()];
  await rename(ids[0]!, ids[1]!);
  await rename(ids[1]!, ids[2]!);
  expect(await erasureOf(ids[index]!)).toEqual([202, hashesOf(...ids)]);
});
