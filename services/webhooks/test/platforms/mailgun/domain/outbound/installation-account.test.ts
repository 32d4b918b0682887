import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailsOf,
  mailsTo,
  makeDueNow,
  openMailServices,
  openThread,
  saveMailbox,
  sendsTo,
  startMailWebhooks,
} from '../../../../mail-services.ts';
import { delivered, publishReplies } from '../../../../replies.ts';

const perDay = 6;
const perDayOfBot = 4;
let services: MailServices;

beforeAll(async () => {
  services = await openMailServices();
  const env = {
    MAILER_MESSAGES_PER_DAY: String(perDay),
    MAILER_MESSAGES_PER_DAY_OF_BOT: String(perDayOfBot),
  };
  await startMailWebhooks(services, env);
  await startMailWebhooks(services, env);
});
beforeEach(() => services.mailer.clearFaults());
afterAll(() => closeMailServices(services));

const waits = (threadId: string, reason: string) =>
  eventually('it waits and says why', async () => {
    const [mail] = await mailsOf(services, threadId);
    return mail?.state === 'queued' && mail.reason?.includes(reason) && mail;
  });

/** Replies in threads of their own, so that none waits for another. */
const repliesOf = (mailbox: MailIntegration, count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const thread = await openThread(services, mailbox);
      return { ...thread, said: thread.reply('hello') };
    }),
  );

const statesOf = async (threads: readonly { threadId: string }[]) =>
  (await Promise.all(threads.map(({ threadId }) => mailsOf(services, threadId)))).flatMap((mails) =>
    mails.map(({ state }) => state),
  );

test('W-20: nothing is sent for an address of an unproven domain; once proven it is sent', async () => {
  const address = `support@${randomUUID().slice(0, 8)}.example`;
  const mailbox = await saveMailbox(services, { address });
  const thread = await openThread(services, mailbox);
  const said = thread.reply('hello');
  await publishReplies(services, said);
  await waits(thread.threadId, 'sends only for addresses under bots.acme.example');
  expect(sendsTo(services, thread.address)).toEqual([]);
  const provenDomain = address.split('@')[1]!;
  await saveMailbox(services, { ...mailbox, revision: 2, provenDomain });
  await makeDueNow(services, thread.threadId);
  expect(await delivered(services, said)).toMatchObject({ state: 'sent' });
  expect(mailsTo(services, thread.address)).toMatchObject([{ from: address, domain: 'bots.acme.example' }]);
  await saveMailbox(services, { ...mailbox, revision: 3, provenDomain: 'another.example' });
  const next = thread.reply('again');
  await publishReplies(services, next);
  await eventually('it waits', async () => (await mailsOf(services, thread.threadId))[1]?.state === 'queued');
  expect(sendsTo(services, thread.address)).toHaveLength(1);
});

test('W-20: a mailbox without a signing key answers no unverified sender on the account', async () => {
  const mailbox = await saveMailbox(services, { secrets: { senderPolicy: 'open' } });
  const thread = await openThread(services, mailbox);
  await publishReplies(services, thread.reply('hello'));
  await waits(thread.threadId, 'needs settings.email.webhookSigningKey');
  expect(sendsTo(services, thread.address)).toEqual([]);
});

test("W-20: two senders together send exactly a bot's and its tenant's limit in a day; the rest is sent the next day", async () => {
  const mailbox = await saveMailbox(services);
  const second = await saveMailbox(services, { tenantId: mailbox.tenantId });
  const ofBot = await repliesOf(mailbox, 12);
  await publishReplies(services, ...ofBot.map(({ said }) => said));
  await eventually('the bot has used its day', async () => {
    const states = await statesOf(ofBot);
    const reasons = await Promise.all(
      ofBot.map(async ({ threadId }) => (await mailsOf(services, threadId))[0]?.reason),
    );
    return (
      states.length === 12 &&
      reasons.filter((reason) => reason?.includes('mail account sends for a bot')).length === 8
    );
  });
  expect((await statesOf(ofBot)).filter((state) => state === 'sent')).toHaveLength(perDayOfBot);
  const ofSecond = await repliesOf(second, 4);
  await publishReplies(services, ...ofSecond.map(({ said }) => said));
  await eventually('the tenant has used its day', async () => {
    const reasons = await Promise.all(
      ofSecond.map(async ({ threadId }) => (await mailsOf(services, threadId))[0]?.reason),
    );
    return reasons.filter((reason) => reason?.includes('mail account sends for a tenant')).length === 2;
  });
  const sent = () => [...ofBot, ...ofSecond].flatMap(({ address }) => mailsTo(services, address)).length;
  expect(sent()).toBe(perDay);
  for (let day = 1; sent() < 16 && day < 6; day += 1) {
    const before = sent();
    await services.harness.asOwner(
      'update webhooks.mail_day_counts set ends_at = now() where tenant_id = $1',
      [mailbox.tenantId],
    );
    for (const { threadId } of [...ofBot, ...ofSecond]) await makeDueNow(services, threadId);
    await eventually('more is sent', () => sent() > before);
    await eventually(
      'nothing is under way',
      async () => !(await statesOf([...ofBot, ...ofSecond])).includes('sending'),
    );
  }
  expect(sent()).toBe(16);
});

test("a retried mail is counted once, and a tenant's own account is not counted", async () => {
  const mailbox = await saveMailbox(services);
  const [first] = await repliesOf(mailbox, 1);
  services.mailer.fail('send', { status: 500, body: { message: 'no' }, times: 1 });
  await publishReplies(services, first!.said);
  await eventually(
    'it failed once',
    async () => (await mailsOf(services, first!.threadId))[0]?.attempts === 1,
  );
  await makeDueNow(services, first!.threadId);
  await delivered(services, first!.said);
  const counts = () =>
    services.harness.asOwner<{ hits: number }>(
      'select hits from webhooks.mail_day_counts where tenant_id = $1',
      [mailbox.tenantId],
    );
  expect(await counts()).toEqual([{ hits: 1 }, { hits: 1 }]);
  const own = await saveMailbox(services, {
    tenantId: mailbox.tenantId,
    secrets: { senderPolicy: 'open', apiKey: services.mailer.apiKey },
  });
  const many = await repliesOf(own, perDay + 1);
  await publishReplies(services, ...many.map(({ said }) => said));
  await Promise.all(many.map(({ said }) => delivered(services, said)));
  expect(await counts()).toEqual([{ hits: 1 }, { hits: 1 }]);
});
