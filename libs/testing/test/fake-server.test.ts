import { expect, test } from 'vitest';
import { listenOnLoopback, mountUnder, sendAnswer } from '../src/fake/fake-server.ts';
import { FakeMailer } from '../src/fake-mailer.ts';
import { FakeModel } from '../src/fake-model.ts';

test('several fakes share a port behind prefixes, and other paths use the fallback', async () => {
  const model = new FakeModel();
  const mailer = new FakeMailer();
  const handler = mountUnder({ '/model': model.handle, '/mailer': mailer.handle }, async (_req, res) =>
    sendAnswer(res, { status: 418, body: 'page' }),
  );
  const { origin, close } = await listenOnLoopback(handler);
  expect((await fetch(`${origin}/model/v1/models`)).status).toBe(200);
  expect((await fetch(`${origin}/mailer/v3/x/messages`, { method: 'POST' })).status).toBe(401);
  expect((await fetch(`${origin}/modelling`)).status).toBe(418);
  expect(mailer.calls.last?.path).toBe('/v3/x/messages');
  await close();
});

test('a port in use is an error, not silence', async () => {
  const handler = async () => undefined;
  const first = await listenOnLoopback(handler);
  await expect(listenOnLoopback(handler, first.port)).rejects.toThrow(/EADDRINUSE/);
  await first.close();
});
