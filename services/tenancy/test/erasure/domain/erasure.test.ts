import { randomUUID } from 'node:crypto';
import { personIdOfUser } from '@botyard/shared/auth/person-id';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { editOf } from '../../../../webhooks/test/chat-updates.ts';
import { callOk, linkAccount, userIdOf } from '../../whole-platform.ts';
import { ErasureWorld, newGroup, newTalker } from './erasure-world.ts';

let world: ErasureWorld;
beforeAll(async () => {
  world = await ErasureWorld.open();
});
afterAll(() => world?.close());

async function archive(kind: 'archive' | 'trim'): Promise<void> {
  const as = world.people.admin;
  const body = { before: new Date().toISOString() };
  const { jobId } = await callOk(world.agents, 'POST', `/api/archival/${kind}`, { as, body, status: 202 });
  await eventually(`${kind} is done`, async () => {
    const job = await callOk(world.agents, 'GET', `/api/archival/jobs/${jobId}`, { as });
    return job.state === 'done';
  });
}

/** Dead letters of the consumers that hold an event of somebody. */
async function plantDeadLetters(word: string, platformUserId: number): Promise<void> {
  for (const schema of ['agents', 'webhooks'])
    await world.platform.harness.asOwner(
      `insert into ${schema}.dead_letters (event_id, subject, data, attempts, last_error)
       select $1, 'ns.event.webhooks.message.received.v1.' || $2 || '.x', $3, 6, 'Error: broken'`,
      [
        randomUUID(),
        world.people.tenantId,
        JSON.stringify({ text: word, sender: { platformUserId: String(platformUserId) } }),
      ],
    );
}

test("D-01: nothing is left of a person in tables, streams, files and archives; other people's messages stay", async () => {
  const [anna, ravi] = [newTalker('Annabella'), newTalker('Ravindra')];
  const group = newGroup();
  const word = `canary${randomUUID().slice(0, 8)}`;
  const other = `robin${randomUUID().slice(0, 8)}`;
  const first = world.update(anna, `${word} private`);
  await world.deliver(first);
  await eventually('an answer', () => world.sentTo(anna.id).length > 0);
  await world.deliver(editOf(first, `${word} edited`));
  await world.say(ravi, `${other} private`);
  await world.say(anna, `${word} group`, { chatId: group });
  const quoted = {
    message_id: 7,
    from: { id: anna.id, is_bot: false, first_name: anna.name },
    text: `${word} group`,
  };
  await world.say(ravi, `${other} group`, { chatId: group, reply_to_message: quoted });
  await world.settle();
  await archive('archive');
  await world.say(anna, `${word} after the archive`);
  await world.say(anna, `${word} in the group after the archive`, { chatId: group });
  await world.settle();
  await archive('trim');
  await plantDeadLetters(word, anna.id);
  await world.platform.harness.asOwner(
    `update agents.messages set status = 'dead', dead_at = now() where sender ->> 'platformUserId' = $1 and text like '%in the group%'`,
    [String(anna.id)],
  );
  const { tenancy, acme } = world.platform;
  await callOk(tenancy, 'POST', '/api/auth/moderation', {
    as: acme.admin,
    body: { platform: 'messenger', platformUserId: String(anna.id), reason: word },
  });
  expect((await world.find(word)).length).toBeGreaterThan(6);
  const before = await world.find(other);
  const request = await world.request({ platform: 'messenger', platformUserId: String(anna.id) });
  const done = await world.done(request);
  expect(await world.find(word)).toEqual([]);
  expect(await world.find(String(anna.id), anna.name)).toEqual([]);
  const names = (places: string[]) => places.map((place) => place.replace(/\/[^/]*$/, ''));
  expect(names(await world.find(other))).toEqual(names(before));
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
  await world.say(anna, 'hello again');
  await world.say(ravi, `${other} goes on`, { chatId: group });
});

test("running it again finds nothing, and the person's later messages are theirs", async () => {
  const anna = newTalker('Annabella');
  await world.say(anna, 'an old word');
  await world.settle();
  const request = await world.done(
    await world.request({ platform: 'messenger', platformUserId: String(anna.id) }),
  );
  await world.say(anna, 'a new word');
  await world.settle();
  const { tenancy, acme } = world.platform;
  const path = `/api/admin/gdpr/requests/${request.requestId}/rerun`;
  await callOk(tenancy, 'POST', path, { as: acme.admin, status: 202 });
  const again = await world.done(request);
  expect(again.runs).toBe(2);
  expect(await world.find('an old word')).toEqual([]);
  expect(await world.find('a new word')).toContain('agents.messages');
  await world.say(anna, 'and another');
});

test('a user is erased with all accounts that they have linked, and no other link is', async () => {
  const anna = newTalker('Annabella');
  const { acme, tenancy } = world.platform;
  const userId = await userIdOf(world.platform, acme.member);
  const request = (body: object, status: number) =>
    callOk(tenancy, 'POST', '/api/admin/gdpr/requests', { as: acme.admin, body, status });
  const withoutAccount = await world.done(await request({ userId }, 202));
  expect(withoutAccount.personIds).toEqual([personIdOfUser(acme.tenantId, userId)]);
  await linkAccount(world.platform, userId, String(anna.id));
  await world.say(anna, 'a word of a user');
  await world.settle();
  await world.done(await request({ userId }, 202));
  expect(await world.find('a word of a user', String(anna.id))).toEqual([]);
  await request({ userId: randomUUID() }, 404);
});

test('D-02: messages in flight while a person is erased are not restored, and no later message waits for them', async () => {
  const [anna, ravi] = [newTalker('Annabella'), newTalker('Ravindra')];
  const group = newGroup();
  const word = `canary${randomUUID().slice(0, 8)}`;
  world.model.hang();
  const asked = world.model.nextRequest();
  await world.deliver(world.update(anna, `${word} first`));
  await asked;
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      world.deliver(
        world.update(
          n % 4 ? anna : ravi,
          n % 4 ? `${word} ${n}` : `other ${n}`,
          n % 2 ? {} : { chatId: group },
        ),
      ),
    ),
  );
  const request = await world.request({ platform: 'messenger', platformUserId: String(anna.id) });
  await eventually('it has begun', async () => (await world.get(request.requestId)).state !== 'queued');
  world.model.release();
  await world.done(request);
  await world.settle();
  await world.say(anna, 'later');
  await world.say(ravi, 'later too', { chatId: group });
  await world.settle();
  expect(await world.find(word)).toEqual([]);
});

test('only an admin of the tenant may request it, and requests of other tenants are invisible', async () => {
  const { tenancy, acme, other } = world.platform;
  const anna = newTalker('Annabella');
  const body = { platform: 'messenger', platformUserId: String(anna.id) };
  await callOk(tenancy, 'POST', '/api/admin/gdpr/requests', { as: acme.member, body, status: 403 });
  const { requestId } = await world.request(body);
  await callOk(tenancy, 'GET', `/api/admin/gdpr/requests/${requestId}`, { as: other.admin, status: 404 });
  expect(await callOk(tenancy, 'GET', '/api/admin/gdpr/requests', { as: other.admin })).toEqual([]);
  await world.done({ requestId });
});
