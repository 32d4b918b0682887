import { randomUUID } from 'node:crypto';
import { releaseChanged } from '@botyard/contracts/events/agents-releases';
import { eventually } from '@botyard/testing/eventually';
import { type FakeMailer, startFakeMailer } from '@botyard/testing/fake-mailer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPlatform, type Platform, startWebhooks, userIdOf } from '../whole-platform.ts';

const apiKey = 'mailer-key-0123456789';
const reason =
  'more chats have an apology in place of an answer: 12 of 40 with the candidate, and 3 of 60 with the live version';
let platform: Platform;
let mailer: FakeMailer;
let adminId: string;
let address: string;

beforeAll(async () => {
  [platform, mailer] = await Promise.all([openPlatform(), startFakeMailer({ apiKey })]);
  adminId = await userIdOf(platform, platform.acme.admin);
  await startWebhooks(platform, 'https://hooks.example.com', {
    MAILER_API_URL: mailer.url,
    MAILER_API_KEY: apiKey,
    MAILER_DOMAIN: 'bots.example',
  });
});
afterAll(async () => {
  await platform?.close();
  await mailer?.close();
});
beforeEach(async () => {
  address = `anna-${randomUUID()}@people.example`;
  const { harness } = platform;
  await harness.asOwner('delete from webhooks.link_counts');
  await harness.asOwner('update tenancy.users set email = $2 where user_id = $1', [adminId, address]);
});

async function withdraw({ agentName = 'Support', isByRule = true, releaseId = randomUUID() } = {}) {
  const agentId = randomUUID();
  await platform.harness.publish(releaseChanged, {
    tenantId: platform.acme.tenantId,
    agentId,
    releaseId,
    version: 3,
    share: 0,
    state: 'withdrawn',
    reason,
    ...(isByRule && { withdrawnByRule: { agentName } }),
  });
  await platform.harness.settled('tenancy', 'agents');
  return { agentId, releaseId };
}

const mails = () => mailer.sent.all.filter(({ to }) => to.includes(address));
const rowsOf = (releaseId: string) =>
  platform.harness.asOwner<{ user_id: string; due_at: Date | null; sends: number }>(
    'select user_id, due_at, sends from tenancy.release_mails where release_id = $1',
    [releaseId],
  );
const isSettled = async (releaseId: string) =>
  await eventually('its mails are settled', async () => {
    const rows = await rowsOf(releaseId);
    return rows.length > 0 && rows.every(({ due_at }) => due_at === null);
  });

test('each admin, and no member, gets one mail with agent, version, numbers and link, also when the event comes twice', async () => {
  const { agentId, releaseId } = await withdraw();
  await isSettled(releaseId);
  await withdraw({ releaseId });
  expect((await rowsOf(releaseId)).map(({ user_id }) => user_id)).toEqual([adminId]);
  expect(mails()).toHaveLength(1);
  const [mail] = mails();
  expect(mail).toMatchObject({
    from: 'no-reply@bots.example',
    subject: 'Version 3 of Support was withdrawn',
  });
  expect(mail?.html).toBeUndefined();
  expect(mail?.text).toContain(reason);
  expect(mail?.text).toContain(`http://localhost:3001/agents/${agentId}`);
});

test('a release that a person withdrew causes no mail', async () => {
  const { releaseId } = await withdraw({ isByRule: false });
  expect(await rowsOf(releaseId)).toEqual([]);
});

test('the name of an agent can put no line, address or markup into the mail', async () => {
  const agentName = 'A\r\nBcc: all@x.example <b>https://evil.example';
  const { releaseId } = await withdraw({ agentName });
  await isSettled(releaseId);
  const [mail] = mails();
  expect(mail?.subject).toBe('Version 3 of A Bcc all x. example b https evil. example was withdrawn');
  expect(mail?.text?.match(/https?:\/\/\S+/g)).toHaveLength(1);
});

test('a mail waits while its tenant has used its day, and is sent later', async () => {
  const { harness, acme } = platform;
  await harness.asOwner('update webhooks.mail_day_counts set hits = 500 where tenant_id = $1', [
    acme.tenantId,
  ]);
  const { releaseId } = await withdraw();
  await eventually('it waits', async () => (await rowsOf(releaseId))[0]?.sends === 0);
  expect(mails()).toEqual([]);
  await harness.asOwner('delete from webhooks.mail_day_counts');
  await harness.asOwner('update tenancy.release_mails set due_at = now() where release_id = $1', [releaseId]);
  await isSettled(releaseId);
  expect(mails()).toHaveLength(1);
});

test('a mail whose outcome is unknown twice is not sent a third time, and a former admin gets none', async () => {
  const { harness } = platform;
  const insert = (releaseId: string, userId: string, sends: number) =>
    harness.asOwner(
      `insert into tenancy.release_mails
         (tenant_id, release_id, user_id, mail_id, agent_id, agent_name, version, reason, due_at, sends)
       values ($1, $2, $3, gen_random_uuid(), gen_random_uuid(), 'Support', 3, 'x', now() - interval '1 hour', $4)`,
      [platform.acme.tenantId, releaseId, userId, sends],
    );
  const [uncertain, former] = [randomUUID(), randomUUID()];
  await insert(uncertain, adminId, 2);
  await insert(former, await userIdOf(platform, platform.acme.member), 0);
  const { releaseId } = await withdraw();
  await isSettled(releaseId);
  expect(mails()).toHaveLength(1);
  expect([...(await rowsOf(uncertain)), ...(await rowsOf(former))].map(({ sends }) => sends)).toEqual([2, 0]);
});

test('an attempt that a dead process left behind is repeated once, as the same mail', async () => {
  const { harness } = platform;
  const { releaseId } = await withdraw();
  await isSettled(releaseId);
  const lose = () =>
    harness.asOwner(`update tenancy.release_mails set due_at = now() where release_id = $1`, [releaseId]);
  await lose();
  await eventually('it is sent again', () => mails().length === 2);
  await isSettled(releaseId);
  await lose();
  await withdraw();
  await eventually('a later mail is sent', () => mails().length === 3);
  const [first, second, later] = mails().map(({ headers }) => headers['Message-Id']);
  expect(second).toBe(first);
  expect(later).not.toBe(first);
});
