import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sayTo } from '../../services/webhooks/test/chat-updates.ts';
import { askFor200, type Habit } from './attack.ts';
import type { Installation } from './installation.ts';
import { memoryOfEach } from './memory.ts';

/** Requests or other uses of one kind, and the longest wait. */
export interface Uses {
  count: number;
  /** The reasons of those that failed. */
  failures: string[];
  longestMs: number;
}

export interface Experience {
  requests: Uses;
  chats: Uses;
  /** The case's own habit. */
  further: Uses | undefined;
  /** The most memory of each service with the processes that it starts, in MiB. */
  memory: Readonly<Record<string, number>>;
}

const requestEveryMs = 100;
const messageEveryMs = 500;
const memoryEveryMs = 200;
/** Beyond this a message counts as unanswered. */
const answerWithinMs = 30_000;

/** Uses the product for a while as people of one tenant and their customers do. */
export async function experience(
  installation: Installation,
  seconds: number,
  habit: Habit | undefined,
): Promise<Experience> {
  const until = performance.now() + seconds * 1000;
  const [requests, chats, further, memory] = await Promise.all([
    repeat(until, { name: 'requests', everyMs: requestEveryMs, perform: reads(installation) }),
    repeat(until, { name: 'chats', everyMs: messageEveryMs, perform: () => chat(installation) }),
    habit && repeat(until, habit),
    watchMemory(installation, until),
  ]);
  return { requests, chats, further, memory };
}

/** Begins at fixed intervals, however long each takes. */
async function repeat(until: number, { everyMs, perform }: Habit): Promise<Uses> {
  const uses: Uses = { count: 0, failures: [], longestMs: 0 };
  const timed = async () => {
    const beganAt = performance.now();
    await perform().catch((error: Error) => uses.failures.push(error.message));
    uses.longestMs = Math.max(uses.longestMs, performance.now() - beganAt);
  };
  const all: Promise<void>[] = [];
  for (; performance.now() < until; uses.count += 1) {
    all.push(timed());
    await pause(everyMs);
  }
  await Promise.all(all);
  return uses;
}

function reads({ system, victim }: Installation): Habit['perform'] {
  const { tenantId } = victim.demo;
  const paths = [`/api/bots/tenants/${tenantId}`, '/api/agents', `/api/usage/${tenantId}`];
  let turn = 0;
  return async () => {
    turn += 1;
    const headers = { authorization: victim.person.bearer };
    await askFor200(`${system.gatewayUrl}${paths[turn % paths.length]}`, { headers });
  };
}

/** A customer's message and the bot's answer. */
async function chat({ system, victim }: Installation): Promise<void> {
  const chatId = randomInt(1_000_000, 2 ** 40);
  const until = performance.now() + answerWithinMs;
  const update = sayTo('acme_support_bot', chatId, 'hello');
  // The platform repeats a delivery that was not accepted.
  while ((await victim.demo.deliver(update).catch(() => 0)) !== 200) {
    if (performance.now() > until) throw new Error('not accepted');
    await pause(100);
  }
  const timeoutMs = until - performance.now();
  await system.messenger.sent.waitFor((sent) => sent.chatId === String(chatId), { timeoutMs });
}

async function watchMemory({ system }: Installation, until: number): Promise<Record<string, number>> {
  const most: Record<string, number> = {};
  const pids = await system.pids();
  while (performance.now() < until) {
    for (const [name, mib] of Object.entries(memoryOfEach(pids))) most[name] = Math.max(most[name] ?? 0, mib);
    await pause(memoryEveryMs);
  }
  return most;
}
