import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Box, type MailFixture, newBox, openMailFixture } from '../../../mail-fixture.ts';
import { newMail, newToken, postForm, triple } from '../../../mailboxes.ts';

let fixture: MailFixture;
let box: Box;

beforeAll(async () => {
  fixture = await openMailFixture();
  box = await newBox(fixture);
});
afterAll(() => fixture?.harness.close());

async function post(from: string, language?: string): Promise<string> {
  const headers: [string, string][] = language === undefined ? [] : [['Content-Language', language]];
  const mail = newMail(box, { from, headers });
  const signature = triple({ key: 'signing-key', token: newToken() });
  expect((await postForm(fixture.service, box.botId, { ...mail, ...signature })).status).toBe(200);
  return mail.messageId;
}

const grant = async (value: string) => {
  const body = { botId: box.botId, kind: 'sender', value };
  const answer = await fixture.service.call('POST', '/api/email-threads/senders', {
    as: box.people.admin,
    body,
  });
  expect(answer.status).toBe(201);
};

const languageOf = (messageId: string) =>
  eventually('the mail is a message', async () => {
    const rows = await fixture.harness.asOwner<{ data: string }>(
      'select data from webhooks.outbox where subject like $1 and data like $2',
      [`%.event.${messageReceived.name}.%`, `%${messageId}%`],
    );
    return rows[0] && { language: messageReceived.schema.parse(JSON.parse(rows[0].data)).sender.language };
  });

test('a mail is in the language that it names, and one that names none in none', async () => {
  const anna = 'anna@languages.example';
  await grant(anna);
  expect(await languageOf(await post(anna, 'de-at, en'))).toEqual({ language: 'de-AT' });
  expect(await languageOf(await post(anna))).toEqual({ language: undefined });
  expect(await languageOf(await post(anna, `de-${'x'.repeat(5000)}`))).toEqual({ language: undefined });
});

test("a mail that waited for its sender's permission keeps its language, and so does the mail with the link", async () => {
  const boris = 'boris@languages.example';
  const messageId = await post(boris, 'uk');
  const [link] = await fixture.harness.asOwner<{ subject: string }>(
    `select subject from webhooks.mails where direction = 'out' and recipient = $1`,
    [boris],
  );
  expect(link?.subject).toBe(`Підтвердьте свій лист на ${box.address}`);
  await grant(boris);
  expect(await languageOf(messageId)).toEqual({ language: 'uk' });
});
