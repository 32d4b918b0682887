import { expect, test } from 'vitest';
import { type Batch, Listener, type Told } from '../../../src/live/domain/listener.ts';
import { type Position, writePosition } from '../../../src/live/domain/position.ts';

const at = (webhooks: number, usage = 0): Position => {
  const place = (seq: number) => ({ createdMs: 1, seq });
  return { webhooks: place(webhooks), agents: place(0), usage: place(usage) };
};
const toldAt = (seq: number, owner = 'webhooks'): Told => ({
  tailed: { seq, atMs: 7, event: { owner } },
  happenings: [{ name: 'quota.near', json: `{"seq":${seq}}` }],
});
const batch = (before: Position, after: Position, events: Told[]): Batch => ({
  before,
  after,
  told: events,
  text: Buffer.from(`of all: ${events.map(({ tailed }) => tailed.seq)}\n\n`),
});

function listenFrom(position: Position) {
  const options = {
    tenantId: 't',
    userId: 'u',
    idpUserId: 'i',
    isOperator: false,
    botIds: null,
    mayStill: async () => true,
  };
  const sent: (string | Uint8Array)[] = [];
  const listener = new Listener(options, position);
  const client = { send: (text: string | Uint8Array) => void sent.push(text), end: () => undefined };
  return { listener, client, sent };
}

const own = (position: Position, seq: number) =>
  `id: ${writePosition(position, 7)}\nevent: quota.near\ndata: {"seq":${seq}}\n\n`;

test('listeners at the same position get the same bytes, without another copy', () => {
  const [one, other] = [listenFrom(at(1)), listenFrom(at(2))];
  for (const { listener, client } of [one, other]) listener.open(client, []);
  const middle = at(3);
  const second = batch(middle, at(5), [toldAt(5)]);
  for (const { listener } of [one, other]) {
    listener.tell(batch(at(0), middle, [toldAt(2), toldAt(3)]));
    listener.tell(second);
  }
  expect(one.sent).toEqual([own(at(2), 2) + own(at(3), 3), second.text]);
  expect(other.sent).toEqual([own(at(3), 3), second.text]);
  expect(one.sent[1]).toBe(other.sent[1]);
});

test('a listener who is ahead in one stream receives only events that are new to them, with a separate position', () => {
  const { listener, client, sent } = listenFrom(at(9, 1));
  listener.open(client, []);
  const after = at(3, 2);
  listener.tell(batch(at(0), after, [toldAt(3), toldAt(2, 'usage')]));
  listener.tell(batch(after, at(10, 2), [toldAt(9), toldAt(10)]));
  expect(sent).toEqual([own(at(9, 2), 2), own(at(10, 2), 10)]);
});

test('events that arrive while missed ones are read follow them, and none is sent twice', () => {
  const { listener, client, sent } = listenFrom(at(1));
  listener.tell(batch(at(1), at(4), [toldAt(3), toldAt(4)]));
  listener.open(client, [toldAt(1), toldAt(2), toldAt(3)]);
  expect(sent).toEqual([own(at(2), 2) + own(at(3), 3), own(at(4), 4)]);
});

test('missed events of deleted streams are not sent, so that their positions hide no new event', () => {
  const { listener, client, sent } = listenFrom(at(100));
  listener.tell(batch(at(100), at(101), [toldAt(101)]));
  listener.reset(at(0));
  listener.open(client, [toldAt(102)]);
  listener.tell(batch(at(5), at(1), [toldAt(1)]));
  expect(sent).toEqual([expect.stringContaining('event: reset'), own(at(1), 1)]);
});
