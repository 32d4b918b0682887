import { expect, test } from 'vitest';
import { buildMail } from '../../../../../src/platforms/mailgun/domain/outbound/build-mail.ts';
import { answerSubject } from '../../../../../src/platforms/mailgun/domain/outbound/header-text.ts';

const mailbox = { address: 'support@bots.acme.example', botId: 'bot-1' };
const thread = { plusToken: 'k7', references: ['a@x.example'] };
const mail = {
  messageId: 'reply.1@bots.acme.example',
  inReplyTo: 'a@x.example',
  recipient: 'anna@example.com',
  subject: 'Re: Hi',
  text: 'Hello',
  html: '<p>Hello</p>',
  isByStaff: false,
  language: null as string | null,
};

const built = (change: Partial<typeof mail> = {}, references = thread.references) => {
  const message = buildMail(mailbox, { ...thread, references }, { ...mail, ...change });
  if ('refusal' in message) throw new Error(message.refusal);
  return message;
};

test.each([
  ['Where?', 'Re: Where?'],
  ['re: AW: Re[2]: Antw : Where?', 'Re: Where?'],
  ['回复：Re: 答复: Where?', 'Re: Where?'],
  ['R: RE : YNT: Re(3): Where?', 'Re: Where?'],
  ['رد: Where?', 'Re: Where?'],
  ['Regarding: x', 'Re: Regarding: x'],
  ['Fwd: x', 'Re: Fwd: x'],
  ['', 'Re: (no subject)'],
  ['Re: ', 'Re: (no subject)'],
  ['Hi\r\nBcc: victim@example.com', 'Re: Hi Bcc: victim@example.com'],
  ['a\u0000b\u2028c\u202ed\u0085e', 'Re: a b c d e'],
  ['👩‍👩‍👧 family', 'Re: 👩‍👩‍👧 family'],
])('the subject %j is answered as %j', (subject, expected) => expect(answerSubject(subject)).toBe(expected));

test('no value can inject a header, for any input from outside', () => {
  const { subject, headers } = built(
    { subject: 'x\r\nBcc: a@b.example\n\nbody', inReplyTo: 'a>\r\nBcc: b' },
    ['ok@x.example', 'evil>\r\nX-Evil: 1 <', 'nul\0@x.example'],
  );
  for (const value of [subject, ...Object.values(headers)]) expect(value).not.toMatch(/[\r\n\0]/);
  expect(headers).toMatchObject({ References: '<ok@x.example>' });
  expect(headers).not.toHaveProperty('In-Reply-To');
});

test('the address for answers names the thread, unless its local part would be too long to receive mail', () => {
  const replyTo = (local: string) => {
    const message = buildMail(
      { ...mailbox, address: `${local}@acme.example` },
      { ...thread, plusToken: 'k'.repeat(20) },
      mail,
    );
    return 'refusal' in message ? undefined : message.headers['Reply-To'];
  };
  expect(replyTo('x'.repeat(43))).toBe(`${'x'.repeat(43)}+${'k'.repeat(20)}@acme.example`);
  expect(replyTo('x'.repeat(44))).toBe(`${'x'.repeat(44)}@acme.example`);
});

test('declares the language in which it is written, if it is known', () => {
  expect(built({ language: 'pt' }).headers).toMatchObject({ 'Content-Language': 'pt' });
  expect(built().headers).not.toHaveProperty('Content-Language');
});

test.each([
  'a@x.example, b@x.example',
  'a b@x.example',
  'Anna <a@x.example>',
  'a@b@c',
  '',
  'a@x.example\r\nBcc: y',
  '"a"@x.example',
])('nothing is sent to %j', (recipient) =>
  expect(buildMail(mailbox, thread, { ...mail, recipient })).toHaveProperty('refusal'),
);

test("the first and the newest of thousands of references are kept, within the mailer's limit", () => {
  const references = Array.from({ length: 3000 }, (_, index) => `${'x'.repeat(200)}${index}@x.example`);
  const { headers } = built({ inReplyTo: references[2999]! }, references);
  const ids = headers.References!.split(' ');
  expect(ids[0]).toBe(`<${references[0]}>`);
  expect(ids.at(-1)).toBe(headers['In-Reply-To']);
  expect(ids.length).toBeGreaterThan(40);
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + `h:${name}${value}`.length, 0);
  expect(bytes).toBeLessThan(15_000);
});

test("a bot's answer is marked as automatic, and a person's message is not; both are marked as ours", () => {
  const ofBot = built().headers;
  const ofStaff = built({ isByStaff: true }).headers;
  expect(ofBot).toMatchObject({ 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' });
  for (const name of ['Auto-Submitted', 'X-Auto-Response-Suppress']) expect(ofStaff).not.toHaveProperty(name);
  expect(ofStaff).toMatchObject({ 'X-Botyard-Bot': 'bot-1', References: '<a@x.example>' });
});
