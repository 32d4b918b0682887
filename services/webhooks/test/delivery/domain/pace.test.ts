import { describe, expect, test } from 'vitest';
import { takeTurn, waitMs } from '../../../src/delivery/domain/pace.ts';
import type { Pace } from '../../../src/platforms/domain/paces.ts';
import { paces } from '../../../src/platforms/telegram/domain/paces.ts';

const { bot: botPace } = paces;
const paceOfChat = (platformChatId: string): Pace => ({
  intervalMs: paces.chatIntervalMs(platformChatId),
  burst: paces.chatBurst,
});

/** Small, and the same in every run. */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Times of messages, for a sender that sends everything as soon as allowed, and is idle now and then. */
function sendTimes(pace: Pace, seed: number, untilMs: number): number[] {
  const random = randoms(seed);
  const times: number[] = [];
  let now = 0;
  let theoretical = 0;
  while (now < untilMs) {
    const wait = waitMs(pace, Math.max(0, theoretical - now));
    now += wait;
    if (wait > 0) continue;
    theoretical = Math.max(theoretical, now) + pace.intervalMs;
    times.push(now);
    if (random() < 0.05) now += Math.floor(random() * pace.intervalMs * 8);
  }
  return times;
}

function maxWithin(times: readonly number[], windowMs: number): number {
  let most = 0;
  let from = 0;
  for (const [index, time] of times.entries()) {
    while (time - (times[from] ?? 0) > windowMs) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

const seeds = Array.from({ length: 50 }, (_, index) => index + 1);

describe.each([
  { what: 'a bot', pace: botPace, windowMs: 1000, limit: 30, burst: 5 },
  { what: 'a group', pace: paceOfChat('-100123'), windowMs: 60_000, limit: 20, burst: 3 },
  { what: 'a private chat', pace: paceOfChat('123'), windowMs: 999, limit: 3, burst: 3 },
  { what: 'a private chat', pace: paceOfChat('123'), windowMs: 60_000, limit: 63, burst: 3 },
])('$what', ({ pace, windowMs, limit, burst }) => {
  test(`never sends more than ${limit} in any ${windowMs} ms`, () => {
    for (const seed of seeds)
      expect(maxWithin(sendTimes(pace, seed, windowMs * 10), windowMs)).toBeLessThanOrEqual(limit);
  });

  test(`sends ${burst} in a burst after a pause, and then one each interval`, () => {
    expect(maxWithin(sendTimes(pace, 1, windowMs * 10), 0)).toBeLessThanOrEqual(burst);
    for (let sent = 0; sent < burst; sent += 1) expect(waitMs(pace, sent * pace.intervalMs)).toBe(0);
    expect(waitMs(pace, burst * pace.intervalMs)).toBe(Math.ceil(pace.intervalMs));
  });

  test('uses at least four fifths of its limit', () => {
    const times = sendTimes({ ...pace }, 7, windowMs * 10);
    const rate = (times.length / (times.at(-1) ?? 1)) * pace.intervalMs;
    expect(rate).toBeGreaterThan(0.8);
  });
});

/**
 * Chats of one bot with a message each, which come at these times; when each is sent and how often it was looked at.
 */
function sendInLine(arrivals: readonly number[]): { sentAt: number[]; looks: number } {
  const due = arrivals.map((at, chat) => ({ at, chat, isBooked: false }));
  const sentAt: number[] = [];
  let [pacedUntil, bookedUntil, looks] = [0, 0, 0];
  while (due.length > 0) {
    due.sort((left, right) => left.at - right.at);
    const { at: now, chat, isBooked } = due.shift()!;
    const [aheadMs, bookedMs] = [Math.max(0, pacedUntil - now), Math.max(0, bookedUntil - now)];
    const pace = { ofTenant: '', paceKey: '', aheadMs, bookedMs, addedMs: 0, hasBooked: false };
    const turn = takeTurn(paces, pace, { platformChatId: String(chat), aheadMs: 0, isBooked });
    looks += 1;
    if (turn.waitMs === 0) {
      pacedUntil = Math.max(pacedUntil, now) + botPace.intervalMs;
      sentAt[chat] = now;
      continue;
    }
    if (turn.isBooked && !isBooked) bookedUntil = now + turn.waitMs + botPace.intervalMs;
    due.push({ at: now + turn.waitMs, chat, isBooked: turn.isBooked });
  }
  return { sentAt, looks };
}

describe('a line of chats that wait for their bot', () => {
  test('moves at the full pace, in the order of arrival, with two checks of each', () => {
    const { sentAt, looks } = sendInLine(Array.from({ length: 2000 }, () => 0));
    expect(sentAt).toEqual(sentAt.toSorted((left, right) => left - right));
    expect(maxWithin(sentAt, 1000)).toBeLessThanOrEqual(30);
    expect(2000 / (sentAt.at(-1)! / 1000)).toBeGreaterThan(24);
    expect(looks).toBeLessThanOrEqual(2 * 2000);
  });

  test('later senders join at its end, and it ends when it is empty', () => {
    const { sentAt } = sendInLine([...Array.from({ length: 100 }, () => 0), 1000, 60_000]);
    expect(sentAt[100]).toBeGreaterThanOrEqual(Math.max(...sentAt.slice(0, 100)));
    expect(sentAt[101]).toBe(60_000);
  });
});
