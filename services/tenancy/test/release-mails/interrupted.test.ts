import { randomUUID } from 'node:crypto';
import { releaseChanged } from '@botyard/contracts/events/agents-releases';
import { eventually } from '@botyard/testing/eventually';
import { type FakeMailer, startFakeMailer } from '@botyard/testing/fake-mailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlatform, type Platform, startTenancy, startWebhooks, userIdOf } from '../whole-platform.ts';

const apiKey = 'mailer-key-0123456789';
let platform: Platform;
let mailer: FakeMailer;
let adminId: string;
let webhooks: Awaited<ReturnType<typeof startWebhooks>>;
let tenancy: Platform['tenancy'];

beforeAll(async () => {
  [platform, mailer] = await Promise.all([openPlatform(), startFakeMailer({ apiKey })]);
  adminId = await userIdOf(platform, platform.acme.admin);
  tenancy = platform.tenancy;
  webhooks = await startWebhooks(platform, 'https://hooks.example.com', {
    MAILER_API_URL: mailer.url,
    MAILER_API_KEY: apiKey,
    MAILER_DOMAIN: 'bots.example',
  });
});
afterAll(async () => {
  await platform?.close();
  await mailer?.close();
});

/** A withdrawal by a rule, and the address of the admin from then on. */
async function withdraw(): Promise<{ releaseId: string; address: string }> {
  const releaseId = randomUUID();
  const address = `anna-${randomUUID()}@people.example`;
  const { harness, acme } = platform;
  await harness.asOwner('update tenancy.users set email = $2 where user_id = $1', [adminId, address]);
  await harness.publish(releaseChanged, {
    tenantId: acme.tenantId,
    agentId: randomUUID(),
    releaseId,
    version: 3,
    share: 0,
    state: 'withdrawn',
    reason: 'more chats have an apology in place of an answer',
    withdrawnByRule: { agentName: 'Support' },
  });
  return { releaseId, address };
}

const mailsTo = (address: string) => mailer.sent.all.filter(({ to }) => to.includes(address));

const isSettled = (releaseId: string) =>
  eventually('its mail is settled', async () => {
    const rows = await platform.harness.asOwner<{ due_at: Date | null }>(
      'select due_at from tenancy.release_mails where release_id = $1',
      [releaseId],
    );
    return rows.length > 0 && rows.every(({ due_at: dueAt }) => dueAt === null);
  });

test.each(['tenancy.mails.claimed', 'tenancy.mails.sent'])(
  'after a process dies at %s its mail is sent, at most twice, as the same mail',
  async (failpoint) => {
    const { harness, idp, messenger } = platform;
    await tenancy.stop();
    const crashing = await harness.startProcess('tenancy', {
      MESSENGER_API_URL: messenger.url,
      IDP_API_URL: idp.url,
      FAILPOINTS: `${failpoint}:crash`,
    });
    const { releaseId, address } = await withdraw();
    await crashing.ended;
    tenancy = await startTenancy(platform);
    await harness.asOwner('update tenancy.release_mails set due_at = now() where release_id = $1', [
      releaseId,
    ]);
    await isSettled(releaseId);
    const messageIds = mailsTo(address).map(({ headers }) => headers['Message-Id']);
    expect(messageIds).toHaveLength(failpoint.endsWith('sent') ? 2 : 1);
    expect(new Set(messageIds).size).toBe(1);
  },
);

test('without a mailer no mail is sent, and none waits for one', async () => {
  await webhooks.stop();
  await startWebhooks(platform, 'https://hooks.example.com');
  const { releaseId, address } = await withdraw();
  await isSettled(releaseId);
  expect(mailsTo(address)).toEqual([]);
});
