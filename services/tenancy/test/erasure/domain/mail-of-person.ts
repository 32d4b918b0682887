import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { Answer } from '@botyard/testing/test-call';
import {
  newMail,
  postMail,
  type TestFile,
  type TestMailbox,
  triple,
} from '../../../../webhooks/test/mailboxes.ts';
import { callOk } from '../../whole-platform.ts';
import type { ErasureFixture } from './erasure-fixture.ts';

const signingKey = 'key-of-the-mailer-1';

/** A mailbox of the fixture's bot, whose unknown senders wait. */
export async function openMailbox(fixture: ErasureFixture): Promise<TestMailbox> {
  const { tenantId, admin } = fixture.people;
  const { tenancy, harness } = fixture.platform;
  const address = `support-${randomUUID().slice(0, 8)}@bots.example`;
  const { integrationId } = await callOk(
    tenancy,
    'POST',
    `/api/bots/${tenantId}/${fixture.botId}/integrations`,
    {
      as: admin,
      body: {
        integrationType: 'email',
        credentials: { address },
        settings: { email: { senderPolicy: 'authorized', webhookSigningKey: signingKey } },
      },
    },
  );
  await harness.settled('webhooks', 'tenancy');
  return {
    tenantId,
    integrationId,
    botId: fixture.botId,
    address,
    key: signingKey,
    revision: 1,
    senderPolicy: 'authorized',
    allowedLists: [],
    isEnabled: true,
  };
}

export interface InboundMail {
  messageId: string;
  /** Delivers it, with one signature each time or with a new one. */
  post(signed: 'once' | 'anew'): Promise<Answer>;
}

export function inboundMail(
  fixture: ErasureFixture,
  mailbox: TestMailbox,
  { from, text, files = [] }: { from: string; text: string; files?: TestFile[] },
): InboundMail {
  const fields = newMail(mailbox, { from, text });
  const signature = triple({ key: signingKey });
  return {
    messageId: fields.messageId,
    post: (signed) =>
      postMail(fixture.webhooks, mailbox, fields, { files, ...(signed === 'once' ? { signature } : {}) }),
  };
}

/** An admin admits a sender, which releases waiting mail. */
export const admitSender = (fixture: ErasureFixture, address: string) =>
  callOk(fixture.webhooks, 'POST', '/api/email-threads/senders', {
    as: fixture.people.admin,
    body: { botId: fixture.botId, kind: 'sender', value: address },
  });

export async function answeredTo(fixture: ErasureFixture, address: string, text: string): Promise<void> {
  await eventually(`a mail to ${address}`, () =>
    fixture.mailer.sent.all.some((mail) => mail.to.includes(address) && mail.text.includes(text)),
  );
}
