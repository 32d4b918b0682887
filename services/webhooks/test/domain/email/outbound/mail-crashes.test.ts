import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/shared/testing/eventually';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  closeMailSurroundings,
  type MailIntegration,
  type MailServices,
  mailEnv,
  mailsOf,
  mailsTo,
  openMailSurroundings,
  openThread,
  saveMailbox,
  sendsTo,
  startMailWebhooks,
} from '../../../mail-services.ts';
import { delivered, publishReplies } from '../../../replies.ts';

let services: MailServices;
let mailbox: MailIntegration;
let marks: string;

beforeAll(async () => {
  services = await openMailSurroundings();
  const first = await startMailWebhooks(services);
  mailbox = await saveMailbox(services);
  await first.stop();
});

beforeEach(async () => {
  services.mailer.clearFaults();
  marks = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
});

afterAll(async () => {
  await closeMailSurroundings(services);
  await rm(marks, { recursive: true, force: true });
});

/** Processes start, die and start again here, on a machine that does other things too. */
const patiently = { timeoutMs: 40_000 };
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
  ['webhooks.mail-sender.before-send', 1],
  ['webhooks.mail-sender.after-send', 2],
])(
  'killed at %s: the mail goes out again with the same Message-Id, as uncertain, and before the next one',
  async (name, copies) => {
    const { reply, address } = await openThread(services, mailbox);
    const [first, second] = [reply('first'), reply('second')];
    const doomed = await start(`${name}:crash`);
    await publishReplies(services, first, second);
    expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await readdir(marks)).toEqual([name]);
    running.push(await start(`${name}:crash`));
    expect(await delivered(services, first, patiently)).toMatchObject({ state: 'sent', isUncertain: true });
    expect(await delivered(services, second, patiently)).toMatchObject({ state: 'sent', isUncertain: false });
    const mails = mailsTo(services, address);
    expect(mails.map(({ text }) => text)).toEqual([...Array(copies).fill('first'), 'second']);
    expect(new Set(mails.map(({ id }) => id)).size).toBe(2);
  },
  90_000,
);

test('a worker that lost its mail during a send writes nothing, and the mail is not announced by it', async () => {
  running.push(await startMailWebhooks(services));
  const { reply, address, threadId } = await openThread(services, mailbox);
  const slow = reply('slow');
  services.mailer.delay('send', 500);
  await publishReplies(services, slow);
  await services.mailer.calls.waitFor(({ params }) => params.to === address);
  await services.harness.asOwner(
    "update webhooks.mails set fence = fence + 1, lease_until = now() + interval '1 hour' where thread_id = $1",
    [threadId],
  );
  await eventually('the worker has noticed', () =>
    services.harness.logLines.some((line) => line.includes('a mail was taken over by another worker')),
  );
  const ours = await mailsOf(services, threadId);
  expect(ours).toMatchObject([{ state: 'sending', attempts: 0, is_uncertain: false }]);
  await services.harness.asOwner(
    "update webhooks.mails set lease_until = now() - interval '1 second' where thread_id = $1",
    [threadId],
  );
  expect(await delivered(services, slow, patiently)).toMatchObject({ state: 'sent', isUncertain: true });
  expect(sendsTo(services, address)).toHaveLength(2);
});

test('without a key mails are kept and say why; with one, and after a restart, they go out', async () => {
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
  running.push(await startMailWebhooks(services, { MAILER_DOMAIN: 'mg.acme.example' }));
  await services.harness.asOwner(
    'update webhooks.mails set ready_at = now() where thread_id = $1 and ready_at is not null',
    [threadId],
  );
  expect(await delivered(services, patient, patiently)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(mailsTo(services, address)).toMatchObject([{ domain: 'mg.acme.example' }]);
});
