import { describe, expect, test } from 'vitest';
import { mailForm } from '../../../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { readMail } from '../../../../../../src/platforms/mailgun/domain/inbound/read/read-mail.ts';
import {
  isDeliveryReport,
  readReport,
} from '../../../../../../src/platforms/mailgun/domain/inbound/receive/delivery-report.ts';
import { collectFields } from '../../../../../collect-fields.ts';

const group = (recipient: string, action: string, status: string) =>
  `Final-Recipient: rfc822; ${recipient}\nAction: ${action}\nStatus: ${status}`;

describe('only a final failure counts', () => {
  test.each([
    ['a delay of RFC 3464', group('anna@x.example', 'delayed', '4.4.7'), '', false],
    [
      'a full mailbox (mautic/mautic#9190)',
      'Status: 4.2.2\nDiagnostic-Code: smtp; 452 over quota',
      '',
      false,
    ],
    ['a failure', group('anna@x.example', 'failed', '5.1.1'), '', true],
    ['a failure after days of trying', group('anna@x.example', 'failed', '4.4.7'), '', true],
    ['a relayed mail', group('anna@x.example', 'relayed', '2.0.0'), '', false],
    [
      'the failure of another recipient',
      `${group('ben@x.example', 'failed', '5.1.1')}\n\n${group('anna@x.example', 'delayed', '4.0.0')}`,
      '',
      false,
    ],
    [
      'Exim, late',
      'has not yet been delivered. No action is required on your part.',
      'Warning: message delayed 24 hours',
      false,
    ],
    [
      'Sendmail, late',
      'THIS IS A WARNING MESSAGE ONLY\nYOU DO NOT NEED TO RESEND YOUR MESSAGE',
      'Warning: could not send message for past 4 hours',
      false,
    ],
    ['a German server, late', 'Die Nachricht wurde noch nicht zugestellt.', 'Zustellung verzögert', false],
    ['a Japanese server, late', 'メールの配信が遅延しています。', '配信の遅延', false],
    [
      'qmail',
      "Sorry, I wasn't able to establish an SMTP connection. This is a permanent error; I've given up.",
      'failure notice',
      true,
    ],
    [
      'Exim, failed',
      'SMTP error from remote mail server after RCPT TO: 550 no such user',
      'Mail delivery failed: returning message to sender',
      true,
    ],
    ['Exchange in German', 'Ihre Nachricht konnte nicht zugestellt werden.', 'Unzustellbar: Frage', true],
    ['Exchange in Chinese', '您的邮件', '未送达: 问题', true],
    ['words that say neither', 'Thank you for your mail.', 'About your mail', false],
    [
      'a number in the returned mail',
      'Your mail:\n\nReceived: from x\n\n550 5.1.1 is my order',
      'Your mail',
      false,
    ],
  ])('%s', (_what, text, subject, hasFailed) => {
    expect(readReport(text, { subject, recipient: 'anna@x.example' }).hasFailed).toBe(hasFailed);
  });
});

test('the reason is in the words of the server', () => {
  expect(readReport('said: 550 5.1.1 <anna@x.example> unknown\nmore').reason).toBe(
    'said: 550 5.1.1 <anna@x.example> unknown',
  );
});

test.each([
  ['a report of RFC 3464', { 'Content-Type': 'multipart/report; report-type=delivery-status' }, true],
  ['faveosuite/faveo-helpdesk#150', { From: 'mailer-daemon@x.example', 'Return-Path': '<>' }, true],
  ['Exim', { From: 'a@x.example', 'X-Failed-Recipients': 'anna@x.example' }, true],
  [
    'Exchange',
    {
      From: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@x.example>',
      Subject: 'Undeliverable: a',
    },
    true,
  ],
  [
    'a server without a domain',
    { From: 'MAILER-DAEMON (Mail Delivery System)', Subject: 'failure notice', 'Return-Path': '<>' },
    true,
  ],
  ['a person who writes about it', { From: 'anna@x.example', Subject: 'Undeliverable: my parcel' }, false],
  ['a read receipt', { 'Content-Type': 'multipart/report; report-type=disposition-notification' }, false],
] as [string, Record<string, string>, boolean][])(
  'is a report or not: %s',
  async (_what, fields, isReport) => {
    expect(isDeliveryReport(await readMail(mailForm(collectFields(fields))))).toBe(isReport);
  },
);
