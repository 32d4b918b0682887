import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestMailbox } from '../../../../webhooks/test/mailboxes.ts';
import { callOk } from '../../whole-platform.ts';
import { ErasureFixture, mailEnv, newChatPerson, newGroup } from './erasure-fixture.ts';
import { admitSender, answeredTo, inboundMail, openMailbox } from './mail-of-person.ts';

let fixture: ErasureFixture;
/** Holds a folder of crash marks for each killed process. */
let folder: string;
let mailbox: TestMailbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  fixture = await ErasureFixture.open();
  mailbox = await openMailbox(fixture);
});
afterAll(async () => {
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

const failpoints = (points: string) => ({
  FAILPOINTS: points,
  FAILPOINTS_DIR: mkdtempSync(join(folder, 'marks-')),
});

async function converse(word: string): Promise<number> {
  const [anna, ravi] = [newChatPerson('Annabella'), newChatPerson('Ravindra')];
  const group = newGroup();
  await fixture.say(anna, `${word} private`);
  await fixture.say(anna, `${word} group`, { chatId: group });
  await fixture.settle();
  const as = fixture.people.admin;
  const body = { before: new Date().toISOString() };
  const { jobId } = await callOk(fixture.agents, 'POST', '/api/archival/archive', { as, body, status: 202 });
  await eventually('it is archived', async () => {
    return (await callOk(fixture.agents, 'GET', `/api/archival/jobs/${jobId}`, { as })).state === 'done';
  });
  await fixture.say(anna, `${word} again`);
  await fixture.say(ravi, 'of somebody else', { chatId: group });
  await fixture.settle();
  return anna.id;
}

/** A killed process can't release its lease. */
const endLeases = () =>
  fixture.platform.harness.asOwner(
    `update tenancy.erasures set lease_until = null, ready_at = now() where state <> 'done'`,
  );

test.each([
  'agents.erasure.between-batches',
  'agents.erasure.before-archive',
  'agents.erasure.before-put',
  'agents.erasure.before-remove',
])('D-04: the agents service is killed at %s, and the erasure continues', async (point) => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const id = await converse(word);
  await fixture.agents.stop();
  const killed = await fixture.platform.harness.startProcess('agents', {
    PRIVATE_LLM_BASE_URL: fixture.model.url,
    ...failpoints(`${point}:crash`),
  });
  const request = await fixture.request({ platform: 'messenger', platformUserId: String(id) });
  expect((await killed.ended).signal).toBe('SIGKILL');
  await fixture.startAgents();
  await endLeases();
  await fixture.done(request);
  expect(await fixture.find(word, String(id))).toEqual([]);
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
    const mail = inboundMail(fixture, mailbox, { from: `Anna <${address}>`, text: word, files });
    expect((await mail.post('anew')).status).toBe(200);
    await admitSender(fixture, address);
    await answeredTo(fixture, address, word);
    await fixture.settle();
    expect((await fixture.find(word)).filter((place) => place.startsWith('object'))).toHaveLength(2);
    await fixture.webhooks.stop();
    const killed = await fixture.platform.harness.startProcess('webhooks', {
      MESSENGER_API_URL: fixture.platform.messenger.url,
      WEBHOOK_BASE_URL: 'https://hooks.example.com',
      ...mailEnv(fixture.mailer),
      ...failpoints(`${point}:crash`),
    });
    const request = await fixture.request({ platform: 'email', platformUserId: address });
    expect((await killed.ended).signal).toBe('SIGKILL');
    await fixture.startWebhooks();
    await endLeases();
    await fixture.done(request);
    expect(await fixture.find(word)).toEqual([]);
  },
);

test.each([1, 2, 3])(
  'D-04: the tenancy service is killed after step %i, and the erasure continues',
  async (step) => {
    const word = `canary${randomUUID().slice(0, 8)}`;
    const id = await converse(word);
    const { harness } = fixture.platform;
    await fixture.platform.tenancy.stop();
    const killed = await harness.startProcess('tenancy', {
      MESSENGER_API_URL: fixture.platform.messenger.url,
      ...failpoints(`tenancy.erasure.after-step-${step}:crash`),
    });
    const as = fixture.people.admin;
    const body = { platform: 'messenger', platformUserId: String(id) };
    const { body: request } = await killed.call('POST', '/api/admin/gdpr/requests', { as, body });
    expect((await killed.ended).signal).toBe('SIGKILL');
    await endLeases();
    await fixture.startTenancy();
    await fixture.done(request);
    expect(await fixture.find(word, String(id))).toEqual([]);
  },
);

test('D-01: data of a restored backup is erased again, by hashed identifiers alone', async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const id = await converse(word);
  const { harness, tenancy } = fixture.platform;
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
  const request = await fixture.done(
    await fixture.request({ platform: 'messenger', platformUserId: String(id) }),
  );
  expect(await fixture.find(word, String(id))).toEqual([]);
  for (const table of tables) {
    // In one statement: other running services may write meanwhile.
    await harness.asOwner(
      `lock table ${table} in exclusive mode; delete from ${table};
       insert into ${table} select * from backup.${table.replace('.', '_')}`,
    );
  }
  for (const table of ['tenancy.erasures', 'agents.erased_people', 'webhooks.erased_people'])
    await harness.asOwner(`delete from ${table} where tenant_id = $1`, [fixture.people.tenantId]);
  expect((await fixture.find(word)).length).toBeGreaterThan(0);
  const as = fixture.people.admin;
  const begun = await callOk(tenancy, 'POST', '/api/admin/gdpr/reapply', { as, status: 202 });
  expect(begun.map(({ requestId }: { requestId: string }) => requestId)).toContain(request.requestId);
  for (const one of begun) await fixture.done(one);
  expect(await fixture.find(word, String(id))).toEqual([]);
  expect(await callOk(tenancy, 'POST', '/api/admin/gdpr/reapply', { as, status: 202 })).toEqual([]);
});
