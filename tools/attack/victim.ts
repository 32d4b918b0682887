import { setTimeout as pause } from 'node:timers/promises';
import { pssMib } from '../rig/processes.ts';
import { askFor200, type Habit } from './attack.ts';
import { Customer } from './customer.ts';
import type { Installation } from './installation.ts';

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

/** Uses the product for a while as people of one tenant and their customers do. */
export async function experience(
  installation: Installation,
  seconds: number,
  habit: Habit | undefined,
): Promise<Experience> {
  const until = performance.now() + seconds * 1000;
  const [requests, messages, further, memory] = await Promise.all([
    repeat(until, { name: 'requests', everyMs: requestEveryMs, perform: reads(installation) }),
    repeat(until, { name: 'chats', everyMs: messageEveryMs, perform: chats(installation) }),
    habit && repeat(until, habit),
    watchMemory(installation, until),
  ]);
  return { requests, chats: messages, further, memory };
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

/** A new customer's message and the bot's answer. */
const chats =
  (installation: Installation): Habit['perform'] =>
  async () => {
    await new Customer(installation, installation.victim.demo).ask('hello');
  };

async function watchMemory({ system }: Installation, until: number): Promise<Record<string, number>> {
  const most: Record<string, number> = {};
  const pids = await system.pids();
  while (performance.now() < until) {
    for (const [name, mib] of Object.entries(pssMib(pids))) most[name] = Math.max(most[name] ?? 0, mib);
    await pause(memoryEveryMs);
  }
  return most;
}
