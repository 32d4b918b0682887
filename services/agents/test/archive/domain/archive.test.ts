import { messageDeleted } from '@botyard/contracts/events/webhooks';
import type { ArchiveConfig, ArchiveTree } from '@botyard/contracts/http/archival';
import { withPlatform } from '@botyard/shared/db/database';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scheduleJobs } from '../../../src/archive/store/settings.ts';
import { ArchiveFixture } from './archive-fixture.ts';

let fixture: ArchiveFixture;
beforeAll(async () => {
  fixture = await ArchiveFixture.open();
});
afterAll(() => fixture?.harness.close());

const oldestFirst = (texts: { text: string }[]) => texts.map(({ text }) => text).reverse();
const words = (count: number, word = 'word') => Array.from({ length: count }, (_, n) => `${word} ${n + 1}`);

test('archived and trimmed messages have left the database, and are found by chat, bot, time and text', async () => {
  const people = await fixture.tenant();
  const [one, two] = [await fixture.chat(people), await fixture.chat(people)];
  await fixture.past(one, 2500);
  await fixture.past(two, 30, 'other');
  const archived = await fixture.run(people, 'archive');
  expect(archived).toMatchObject({
    state: 'done',
    progress: { messagesTotal: 2530, messagesDone: 2530, filesDone: 2 },
  });
  expect(await fixture.left(people)).toBe(2530);
  const trimmed = await fixture.run(people, 'trim');
  expect(trimmed).toMatchObject({ state: 'done', faults: [], progress: { messagesDone: 2530 } });
  expect(await fixture.left(people)).toBe(0);
  expect(oldestFirst(await fixture.search(people, `chatId=${one.chatId}&limit=400`))).toEqual(words(2500));
  expect(oldestFirst(await fixture.search(people, `botId=${two.botId}`))).toEqual(words(30, 'other'));
  expect(oldestFirst(await fixture.search(people, 'text=WORD%20249'))).toEqual(
    words(2500).filter((text) => text.includes('word 249')),
  );
  const [some] = await fixture.search(people, 'text=word%20100&limit=1');
  const at = some?.createdAt ?? '';
  const minute = new Date(Date.parse(at) + 60_000).toISOString();
  const matches = await fixture.search(people, `chatId=${one.chatId}&from=${at}&to=${minute}`);
  expect(matches.map(({ messageId }) => messageId)).toEqual([some?.messageId]);
  const { body: tree } = await fixture.agents.call('GET', '/api/archival/hierarchy', { as: people.admin });
  expect(tree as ArchiveTree).toMatchObject({
    files: 2,
    messages: 2530,
    trimmedMessages: 2530,
    bots: [
      { botId: one.botId, name: 'Old', chats: 1, messages: 2500 },
      { botId: two.botId, chats: 1, messages: 30 },
    ],
  });
  const { body: chats } = await fixture.agents.call('GET', `/api/archival/hierarchy/${two.botId}/chats`, {
    as: people.admin,
  });
  expect(chats).toMatchObject([{ chatId: two.chatId, messages: 30, files: 1 }]);
});

test('waiting, dropped and recent messages stay in the database', async () => {
  const people = await fixture.tenant();
  const chat = await fixture.chat(people);
  await fixture.past(chat, 6);
  const statuses = ['queued', 'dead', 'sending'];
  for (const [place, status] of statuses.entries())
    await fixture.harness.asOwner(
      'update agents.messages set status = $1 where tenant_id = $2 and seq = $3',
      [status, people.tenantId, place + 1],
    );
  await fixture.harness.asOwner(
    'update agents.messages set created_at = now() where tenant_id = $1 and seq = 6',
    [people.tenantId],
  );
  const job = await fixture.run(people, 'archive', {
    before: new Date(Date.now() - 3_600_000).toISOString(),
  });
  expect(job.progress.messagesDone).toBe(2);
  await fixture.run(people, 'trim');
  expect(await fixture.left(people)).toBe(4);
  expect(
    (await fixture.run(people, 'archive', { before: new Date(Date.now() - 3_600_000).toISOString() }))
      .progress.messagesDone,
  ).toBe(0);
});

test('a message that was edited since it was archived is not trimmed', async () => {
  const people = await fixture.tenant();
  const chat = await fixture.chat(people);
  await fixture.past(chat, 4);
  await fixture.run(people, 'archive');
  await fixture.harness.asOwner(
    `update agents.messages set text = 'newer' where tenant_id = $1 and seq = 1`,
    [people.tenantId],
  );
  await fixture.run(people, 'trim');
  const left = await fixture.harness.asOwner<{ text: string }>(
    'select text from agents.messages where tenant_id = $1',
    [people.tenantId],
  );
  expect(left).toEqual([{ text: 'newer' }]);
});

test('a file that was changed after it was written is reported, and none of its messages are trimmed', async () => {
  const people = await fixture.tenant();
  const chat = await fixture.chat(people);
  await fixture.past(chat, 4);
  await fixture.run(people, 'archive');
  expect((await fixture.run(people, 'check')).faults).toEqual([]);
  await fixture.harness.asOwner(
    `update agents.archive_files set sha256 = repeat('0', 64) where tenant_id = $1`,
    [people.tenantId],
  );
  expect((await fixture.run(people, 'check')).faults).toEqual([
    { fileId: expect.any(String), fault: 'its checksum is not the one that was written' },
  ]);
  const trimmed = await fixture.run(people, 'trim');
  expect(trimmed.faults).toHaveLength(1);
  expect(await fixture.left(people)).toBe(4);
});

test('one job of a kind runs at a time; a cancelled one stops, and its results stay', async () => {
  const people = await fixture.tenant();
  await fixture.past(await fixture.chat(people), 10);
  const key = [people.tenantId, people.tenantId];
  await fixture.harness.asOwner(
    `insert into agents.archive_jobs (tenant_id, job_id, kind, state, before, lease_until) values ($1, $2, 'archive', 'running', now(), now() + interval '1 hour')`,
    key,
  );
  const call = { as: people.admin, body: {} };
  expect((await fixture.agents.call('POST', '/api/archival/archive', call)).status).toBe(409);
  const cancel = () =>
    fixture.agents.call('POST', `/api/archival/jobs/${people.tenantId}/cancel`, { as: people.admin });
  expect((await cancel()).body.state).toBe('cancelled');
  expect((await cancel()).status).toBe(409);
  expect((await fixture.run(people, 'archive')).state).toBe('done');
});

test('retention has an order and bounds', async () => {
  const people = await fixture.tenant();
  const put = async (body: object) =>
    await fixture.agents.call('PUT', '/api/archival/config', { as: people.admin, body });
  expect((await put({ archiveAfterDays: 30, trimAfterDays: 10 })).status).toBe(400);
  expect((await put({ deleteAfterDays: 90 })).status).toBe(400);
  expect((await put({ archiveAfterDays: 0 })).status).toBe(400);
  expect((await put({ archiveAfterDays: 4000 })).status).toBe(400);
  const saved = await put({ enabled: true, archiveAfterDays: 10, trimAfterDays: 20, deleteAfterDays: 30 });
  expect(saved.body as ArchiveConfig).toMatchObject({
    enabled: true,
    archiveAfterDays: 10,
    trimAfterDays: 20,
    deleteAfterDays: 30,
  });
  expect((await put({ deleteAfterDays: null })).body.deleteAfterDays).toBeNull();
});

test('simultaneous changes of the retention lose none of them, and keep its order', async () => {
  const people = await fixture.tenant();
  const put = async (body: object) =>
    await fixture.agents.call('PUT', '/api/archival/config', { as: people.admin, body });
  for (let days = 10; days < 20; days += 1) {
    await put({ enabled: false, archiveAfterDays: 5, trimAfterDays: 50, deleteAfterDays: null });
    await Promise.all([
      put({ enabled: true }),
      put({ archiveAfterDays: days }),
      put({ deleteAfterDays: 90 }),
    ]);
    const { body } = await fixture.agents.call('GET', '/api/archival/config', { as: people.admin });
    expect(body).toMatchObject({ enabled: true, archiveAfterDays: days, deleteAfterDays: 90 });
  }
});

test('a job that a person starts for one chat replaces none of the schedule', async () => {
  const people = await fixture.tenant();
  const chat = await fixture.chat(people);
  const database = fixture.harness.databaseAs('agents');
  const body = { enabled: true, archiveAfterDays: 10 };
  await fixture.agents.call('PUT', '/api/archival/config', { as: people.admin, body });
  await fixture.run(people, 'archive', { chatId: chat.chatId });
  await withPlatform(database, 'schedule of a test', scheduleJobs);
  await withPlatform(database, 'schedule of a test', scheduleJobs);
  const jobs = await fixture.harness.asOwner<{ isScheduled: boolean }>(
    'select created_by is null as "isScheduled" from agents.archive_jobs where tenant_id = $1 order by job_id',
    [people.tenantId],
  );
  expect(jobs.map(({ isScheduled }) => isScheduled)).toEqual([false, true]);
});

test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00'])(
  '%s, which the database can not store, is refused',
  async (before) => {
    const people = await fixture.tenant();
    const call = { as: people.admin, body: { before } };
    expect((await fixture.agents.call('POST', '/api/archival/archive', call)).status).toBe(400);
  },
);

test('the archive of another tenant is invisible', async () => {
  const [people, stranger] = [await fixture.tenant(), await fixture.tenant()];
  const chat = await fixture.chat(people);
  await fixture.past(chat, 4);
  const { jobId } = await fixture.run(people, 'archive');
  expect(await fixture.search(stranger)).toEqual([]);
  for (const path of [
    `jobs/${jobId}`,
    `chats/${chat.chatId}`,
    `messages?chatId=${chat.chatId}`,
    `hierarchy/${chat.botId}/chats`,
  ])
    expect([
      path,
      (await fixture.agents.call('GET', `/api/archival/${path}`, { as: stranger.admin })).status,
    ]).toEqual([path, 404]);
});

test('messages of more files than a page reads are found, even if all the files cover the same time', async () => {
  const people = await fixture.tenant();
  const before = new Date().toISOString();
  for (let number = 1; number <= 22; number += 1) {
    const chat = await fixture.chat(people);
    await fixture.past(chat, 3, `chat ${number}`);
    await fixture.run(people, 'archive', { chatId: chat.chatId, before });
  }
  const messageIds = (await fixture.search(people, 'limit=10')).map(({ messageId }) => messageId);
  expect(messageIds).toEqual([...new Set(messageIds)].sort().reverse());
  expect(messageIds).toHaveLength(66);
});

test('a message that its person deletes leaves the archive too, trimmed or not, with quotes of it', async () => {
  const people = await fixture.tenant();
  const { tenantId, botId, conversationId } = await fixture.chat(people);
  await fixture.past({ tenantId, conversationId }, 6);
  await fixture.harness.asOwner(
    `update agents.messages set platform_message_id = 'm' || seq where tenant_id = $1`,
    [tenantId],
  );
  await fixture.harness.asOwner(
    `insert into agents.quotes (tenant_id, quote_id, conversation_id, bot_id, seq, person_id, kind, text, platform_message_id)
     values ($1, gen_random_uuid(), $2, $3, 5, gen_random_uuid(), 'reply', 'word 1', 'm1')`,
    [tenantId, conversationId, botId],
  );
  const remove = (platformMessageId: string) =>
    fixture.harness.publish(messageDeleted, {
      tenantId,
      botId,
      integrationId: botId,
      conversationId,
      platform: 'messenger',
      platformChatId: '77',
      platformMessageIds: [platformMessageId],
      deletedAt: new Date().toISOString(),
    });
  const archived = async () => oldestFirst(await fixture.search(people));
  await fixture.run(people, 'archive');
  await remove('m3');
  const shown = ['word 1', 'word 2', '', 'word 4', 'word 5', 'word 6'];
  await eventually('the archive has it no longer', async () => !(await archived()).includes('word 3'));
  expect(await archived()).toEqual(shown);
  await fixture.run(people, 'trim');
  expect(await fixture.left(people)).toBe(0);
  await remove('m1');
  await eventually('the archive has it no longer', async () => !(await archived()).includes('word 1'));
  expect(await archived()).toEqual(['', ...shown.slice(1)]);
  expect((await fixture.run(people, 'check')).faults).toEqual([]);
});
