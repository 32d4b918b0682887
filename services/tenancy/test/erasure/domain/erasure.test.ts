import { randomUUID } from 'node:crypto';
import { personIdOfUser } from '@botyard/shared/auth/person-id';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { editOf } from '../../../../webhooks/test/chat-updates.ts';
import { callOk, linkAccount, userIdOf } from '../../whole-platform.ts';
import { ErasureFixture, newChatPerson, newGroup } from './erasure-fixture.ts';
import { insertDeadLetters } from './person-rows.ts';

let fixture: ErasureFixture;
beforeAll(async () => {
  fixture = await ErasureFixture.open();
});
afterAll(() => fixture?.close());

async function archive(kind: 'archive' | 'trim'): Promise<void> {
  const as = fixture.people.admin;
  const body = { before: new Date().toISOString() };
  const { jobId } = await callOk(fixture.agents, 'POST', `/api/archival/${kind}`, { as, body, status: 202 });
  await eventually(`${kind} is done`, async () => {
    const job = await callOk(fixture.agents, 'GET', `/api/archival/jobs/${jobId}`, { as });
    return job.state === 'done';
  });
}

test("D-01: nothing is left of a person in tables, streams, files and archives; other people's messages stay", async () => {
  const [anna, ravi] = [newChatPerson('Annabella'), newChatPerson('Ravindra')];
  const group = newGroup();
  const word = `canary${randomUUID().slice(0, 8)}`;
  const other = `robin${randomUUID().slice(0, 8)}`;
  const first = fixture.update(anna, `${word} private`);
  await fixture.deliver(first);
  await eventually('an answer', () => fixture.sentTo(anna.id).length > 0);
  await fixture.deliver(editOf(first, `${word} edited`));
  await fixture.say(ravi, `${other} private`);
  await fixture.say(anna, `${word} group`, { chatId: group });
  const quoted = {
    message_id: 7,
    from: { id: anna.id, is_bot: false, first_name: anna.name },
    text: `${word} group`,
  };
  await fixture.say(ravi, `${other} group`, { chatId: group, reply_to_message: quoted });
  await fixture.settle();
  // An answer in the group, whose line stays in the archive without its words.
  await fixture.platform.harness.asOwner(
    `update agents.messages set choices = jsonb_build_array($1::text)
     where direction = 'out' and text like '%' || $1 || ' group%'`,
    [word],
  );
  await archive('archive');
  await fixture.say(anna, `${word} after the archive`);
  await fixture.say(anna, `${word} in the group after the archive`, { chatId: group });
  await fixture.settle();
  await archive('trim');
  await insertDeadLetters(fixture, word, anna.id);
  await fixture.platform.harness.asOwner(
    `update agents.messages set status = 'dead', dead_at = now() where sender ->> 'platformUserId' = $1 and text like '%in the group%'`,
    [String(anna.id)],
  );
  const { tenancy, acme } = fixture.platform;
  await callOk(tenancy, 'POST', '/api/auth/moderation', {
    as: acme.admin,
    body: { platform: 'messenger', platformUserId: String(anna.id), reason: word },
  });
  expect((await fixture.find(word)).length).toBeGreaterThan(6);
  const before = await fixture.find(other);
  const request = await fixture.request({ platform: 'messenger', platformUserId: String(anna.id) });
  const done = await fixture.done(request);
  expect(await fixture.find(word)).toEqual([]);
  expect(await fixture.find(String(anna.id), anna.name)).toEqual([]);
  const names = (places: string[]) => places.map((place) => place.replace(/\/[^/]*$/, ''));
  expect(names(await fixture.find(other))).toEqual(names(before));
  const erased = Object.fromEntries(done.receipts.map((receipt) => [receipt.store, receipt.erased]));
  for (const store of [
    'agents.messages',
    'agents.turns',
    'agents.archive',
    'agents.stream',
    'agents.outbox',
    'agents.dead_letters',
    'agents.quotes',
    'agents.people',
    'webhooks.replies',
    'webhooks.stream',
    'webhooks.outbox',
    'webhooks.dead_letters',
    'tenancy.mutes',
  ])
    expect([store, erased[store] ?? 0]).toEqual([store, expect.any(Number)]);
  expect(Object.entries(erased).filter(([, count]) => count > 0).length).toBeGreaterThan(10);
  process.stdout.write(`D-01 receipts: ${JSON.stringify(erased)}\n`);
  await fixture.say(anna, 'hello again');
  await fixture.say(ravi, `${other} goes on`, { chatId: group });
});

test("running it again finds nothing, and the person's later messages are theirs", async () => {
  const anna = newChatPerson('Annabella');
  await fixture.say(anna, 'an old word');
  await fixture.settle();
  const request = await fixture.done(
    await fixture.request({ platform: 'messenger', platformUserId: String(anna.id) }),
  );
  await fixture.say(anna, 'a new word');
  await fixture.settle();
  const { tenancy, acme } = fixture.platform;
  const path = `/api/admin/gdpr/requests/${request.requestId}/rerun`;
  await callOk(tenancy, 'POST', path, { as: acme.admin, status: 202 });
  const again = await fixture.done(request);
  expect(again.runs).toBe(2);
  expect(await fixture.find('an old word')).toEqual([]);
  expect(await fixture.find('a new word')).toContain('agents.messages');
  await fixture.say(anna, 'and another');
});

test('a user is erased with all accounts that they have linked, and no other link is', async () => {
  const anna = newChatPerson('Annabella');
  const { acme, tenancy } = fixture.platform;
  const userId = await userIdOf(fixture.platform, acme.member);
  const request = (body: object, status: number) =>
    callOk(tenancy, 'POST', '/api/admin/gdpr/requests', { as: acme.admin, body, status });
  const withoutAccount = await fixture.done(await request({ userId }, 202));
  expect(withoutAccount.personIds).toEqual([personIdOfUser(acme.tenantId, userId)]);
  await linkAccount(fixture.platform, userId, String(anna.id));
  await fixture.say(anna, 'a word of a user');
  await fixture.settle();
  await fixture.done(await request({ userId }, 202));
  expect(await fixture.find('a word of a user', String(anna.id))).toEqual([]);
  await request({ userId: randomUUID() }, 404);
});

test('D-02: messages in flight while a person is erased are not restored, and no later message waits for them', async () => {
  const [anna, ravi] = [newChatPerson('Annabella'), newChatPerson('Ravindra')];
  const group = newGroup();
  const word = `canary${randomUUID().slice(0, 8)}`;
  fixture.model.hang();
  const modelRequest = fixture.model.nextRequest();
  await fixture.deliver(fixture.update(anna, `${word} first`));
  await modelRequest;
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      fixture.deliver(
        fixture.update(
          n % 4 ? anna : ravi,
          n % 4 ? `${word} ${n}` : `other ${n}`,
          n % 2 ? {} : { chatId: group },
        ),
      ),
    ),
  );
  const request = await fixture.request({ platform: 'messenger', platformUserId: String(anna.id) });
  await eventually('it has begun', async () => (await fixture.get(request.requestId)).state !== 'queued');
  fixture.model.release();
  await fixture.done(request);
  await fixture.settle();
  await fixture.say(anna, 'later');
  await fixture.say(ravi, 'later too', { chatId: group });
  await fixture.settle();
  expect(await fixture.find(word)).toEqual([]);
});

test('only an admin of the tenant may request it, and requests of other tenants are invisible', async () => {
  const { tenancy, acme, other } = fixture.platform;
  const anna = newChatPerson('Annabella');
  const body = { platform: 'messenger', platformUserId: String(anna.id) };
  await callOk(tenancy, 'POST', '/api/admin/gdpr/requests', { as: acme.member, body, status: 403 });
  const { requestId } = await fixture.request(body);
  await callOk(tenancy, 'GET', `/api/admin/gdpr/requests/${requestId}`, { as: other.admin, status: 404 });
  expect(await callOk(tenancy, 'GET', '/api/admin/gdpr/requests', { as: other.admin })).toEqual([]);
  await fixture.done({ requestId });
});
