import { ApiError } from '@botyard/client/api-error';
import { expect, test } from 'vitest';
import { Outgoing } from '../src/pages/inbox/outgoing.ts';

const stored = () => Promise.resolve();

test('a message is shown until the list has it, and messages of a chat are sent one after the other', async () => {
  const outgoing = new Outgoing();
  const posted: string[] = [];
  const first = Promise.withResolvers<{ messageId: string }>();
  const post = ({ text }: { text: string }) => {
    posted.push(text);
    return text === 'one' ? first.promise : Promise.resolve({ messageId: 'second' });
  };
  void outgoing.send('chat', { text: 'one' }, post, stored);
  const last = outgoing.send('chat', { text: 'two' }, post, stored);
  await Promise.resolve();
  expect(posted).toEqual(['one']);
  expect(outgoing.of('chat').map(({ text, state }) => `${text} ${state}`)).toEqual([
    'one sending',
    'two sending',
  ]);
  first.resolve({ messageId: 'first' });
  await last;
  expect(posted).toEqual(['one', 'two']);
  expect(outgoing.of('chat')).toEqual([]);
});

test('a refused message stays with its reason, is never sent again by itself, and holds up no other', async () => {
  const outgoing = new Outgoing();
  const refusal = new ApiError(new Response(null, { status: 409 }), { error: 'the bot handles this chat' });
  const posted: string[] = [];
  const post = ({ text }: { text: string }) => {
    posted.push(text);
    return text === 'one' ? Promise.reject(refusal) : Promise.resolve({ messageId: 'second' });
  };
  await outgoing.send('chat', { text: 'one' }, post, stored);
  await outgoing.send('chat', { text: 'two' }, post, stored);
  expect(posted).toEqual(['one', 'two']);
  const [failed] = outgoing.of('chat');
  expect(failed).toMatchObject({ text: 'one', state: 'failed', reason: 'the bot handles this chat' });
  outgoing.remove('chat', failed!.id);
  expect(outgoing.of('chat')).toEqual([]);
});

test('a file is posted with its text, and tells how much of it has been sent', async () => {
  const outgoing = new Outgoing();
  const file = new File(['menu'], 'menu.pdf');
  const sent = Promise.withResolvers<{ messageId: string }>();
  const sending = outgoing.send(
    'chat',
    { text: 'here', file },
    (written, onProgress) => {
      expect(written).toEqual({ text: 'here', file });
      onProgress(0.5);
      return sent.promise;
    },
    stored,
  );
  await Promise.resolve();
  expect(outgoing.of('chat')).toMatchObject([{ text: 'here', file, share: 0.5, state: 'sending' }]);
  sent.resolve({ messageId: 'first' });
  await sending;
  expect(outgoing.of('chat')).toEqual([]);
});

test('without an answer the author is told that the message may have arrived', async () => {
  const outgoing = new Outgoing();
  await outgoing.send(
    'chat',
    { text: 'one' },
    () => Promise.reject(new TypeError('failed to fetch')),
    stored,
  );
  expect(outgoing.of('chat')[0]?.reason).toContain('Check that the message has not arrived');
});
