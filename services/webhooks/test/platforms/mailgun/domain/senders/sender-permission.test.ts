import { withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  grantByAdmin,
  maxGrantsPerBot,
  revoke,
} from '../../../../../src/platforms/mailgun/domain/senders/grants.ts';
import { mayWrite } from '../../../../../src/platforms/mailgun/domain/senders/sender-permission.ts';
import {
  type Box,
  type MailFixture,
  newAddress,
  newBox,
  newThread,
  openMailFixture,
  putMail,
  statesOf,
  takeIn,
} from '../../../../mail-fixture.ts';

let fixture: MailFixture;
let box: Box;

beforeAll(async () => {
  fixture = await openMailFixture();
  box = await newBox(fixture);
});
afterAll(() => fixture?.harness.close());

const may = (one: Box, sender: string, threadId: string = uuidv7()) =>
  withTenant(fixture.database, [one.tenantId], (tx) => mayWrite(tx, { ...one, sender, threadId }));

const grant = (kind: 'sender' | 'thread' | 'group', value: string, one = box) =>
  grantByAdmin(fixture.deps, one, { kind, value, userId: uuidv7() });

test('a sender may write by address, by domain or by thread, and with the bot that it was granted for', async () => {
  const [anna, domain] = [newAddress(), `${uuidv7()}.example`];
  const thread = await newThread(fixture, box);
  const sibling = await newBox(fixture, { people: box.people });
  expect(await may(box, anna)).toBe(false);
  await grant('sender', anna);
  await grant('group', domain);
  await grant('thread', thread.threadId);
  expect(await may(box, anna)).toBe(true);
  expect(await may(sibling, anna)).toBe(false);
  expect(await may(box, `x${anna}`)).toBe(false);
  expect(await may(box, newAddress(domain))).toBe(true);
  expect(await may(box, newAddress(`sub.${domain}`))).toBe(false);
  expect(await may(box, newAddress(`x${domain}`))).toBe(false);
  expect(await may(box, `anna@${domain}@evil.example`)).toBe(false);
  expect(await may(box, newAddress(), thread.threadId)).toBe(true);
  expect(await may(box, newAddress(), uuidv7())).toBe(false);
});

test('an open bot admits everybody', async () => {
  const open = await newBox(fixture, { senderPolicy: 'open' });
  expect(await may(open, newAddress())).toBe(true);
});

test('a grant of another tenant counts for nothing, not even with the same bot named', async () => {
  const other = await newBox(fixture);
  const sender = newAddress();
  await grant('sender', sender, other);
  expect(await may({ ...box, botId: other.botId }, sender)).toBe(false);
});

test('a revoked grant permits nobody, and others stay valid', async () => {
  const thread = await newThread(fixture, box);
  const { grant: own } = await grant('sender', thread.correspondent);
  const { grant: again } = await grant('sender', thread.correspondent);
  await revoke(fixture.deps, own);
  expect(await may(box, thread.correspondent)).toBe(true);
  await revoke(fixture.deps, again);
  expect(await may(box, thread.correspondent)).toBe(false);
  await expect(revoke(fixture.deps, again)).rejects.toMatchObject({ status: 404 });
});

test('a grant releases held mail of exactly its address, its domain or its thread', async () => {
  const domain = `${uuidv7()}.example`;
  const [anna, bert] = [
    await newThread(fixture, box, { correspondent: newAddress(domain) }),
    await newThread(fixture, box, { correspondent: newAddress(domain) }),
  ];
  for (const thread of [anna, anna, bert]) await putMail(fixture, thread);
  await putMail(fixture, anna, { sender: newAddress() });
  expect((await grant('sender', anna.correspondent)).releasedCount).toBe(2);
  expect(await statesOf(fixture, anna)).toEqual(['admitted', 'admitted', 'held']);
  expect(await statesOf(fixture, bert)).toEqual(['held']);
  expect((await grant('group', domain)).releasedCount).toBe(1);
  expect((await grant('thread', anna.threadId)).releasedCount).toBe(1);
});

test('no mail stays held behind a grant, in any order of the two', async () => {
  for (let round = 0; round < 10; round += 1) {
    const thread = await newThread(fixture, box);
    const mails = Array.from({ length: 12 }, () => takeIn(fixture, box, thread));
    const value = {
      sender: thread.correspondent,
      group: thread.correspondent.split('@')[1]!,
      thread: thread.threadId,
    };
    const kind = (['sender', 'group', 'thread'] as const)[round % 3]!;
    await Promise.all([...mails.slice(0, 6), grant(kind, value[kind]), ...mails.slice(6)]);
    expect(new Set(await statesOf(fixture, thread))).toEqual(new Set(['admitted']));
  }
});

test('mails that are judged after a revocation are held, in any order of the two', async () => {
  const thread = await newThread(fixture, box);
  const { grant: made } = await grant('sender', thread.correspondent);
  const mails = Array.from({ length: 12 }, () => takeIn(fixture, box, thread));
  await Promise.all([...mails, revoke(fixture.deps, made)]);
  expect(await takeIn(fixture, box, thread)).toBe(false);
});

test('a concurrent grant and revocation end in one of the two, and mail is treated accordingly', async () => {
  const thread = await newThread(fixture, box);
  const { grant: made } = await grant('sender', thread.correspondent);
  const admin = { kind: 'sender' as const, value: thread.correspondent, userId: made.grantedBy.slice(5) };
  const [revoked, granted] = await Promise.allSettled([
    revoke(fixture.deps, made),
    grantByAdmin(fixture.deps, box, admin),
  ]);
  expect(revoked.status).toBe('fulfilled');
  expect(await takeIn(fixture, box, thread)).toBe(granted.status === 'fulfilled');
});

test('a bot has a bounded number of grants', async () => {
  const full = await newBox(fixture);
  await fixture.harness.asOwner(
    `insert into webhooks.sender_grants (tenant_id, grant_id, bot_id, kind, value, granted_by)
     select $1, gen_random_uuid(), $2, 'sender', n || '@x.example', 'user:x' from generate_series(1, $3::int) n`,
    [full.tenantId, full.botId, maxGrantsPerBot],
  );
  await expect(grant('sender', newAddress(), full)).rejects.toMatchObject({ status: 409 });
});
