import type { StreamEvent } from '@botyard/client/event-stream';
import { eventually } from '@botyard/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenStream } from '../src/api/follow.ts';
import { isAbout, LiveStream, type Told } from '../src/api/live-stream.ts';

interface Stream {
  signal: AbortSignal;
  say: (event: StreamEvent) => void;
  end: () => void;
}

/** A stream that is listened to by the page of one who acts in a tenant, and what the server has of it. */
function liveStream() {
  const streams: Stream[] = [];
  const server = { isAway: false };
  const open: OpenStream = ({ signal, onOpen }) => {
    if (server.isAway) throw new TypeError('nobody is there');
    return new ReadableStream<StreamEvent>({
      start: (controller) => {
        signal.addEventListener('abort', () => controller.error(signal.reason));
        streams.push({
          signal,
          say: (event) => controller.enqueue(event),
          end: () => controller.close(),
        });
        onOpen();
      },
    });
  };
  const live = new LiveStream(open);
  onTestFinished(() => live.look(false));
  return { live, streams, server };
}

/** Listens, and keeps what is told. */
function listenTo(live: LiveStream, who = 'anna in Demo') {
  const toldEvents: Told[] = [];
  return { told: toldEvents, leave: live.listen(who, (one) => toldEvents.push(one)) };
}

const message = (chatId: string): StreamEvent => ({ type: 'message.received', data: { chatId }, id: '1' });

test('all listeners share one stream, and each receives the events', async () => {
  const { live, streams } = liveStream();
  const [list, chat] = [listenTo(live), listenTo(live)];
  expect(live.isOpen()).toBe(true);
  streams[0]?.say(message('a'));
  await eventually('both are told', () => list.told.length === 2 && chat.told.length === 1);
  expect(chat.told).toEqual([message('a')]);
  expect(streams).toHaveLength(1);
});

test('a stream that has ended is reopened, and listeners are told that they may have missed events', async () => {
  const { live, streams, server } = liveStream();
  const heard: boolean[] = [];
  live.watch(() => heard.push(live.isOpen()));
  const { told } = listenTo(live);
  server.isAway = true;
  streams[0]?.end();
  await eventually('it is known that nothing is told', () => heard.at(-1) === false);
  expect(told).toEqual(['missed']);
  server.isAway = false;
  await eventually('it is open again', () => streams.length === 2);
  expect(told).toEqual(['missed', 'missed']);
  expect(heard).toEqual([true, false, true]);
});

test('events that the server no longer has and events while the page was hidden count as missed', async () => {
  const { live, streams } = liveStream();
  const { told } = listenTo(live);
  streams[0]?.say({ type: 'reset', data: {}, id: '1' });
  await eventually('it is told', () => told.length === 2);
  live.look(false);
  expect([streams[0]?.signal.aborted, live.isOpen()]).toEqual([true, false]);
  live.look(true);
  await eventually('it is open again', () => streams.length === 2);
  expect(told).toEqual(['missed', 'missed', 'missed']);
});

test('the next page reuses the open stream, and a page of another tenant opens a new one', async () => {
  const { live, streams } = liveStream();
  listenTo(live).leave();
  const next = listenTo(live);
  expect([streams.length, streams[0]?.signal.aborted]).toEqual([1, false]);
  next.leave();
  listenTo(live, 'anna in Neighbour');
  expect([streams.length, streams[0]?.signal.aborted]).toEqual([2, true]);
});

test('a response is refetched for its own events only, and when events may have been missed', () => {
  const topic = { events: ['message.received'], chatId: 'a' } as const;
  expect(isAbout(topic, message('a'))).toBe(true);
  expect(isAbout(topic, message('b'))).toBe(false);
  expect(isAbout(topic, { ...message('a'), type: 'quota.near' })).toBe(false);
  expect(isAbout(topic, { ...message('a'), data: 'no object' })).toBe(false);
  expect(isAbout({ events: topic.events }, message('b'))).toBe(true);
  expect(isAbout(topic, 'missed')).toBe(true);
});

test('a hidden tab keeps its stream only while its reader wants to be notified', () => {
  const { live, streams } = liveStream();
  listenTo(live);
  live.keep(true);
  live.look(false);
  expect([streams.length, live.isOpen()]).toEqual([1, true]);
  live.keep(false);
  expect([streams[0]?.signal.aborted, live.isOpen()]).toEqual([true, false]);
  live.keep(true);
  expect([streams.length, live.isOpen()]).toEqual([2, true]);
  live.keep(false);
});
