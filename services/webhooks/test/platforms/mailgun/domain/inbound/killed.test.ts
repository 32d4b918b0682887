import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePdf, pageOf } from '../../../../../../agents/test/knowledge/domain/pdf.ts';
import { newMail, postMail, saveMailbox, type TestMailbox } from '../../../../mailboxes.ts';
import { slowPdf } from '../../../../slow-pdf.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  startWebhooks,
  type WebhooksServices,
} from '../../../../webhooks-services.ts';

let services: WebhooksServices;
let mailbox: TestMailbox;
let marks: string;
beforeAll(async () => {
  services = await openWebhooksServices();
  marks = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  const first = await startWebhooks(services);
  mailbox = await saveMailbox(services);
  await first.stop();
});
afterAll(async () => {
  await closeWebhooksServices(services);
  await rm(marks, { recursive: true, force: true });
});

const start = (failpoints: Record<string, string> = {}) =>
  services.harness.startProcess('webhooks', { NODE_ENV: 'test', ...failpoints });
const messages = () => eventsOf(services.harness, messageReceived);
const slow = { name: 'slow.pdf', bytes: slowPdf };
const invoice = { name: 'invoice.pdf', bytes: makePdf([pageOf('Invoice 4711')]) };
const readDocuments = [
  { name: 'slow.pdf', textMissing: 'too_slow' },
  { name: 'invoice.pdf', text: 'Page 1\nInvoice 4711' },
];

const crash = { FAILPOINTS: 'webhooks.mail-reading.before-commit:crash' };

test.each([
  ['while it reads', {}],
  ['before it passes on what it has read', crash],
])(
  'a process that is killed %s loses neither a mail that it answered with 200 nor the text of its PDF',
  async (_when, failpoints) => {
    const before = (await messages()).length;
    const killed = await start({ ...failpoints, FAILPOINTS_DIR: marks });
    const mail = newMail(mailbox);
    expect((await postMail(killed, mailbox, mail, { files: [slow, invoice] })).status).toBe(200);
    if (failpoints !== crash) killed.signal('SIGKILL');
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await messages()).toHaveLength(before);
    // Ends the dead process's lease, so that the test doesn't wait for it.
    await services.harness.asOwner('update webhooks.mail_readings set lease_until = now()');
    const next = await start();
    const all = await eventually('it is passed on', async () => {
      const receivedMessages = await messages();
      return receivedMessages.length > before && receivedMessages;
    });
    expect(all).toHaveLength(before + 1);
    expect(all.at(-1)!.platformMessageId).toBe(mail.messageId);
    expect(all.at(-1)!.mail!.documents).toMatchObject(readDocuments);
    await next.stop();
  },
);
