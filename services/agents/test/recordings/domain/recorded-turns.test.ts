import { randomBytes, randomInt } from 'node:crypto';
import { erasePerson } from '@botyard/contracts/events/agents-requests';
import { messageDeleted } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRecordingEnds } from '../../../src/recordings/domain/housekeeping.ts';
import { RecordingKeys } from '../../../src/recordings/domain/recording-keys.ts';
import type { TurnRecording } from '../../../src/recordings/domain/turn-recording.ts';
import { Chat, startAgents } from '../../agents-services.ts';
import { call } from '../../answering/domain/loop/equipped.ts';
import { deletionOf } from '../../chat-events.ts';
import { RecordedSite } from '../recorded-chat.ts';

interface Row {
  tenant_id: string;
  turn_id: string;
  key_id: string;
  sealed_recording: string;
  sealed_key: string;
}

let site: RecordedSite;
beforeAll(async () => {
  site = await RecordedSite.open();
});
afterAll(() => site?.close());

const rowsOf = (chat: Chat) =>
  site.services.harness.asOwner<Row>(
    `select r.*, k.sealed_key from agents.turn_recordings r
     join agents.turns t on t.tenant_id = r.tenant_id and t.turn_id = r.turn_id
     join agents.recording_keys k on k.tenant_id = r.tenant_id and k.key_id = r.key_id
     where t.conversation_id = $1 order by t.turn_id`,
    [chat.conversationId],
  );

function open(row: Row, change: Partial<Row> = {}, keyring?: Keyring): Promise<TurnRecording> {
  const {
    tenant_id: tenantId,
    turn_id: turnId,
    key_id: keyId,
    sealed_recording: sealedRecording,
  } = {
    ...row,
    ...change,
  };
  const keys = new RecordingKeys(keyring ?? Keyring.parse(site.services.harness.secretsKeys));
  return keys.open({ tenantId, turnId, keyId, sealedRecording }, row.sealed_key);
}

/** A chat with one answer, for which the page was read and the documents were searched. */
async function recordedChat(change: object = {}): Promise<Chat> {
  site.services.model.replyInTurn(
    call('read_page', { url: `${site.origin}/orders?b=2&a=1` }),
    call('search', { query: 'Bergen' }),
    'Three days.',
  );
  const chat = new Chat(site.services, site.bot);
  await chat.say('How long?', change);
  await chat.answers(1);
  await chat.isIdle();
  return chat;
}

test('a turn keeps the whole results of its calls, the passages with their document, and its time', async () => {
  site.page = `${'long '.repeat(900)}end`;
  const before = Date.now();
  const [row] = await rowsOf(await recordedChat());
  const recording = await open(row!);
  expect(recording).toEqual({
    calls: [
      {
        name: 'read_page',
        kind: 'http_get',
        arguments: { url: `${site.origin}/orders?b=2&a=1` },
        outcome: 'ok',
        result: site.page,
      },
      expect.objectContaining({ name: 'search', kind: 'search_context', arguments: { query: 'Bergen' } }),
    ],
    passages: [{ sourceId: site.sourceId, title: 'Delivery', text: 'Parcels take three days to Bergen.' }],
    question: null,
    now: expect.any(String),
    isCut: false,
  });
  expect(Date.parse(recording.now)).toBeGreaterThan(before - 5000);
  expect(Date.parse(recording.now)).toBeLessThanOrEqual(Date.now() + 5000);
});

test('a recording is not readable in the database, and opens for no other turn or tenant', async () => {
  site.page = 'a page with words';
  const [row] = await rowsOf(await recordedChat());
  expect(Buffer.from(row!.sealed_recording, 'base64').toString('latin1')).not.toContain('a page with words');
  await expect(open(row!, { turn_id: row!.key_id })).rejects.toThrow();
  await expect(open(row!, { tenant_id: site.services.other.tenantId })).rejects.toThrow();
});

test('a turn that used nothing keeps no recording', async () => {
  site.services.model.replyInTurn('Hello.');
  const chat = new Chat(site.services, site.bot);
  await chat.say('hello');
  await chat.answers(1);
  await chat.isIdle();
  expect(await rowsOf(chat)).toEqual([]);
});

test('the words of a file are kept as the model got them', async () => {
  site.services.model.replyInTurn('It is about parcels.');
  const chat = new Chat(site.services, site.bot);
  const document = { name: 'list.txt', mediaType: 'text/plain', sizeBytes: 8, text: 'Parcel 7' };
  await chat.say('What is this?', {
    platform: 'email',
    chat: { platformChatId: '01920000-0000-7000-8000-0000000000ab', kind: 'private', title: 'List' },
    sender: { platformUserId: 'ann@example.com', name: 'Ann' },
    mail: { subject: 'List', documents: [document] },
  });
  await chat.answers(1);
  await chat.isIdle();
  const [row] = await rowsOf(chat);
  expect((await open(row!)).question).toContain('> Parcel 7');
});

test('a deleted message takes the recording of its turn along', async () => {
  const chat = await recordedChat({ platformMessageId: '77' });
  expect(await rowsOf(chat)).toHaveLength(1);
  await site.services.harness.publish(
    messageDeleted,
    deletionOf(chat.message('How long?', { platformMessageId: '77' })),
  );
  await site.services.harness.settled('agents', 'webhooks');
  expect(await rowsOf(chat)).toEqual([]);
});

test('after a rotation of the keys a recording opens without the old one', async () => {
  site.page = 'the page';
  const chat = await recordedChat();
  const { harness, model } = site.services;
  const newKey = `new:${randomBytes(32).toString('base64url')}`;
  const rotated = await startAgents({ harness, model }, { SECRETS_KEYS: `${newKey},${harness.secretsKeys}` });
  const keyring = Keyring.parse(newKey);
  const [row] = await eventually('the key is sealed anew', async () => {
    const rows = await rowsOf(chat);
    return rows[0]?.sealed_key.startsWith(keyring.sealedPrefix) && rows;
  });
  await rotated.stop();
  expect((await open(row!, {}, keyring)).calls[0]!.result).toBe('the page');
});

test('recordings are deleted after 30 days, and keys once nothing can be sealed by them', async () => {
  const { harness } = site.services;
  const [recent, old] = [await recordedChat(), await recordedChat()];
  const [{ turn_id: oldTurn, key_id: keyId }] = (await rowsOf(old)) as [Row];
  await harness.asOwner(
    `update agents.turn_recordings set created_at = now() - interval '30 days 1 minute' where turn_id = $1`,
    [oldTurn],
  );
  await harness.asOwner(
    `insert into agents.recording_keys (tenant_id, key_id, sealed_key, created_at)
     values ($1, $2, 'x', now() - interval '32 days 1 minute')`,
    [site.services.acme.tenantId, oldTurn],
  );
  const ends = createRecordingEnds({
    database: harness.databaseAs('agents'),
    log: { warn: () => undefined } as never,
  });
  ends.start();
  ends.wake();
  await eventually('the old ones are gone', async () => {
    const keys = await harness.asOwner('select key_id from agents.recording_keys where key_id = $1', [
      oldTurn,
    ]);
    return (await rowsOf(old)).length === 0 && keys.length === 0;
  });
  await ends.stop();
  expect(await rowsOf(recent)).toMatchObject([{ key_id: keyId }]);
});

test('erasing the person removes the recordings of their turns, in groups too, and no others', async () => {
  const { acme, harness } = site.services;
  const { tenantId } = acme;
  const sender = { platformUserId: String(randomInt(1e9)), name: 'Ann' };
  const receivedAt = new Date().toISOString();
  const group = { platformChatId: `-${randomInt(1e9)}`, kind: 'group', title: 'Shop' } as const;
  const privateChat = { platformChatId: sender.platformUserId, kind: 'private', title: 'Ann' } as const;
  const theirs = [
    await recordedChat({ sender, receivedAt, chat: group }),
    await recordedChat({ sender, receivedAt, chat: privateChat }),
  ];
  const other = await recordedChat({ receivedAt });
  const account = { platform: 'messenger' as const, platformUserId: sender.platformUserId };
  const personIds = [personIdOfAccount(tenantId, account)];
  const erasedBefore = new Date().toISOString();
  const bus = await harness.busAs('tenancy');
  await eventually('the erasure is done', async () => {
    const person = { tenantId, personIds, accounts: [account], erasedBefore };
    return (await ask(bus, erasePerson, person)).isDone;
  });
  for (const chat of theirs) expect(await rowsOf(chat)).toEqual([]);
  expect(await rowsOf(other)).toHaveLength(1);
});
