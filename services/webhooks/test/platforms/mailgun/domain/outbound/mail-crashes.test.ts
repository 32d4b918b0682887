import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailEnv,
  mailsOf,
  mailsTo,
  makeDueNow,
  openMailServices,
  openThread,
  saveMailbox,
  sendsTo,
  startMailWebhooks,
} from '../../../../mail-services.ts';
import { delivered, partsIn, publishReplies } from '../../../../replies.ts';

let services: MailServices;
let mailbox: MailIntegration;
/** Holds a folder of crash marks for each test. */
let folder: string;
let marks: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  services = await openMailServices();
  const first = await startMailWebhooks(services);
  mailbox = await saveMailbox(services);
  await first.stop();
});

beforeEach(async () => {
  services.mailer.clearFaults();
  marks = await mkdtemp(join(folder, 'marks-'));
});

afterAll(async () => {
  await closeMailServices(services);
  await rm(folder, { recursive: true, force: true });
});

/** Processes start, die and start again here, on a machine that does other things too. */
const running: { stop(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});

const start = (failpoints: string) =>
  services.harness.startProcess('webhooks', {
    ...mailEnv(services),
    NODE_ENV: 'test',
    FAILPOINTS: failpoints,
    FAILPOINTS_DIR: marks,
  });

test.each([
  ['webhooks.sender.before-send', 1],
  ['webhooks.sender.after-send', 2],
])(
  'killed at %s: the mail is sent again with the same Message-Id, as uncertain, and before the next one',
  async (name, copies) => {
    const { reply, address } = await openThread(services, mailbox);
    const [first, second] = [reply('first'), reply('second')];
    const doomed = await start(`${name}:crash`);
    await publishReplies(services, first, second);
    expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await readdir(marks)).toEqual([name]);
    running.push(await start(`${name}:crash`));
    expect(await delivered(services, first)).toMatchObject({ state: 'sent', isUncertain: true });
    expect(await delivered(services, second)).toMatchObject({ state: 'sent', isUncertain: false });
    const mails = mailsTo(services, address);
    expect(mails.map(({ text }) => text)).toEqual([...Array(copies).fill('first'), 'second']);
    expect(new Set(mails.map(({ id }) => id)).size).toBe(2);
  },
);

test('a worker that lost its mail during a send still writes the outcome, and it is sent once', async () => {
  running.push(await startMailWebhooks(services));
  const { reply, address, threadId } = await openThread(services, mailbox);
  const slow = reply('slow');
  const goOn = services.mailer.hold('send');
  await publishReplies(services, slow);
  await services.mailer.calls.waitFor(({ params }) => params.to === address);
  await services.harness.asOwner(
    "update webhooks.chats set fence = fence - 1, owner = gen_random_uuid(), lease_until = now() + interval '1 hour' where platform_chat_id = $1",
    [threadId],
  );
  goOn();
  expect(await delivered(services, slow)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(await mailsOf(services, threadId)).toMatchObject([{ state: 'sent', is_uncertain: false }]);
  expect(sendsTo(services, address)).toHaveLength(1);
});

test('with the outbox locked, the outcome of a mail is still written, and announced when the lock is released', async () => {
  running.push(await startMailWebhooks(services));
  const { reply, address, threadId } = await openThread(services, mailbox);
  const [slow, next] = [reply('slow'), reply('next')];
  const goOn = services.mailer.hold('send');
  await publishReplies(services, slow, next);
  await services.mailer.calls.waitFor(({ params }) => params.to === address);
  const blocker = await services.harness.databaseAs('webhooks').pool.connect();
  await blocker.query('begin; lock table webhooks.outbox in access exclusive mode');
  goOn();
  await eventually(
    'the outcome is written',
    async () => (await partsIn(services, threadId))[0]?.state === 'sent',
  );
  await blocker.query('rollback');
  blocker.release();
  expect(await delivered(services, slow)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(await delivered(services, next)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(sendsTo(services, address)).toHaveLength(2);
});

test('without a key mails are kept and show the reason; with one, and after a restart, they are sent', async () => {
  const without = await startMailWebhooks(services, { MAILER_API_KEY: '' });
  const { reply, address, threadId } = await openThread(services, mailbox);
  const patient = reply('patient');
  await publishReplies(services, patient);
  const mail = await eventually('it is kept', async () => {
    const [found] = await mailsOf(services, threadId);
    return found?.reason ? found : undefined;
  });
  expect(mail).toMatchObject({ state: 'queued', reason: 'MAILER_API_KEY is not set', attempts: 0 });
  expect(sendsTo(services, address)).toEqual([]);
  await without.stop();
  running.push(await startMailWebhooks(services));
  await makeDueNow(services, threadId);
  expect(await delivered(services, patient)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(mailsTo(services, address)).toMatchObject([{ domain: 'bots.acme.example' }]);
});
