import { spokenLanguages } from '@botyard/contracts/http/bot-words';
import { expect, test } from 'vitest';
import { createInvitationMail } from '../../../../../src/platforms/mailgun/domain/invitations/invitation-mail.ts';

const link = 'https://bots.example.com/?invitation=0192';
const mailOf = (tenantName: string, language = 'en') => createInvitationMail({ tenantName, language, link });

test.each(spokenLanguages)(
  'in %s it names the tenant and the link, and declares its language',
  (language) => {
    const mail = mailOf('Acme', language);
    expect(mail.language).toBe(language);
    expect(mail.subject).toContain('Acme');
    expect(mail.text).toContain('Acme');
    expect(mail.text.split('\n\n')).toContain(link);
  },
);

test.each([
  ['Acme\r\nBcc: all@x.example', 'Acme Bcc all x. example'],
  ['Go to https://evil.example/login now', 'Go to https evil. example login now'],
  ['\u202egnihton\u0000', 'gnihton'],
  ['<b>Acme</b>', 'b Acme b'],
  ['Acme Inc.', 'Acme Inc.'],
  ['\n', '?'],
  ['x'.repeat(200), 'x'.repeat(80)],
])('a tenant called %j can put no line, address or markup into it', (name, shown) => {
  const { subject, text } = mailOf(name);
  expect(subject).toBe(`You are invited to ${shown}`);
  expect(text).toContain(`work with ${shown} on Botyard`);
  expect(text.match(/https?:\/\/\S+/g)).toEqual([link]);
});

test('a language without a catalogue gets English', () => {
  expect(mailOf('Acme', 'nl')).toEqual(mailOf('Acme'));
  expect(mailOf('Acme', 'pt-BR').language).toBe('pt');
});
