import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { sayTo } from '../../services/webhooks/test/chat-updates.ts';
import type { Installation } from './installation.ts';

/** The other tenant's counts and waits. */
export interface Experience {
  requests: number;
  refused: number;
  longestMs: number;
  chats: number;
  unanswered: number;
  longestAnswerMs: number;
  /** The largest resident set of each process, in MiB. */
  memory: Readonly<Record<string, number>>;
}

const requestEveryMs = 100;
const messageEveryMs = 500;
/** Beyond this a message counts as unanswered. */
const answerWithinMs = 30_000;

/** Uses the product for a while as people of one tenant and their customers do. */
export async function experience({ system, victim }: Installation, seconds: number): Promise<Experience> {
  const until = performance.now() + seconds * 1000;
  const waits: number[] = [];
  const answers: (number | undefined)[] = [];
  let refused = 0;
  const memory: Record<string, number> = {};
  const work: Promise<void>[] = [];
  const read = async (path: string) => {
    const beganAt = performance.now();
    const headers = { authorization: victim.person.bearer };
    const response = await fetch(`${system.gatewayUrl}${path}`, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    waits.push(performance.now() - beganAt);
    if (response?.status !== 200) refused += 1;
  };
  const pids = await system.pids();
  const paths = [
    `/api/bots/tenants/${victim.demo.tenantId}`,
    '/api/agents',
    `/api/usage/${victim.demo.tenantId}`,
  ];
  for (let turn = 0; performance.now() < until; turn += 1) {
    work.push(read(paths[turn % paths.length] ?? ''));
    if ((turn * requestEveryMs) % messageEveryMs === 0)
      work.push(chat({ system, victim }).then((ms) => void answers.push(ms)));
    for (const [name, pid] of Object.entries(pids))
      memory[name] = Math.max(memory[name] ?? 0, residentMib(pid));
    await pause(requestEveryMs);
  }
  await Promise.all(work);
  const answered = answers.filter((ms) => ms !== undefined);
  return {
    requests: waits.length,
    refused,
    longestMs: Math.max(...waits),
    chats: answers.length,
    unanswered: answers.length - answered.length,
    longestAnswerMs: Math.max(...answered),
    memory,
  };
}

/** The time from a customer's message to the bot's answer. */
async function chat({
  system,
  victim,
}: Pick<Installation, 'system' | 'victim'>): Promise<number | undefined> {
  const chatId = randomInt(1_000_000, 2 ** 40);
  const beganAt = performance.now();
  const update = sayTo('acme_support_bot', chatId, 'hello');
  while ((await victim.demo.deliver(update).catch(() => 0)) !== 200) {
    if (performance.now() - beganAt > answerWithinMs) return undefined;
    await pause(100);
  }
  while (!system.messenger.sent.all.some((sent) => sent.chatId === String(chatId))) {
    if (performance.now() - beganAt > answerWithinMs) return undefined;
    await pause(10);
  }
  return performance.now() - beganAt;
}

function residentMib(pid: number): number {
  try {
    const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib) / 1024);
  } catch {
    return 0;
  }
}
