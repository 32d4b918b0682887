import { maxChangesOfChat } from '@botyard/contracts/http/interactions-changes';
import { eventually } from '@botyard/testing/eventually';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { HandledChat, userIdOf } from '../takeover/chats.ts';

interface Change {
  kind: string;
  actor?: { userId?: string };
  assignee?: { userId?: string } | null;
  snoozedUntil?: string;
}

let services: AgentsServices;
let bot: TestBot;
let adminId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  adminId = await userIdOf(services, services.acme.admin);
});
afterAll(() => services?.close());

const changesOf = async (chat: HandledChat): Promise<Change[]> =>
  (await chat.call('GET', '/changes')).body.toReversed();
const kindsOf = async (chat: HandledChat) => (await changesOf(chat)).map(({ kind }) => kind);

describe('what happened to a chat', () => {
  test('names who took it over, to whom it was assigned, and who gave it back', async () => {
    const chat = await HandledChat.begun(services, bot);
    await chat.takeOver();
    await chat.takeOver();
    await chat.takeOver({ assigneeUserId: null });
    await chat.takeOver({ assigneeUserId: adminId });
    await chat.handBack();
    await chat.handBack();
    const actor = { userId: adminId };
    expect(await changesOf(chat)).toMatchObject([
      { kind: 'taken_over', actor },
      { kind: 'assigned', actor, assignee: null },
      { kind: 'assigned', actor, assignee: { userId: adminId } },
      { kind: 'handed_back', actor },
    ]);
  });

  test('names each new state once, and a snooze with its end', async () => {
    const chat = await HandledChat.begun(services, bot);
    const snoozedUntil = new Date(Date.now() + 3600_000).toISOString();
    await chat.call('PUT', '', { state: 'snoozed', snoozedUntil });
    await chat.call('PUT', '', { state: 'open' });
    await chat.call('PUT', '', { state: 'open' });
    await chat.call('PUT', '', { labels: [] });
    await chat.takeOver();
    await chat.call('PUT', '', { state: 'resolved' });
    expect(await changesOf(chat)).toMatchObject([
      { kind: 'snoozed', snoozedUntil },
      { kind: 'opened' },
      { kind: 'taken_over' },
      { kind: 'resolved', actor: { userId: adminId } },
    ]);
  });

  test('says that a message opened a resolved chat, and nothing of messages in an open one', async () => {
    const chat = await HandledChat.begun(services, bot);
    await chat.say('still here');
    await chat.answers(2);
    expect(await changesOf(chat)).toEqual([]);
    await chat.call('PUT', '', { state: 'resolved' });
    await chat.say('one more thing');
    await eventually('it is open again', async () => (await chat.shown()).state === 'open');
    const [, reopened] = await changesOf(chat);
    expect(reopened).toMatchObject({ kind: 'reopened' });
    expect(reopened).not.toHaveProperty('actor');
  });

  test('says that the bot took the chat back by itself', async () => {
    const chat = await HandledChat.begun(services, bot);
    await chat.takeOver();
    await chat.timePasses();
    await eventually('it is written', async () => (await kindsOf(chat)).includes('handed_back'));
    const changes = await changesOf(chat);
    expect(changes.map(({ kind }) => kind)).toEqual(['taken_over', 'handed_back']);
    expect(changes[1]).not.toHaveProperty('actor');
  });

  test('says that a snooze ended at its time', async () => {
    const chat = await HandledChat.begun(services, bot);
    const snoozedUntil = new Date(Date.now() + 3600_000).toISOString();
    await chat.call('PUT', '', { state: 'snoozed', snoozedUntil });
    await services.harness.asOwner(
      'update agents.conversations set snoozed_until = now() where conversation_id = $1',
      [chat.conversationId],
    );
    await eventually('it is written', async () => (await kindsOf(chat)).includes('snooze_ended'));
  });

  test('says that a message of staff opened a snoozed chat', async () => {
    const chat = await HandledChat.begun(services, bot);
    await chat.takeOver();
    const snoozedUntil = new Date(Date.now() + 3600_000).toISOString();
    await chat.call('PUT', '', { state: 'snoozed', snoozedUntil });
    await chat.write('One question.');
    await chat.write('And another.');
    expect(await kindsOf(chat)).toEqual(['taken_over', 'snoozed', 'opened']);
  });

  test('ends with the newest changes', async () => {
    const chat = await HandledChat.begun(services, bot);
    await services.harness.asOwner(
      `insert into agents.chat_changes (tenant_id, conversation_id, kind)
       select $1, $2, 'opened' from generate_series(1, $3)`,
      [bot.tenantId, chat.conversationId, maxChangesOfChat + 20],
    );
    await chat.takeOver();
    const [row] = await services.harness.asOwner<{ count: string }>(
      'select count(*) as count from agents.chat_changes where conversation_id = $1',
      [chat.conversationId],
    );
    expect(Number(row!.count)).toBe(maxChangesOfChat);
    expect((await changesOf(chat)).at(-1)).toMatchObject({ kind: 'taken_over' });
  });

  test('is shown to nobody outside of the tenant', async () => {
    const chat = await HandledChat.begun(services, bot);
    expect((await chat.call('GET', '/changes', undefined, user('user_stranger'))).status).toBe(400);
    expect((await chat.call('GET', '/changes', undefined, services.other.admin)).status).toBe(404);
  });
});
