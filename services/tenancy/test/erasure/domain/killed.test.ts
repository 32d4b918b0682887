import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestMailbox } from '../../../../webhooks/test/mailboxes.ts';
import { callOk } from '../../whole-platform.ts';
import { ErasureWorld, mailEnv, newGroup, newTalker } from './erasure-world.ts';
import { answeredTo, letIn, letterTo, openMailbox } from './mail-of-person.ts';

let world: ErasureWorld;
/** Holds a folder of crash marks for each killed process. */
let folder: string;
let mailbox: TestMailbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  world = await ErasureWorld.open();
  mailbox = await openMailbox(world);
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

const failpoints = (points: string) => ({
  FAILPOINTS: points,
  FAILPOINTS_DIR: mkdtempSync(join(folder, 'marks-')),
});

async function talk(word: string): Promise<number> {
  const [anna, ravi] = [newTalker('Annabella'), newTalker('Ravindra')];
  const group = newGroup();
  await world.say(anna, `${word} private`);
  await world.say(anna, `${word} group`, { chatId: group });
  await world.settle();
  const as = world.people.admin;
  const body = { before: new Date().toISOString() };
  const { jobId } = await callOk(world.agents, 'POST', '/api/archival/archive', { as, body, status: 202 });
  await eventually('it is archived', async () => {
    return (await callOk(world.agents, 'GET', `/api/archival/jobs/${jobId}`, { as })).state === 'done';
  });
  await world.say(anna, `${word} again`);
  await world.say(ravi, 'of somebody else', { chatId: group });
  await world.settle();
  return anna.id;
}

/** A killed process can't release its lease. */
const endLeases = () =>
  world.platform.harness.asOwner(
    `update tenancy.erasures set lease_until = null, ready_at = now() where state <> 'done'`,
  );

test.each([
  'agents.erasure.between-batches',
  'agents.erasure.before-archive',
  'agents.erasure.before-put',
  'agents.erasure.before-remove',
])('D-04: the agents service is killed at %s, and the erasure continues', async (point) => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const id = await talk(word);
  await world.agents.stop();
  const killed = await world.platform.harness.startProcess('agents', {
    PRIVATE_LLM_BASE_URL: world.model.url,
    ...failpoints(`${point}:crash`),
  });
  const request = await world.request({ platform: 'messenger', platformUserId: String(id) });
  expect((await killed.ended).signal).toBe('SIGKILL');
  await world.startAgents();
  await endLeases();
  await world.done(request);
  expect(await world.find(word, String(id))).toEqual([]);
});

test.each(['webhooks.erasure.between-files', 'webhooks.erasure.between-batches'])(
  'D-04: the webhooks service is killed at %s, and no mail or file of the person is left',
  async (point) => {
    const word = `canary${randomUUID().slice(0, 8)}`;
    const address = `anna.${word}@people.example`;
    const files = ['one', 'two'].map((name) => ({
      name: `${name}.txt`,
      type: 'text/plain',
      bytes: Buffer.from(word),
    }));
    const letter = letterTo(world, mailbox, { from: `Anna <${address}>`, text: word, files });
    expect((await letter.post('anew')).status).toBe(200);
    await letIn(world, address);
    await answeredTo(world, address, word);
    await world.settle();
    expect((await world.find(word)).filter((place) => place.startsWith('object'))).toHaveLength(2);
    await world.webhooks.stop();
    const killed = await world.platform.harness.startProcess('webhooks', {
      MESSENGER_API_URL: world.platform.messenger.url,
      WEBHOOK_BASE_URL: 'https://hooks.example.com',
      ...mailEnv(world.mailer),
      ...failpoints(`${point}:crash`),
    });
    const request = await world.request({ platform: 'email', platformUserId: address });
    expect((await killed.ended).signal).toBe('SIGKILL');
    await world.startWebhooks();
    await endLeases();
    await world.done(request);
    expect(await world.find(word)).toEqual([]);
  },
);

test.each([1, 2, 3])(
  'D-04: the tenancy service is killed after step %i, and the erasure continues',
  async (step) => {
    const word = `canary${randomUUID().slice(0, 8)}`;
    const id = await talk(word);
    const { harness } = world.platform;
    await world.platform.tenancy.stop();
    const killed = await harness.startProcess('tenancy', {
      MESSENGER_API_URL: world.platform.messenger.url,
      ...failpoints(`tenancy.erasure.after-step-${step}:crash`),
    });
    const as = world.people.admin;
    const body = { platform: 'messenger', platformUserId: String(id) };
    const { body: request } = await killed.call('POST', '/api/admin/gdpr/requests', { as, body });
    expect((await killed.ended).signal).toBe('SIGKILL');
    await endLeases();
    await world.startTenancy();
    await world.done(request);
    expect(await world.find(word, String(id))).toEqual([]);
  },
);

test('D-01: data of a restored backup is erased again, by hashed identifiers alone', async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const id = await talk(word);
  const { harness, tenancy } = world.platform;
  const tables = [
    'agents.conversations',
    'agents.messages',
    'agents.people',
    'agents.turns',
    'webhooks.replies',
  ];
  await harness.asOwner('create schema if not exists backup');
  for (const table of tables)
    await harness.asOwner(`create table backup.${table.replace('.', '_')} as table ${table}`);
  const request = await world.done(
    await world.request({ platform: 'messenger', platformUserId: String(id) }),
  );
  expect(await world.find(word, String(id))).toEqual([]);
  for (const table of tables) {
    // In one statement: other running services may write meanwhile.
    await harness.asOwner(
      `lock table ${table} in exclusive mode; delete from ${table};
       insert into ${table} select * from backup.${table.replace('.', '_')}`,
    );
  }
  for (const table of ['tenancy.erasures', 'agents.erased_people', 'webhooks.erased_people'])
    await harness.asOwner(`delete from ${table} where tenant_id = $1`, [world.people.tenantId]);
  expect((await world.find(word)).length).toBeGreaterThan(0);
  const as = world.people.admin;
  const begun = await callOk(tenancy, 'POST', '/api/admin/gdpr/reapply', { as, status: 202 });
  expect(begun.map(({ requestId }: { requestId: string }) => requestId)).toContain(request.requestId);
  for (const one of begun) await world.done(one);
  expect(await world.find(word, String(id))).toEqual([]);
  expect(await callOk(tenancy, 'POST', '/api/admin/gdpr/reapply', { as, status: 202 })).toEqual([]);
});
