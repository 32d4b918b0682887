import { describe, expect, test } from 'vitest';
import type { MessageRow } from '../../../src/conversations/store/messages.ts';
import { nextTurn } from '../../../src/turns/domain/next-turn.ts';

const now = Date.UTC(2026, 0, 1);

/** A queued message; times are in milliseconds before now. */
function message(
  seq: number,
  given: {
    receivedAgo?: number;
    createdAgo?: number;
    command?: boolean;
    content?: MessageRow['content'];
    albumId?: string;
  },
): MessageRow {
  const {
    receivedAgo = 1000,
    createdAgo = receivedAgo,
    command = false,
    content = 'text',
    albumId = null,
  } = given;
  return {
    seq,
    content,
    albumId,
    automaticReason: null,
    command: command ? { name: 'help', argument: '' } : null,
    receivedAt: new Date(now - receivedAgo),
    createdAt: new Date(now - createdAgo),
  } as MessageRow;
}

const seqs = (queued: MessageRow[], joinWindowMs: number) =>
  nextTurn(queued, joinWindowMs).map(({ seq }) => seq);

describe('messages that are answered together', () => {
  const burst = [
    message(1, { receivedAgo: 3000 }),
    message(2, { receivedAgo: 2000 }),
    message(3, { receivedAgo: 1000 }),
  ];
  const command = (seq: number) => message(seq, { command: true });
  const picture = (seq: number) => message(seq, { content: 'unsupported' });
  const text = (seq: number) => message(seq, {});
  const album = (albumId: string, from = 1) =>
    [from, from + 1, from + 2].map((seq) => message(seq, { albumId, content: 'unsupported' }));
  const slowAlbum = (apartMs: number) =>
    [3000, 3000 - apartMs].map((receivedAgo, index) => message(index + 1, { albumId: 'a', receivedAgo }));

  test.each([
    ['nothing', [], 1200, []],
    ['a single message', [text(1)], 1200, [1]],
    ['a burst, each within the window of the one before', burst, 1200, [1, 2, 3]],
    ['a burst at exactly the window', burst, 1000, [1, 2, 3]],
    ['the first alone, when the second is outside the window', burst, 999, [1]],
    ['each message alone, when joining is off', [text(1), text(2)], 0, [1]],
    ['a command alone', [command(1), text(2)], 1200, [1]],
    ['the text before a command', [text(1), text(2), command(3), text(4)], 1200, [1, 2]],
    ['what is no text with the text that follows', [picture(1), text(2)], 1200, [1, 2]],
    ['a text with what is no text and follows', [text(1), picture(2)], 1200, [1, 2]],
    ['what is no text alone, when joining is off', [picture(1), text(2)], 0, [1]],
    ['an album, also when joining is off', [...album('a'), text(4)], 0, [1, 2, 3]],
    ['one album, when joining is off', [...album('a'), ...album('b', 4)], 0, [1, 2, 3]],
    ['an album within a second, also when the window is shorter', slowAlbum(1000), 100, [1, 2]],
    ['no album over more than that', slowAlbum(1001), 100, [1]],
    ['two commands one by one', [command(1), command(2)], 1200, [1]],
    ['the text before a gap', [text(1), text(3)], 1200, [1]],
    ['one that came late, before all others', [text(2), text(5)], 1200, [2]],
  ] as const)('%s', (_what, queued, joinWindowMs, expected) => {
    expect(seqs([...queued], joinWindowMs)).toEqual(expected);
  });
});
