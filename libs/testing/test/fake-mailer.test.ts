import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeMailer, startFakeMailer } from '../src/fake-mailer.ts';

let mailer: FakeMailer;

beforeEach(async () => {
  mailer = await startFakeMailer({ apiKey: 'key-1' });
});

afterEach(() => mailer.close());

function send(body: URLSearchParams | FormData, key = 'key-1') {
  const authorization = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;
  return fetch(`${mailer.url}/v3/mg.example.test/messages`, {
    method: 'POST',
    headers: { authorization },
    body,
  });
}

const fields = {
  from: 'bot@mg.example.test',
  to: 'a@example.test, b@example.test',
  subject: 'Re: hi',
  text: 'hello',
};

test('queues a message and keeps its headers apart', async () => {
  const response = await send(new URLSearchParams({ ...fields, 'h:In-Reply-To': '<1@x>' }));
  const body = (await response.json()) as { id: string; message: string };
  expect(body).toMatchObject({ message: 'Queued. Thank you.' });
  expect(body.id).toMatch(/^<.+@mg\.example\.test>$/);
  expect(mailer.sent.last).toMatchObject({
    to: ['a@example.test', 'b@example.test'],
    text: 'hello',
    headers: { 'In-Reply-To': '<1@x>' },
  });
});

test('takes multipart with attachments', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('attachment', new File(['data'], 'note.txt', { type: 'text/plain' }));
  expect((await send(form)).status).toBe(200);
  expect(mailer.sent.last?.fields.attachment).toMatchObject({ fileName: 'note.txt', sizeBytes: 4 });
});

test('a wrong key is 401, a missing field 400 with a text', async () => {
  expect((await send(new URLSearchParams(fields), 'other')).status).toBe(401);
  const refused = await send(new URLSearchParams({ ...fields, to: '' }));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toEqual({ message: 'to parameter is missing' });
});
