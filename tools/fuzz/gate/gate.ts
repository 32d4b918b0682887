import { setTimeout as pause } from 'node:timers/promises';
import { rssMib } from '../../rig/processes.ts';
import { Counts } from '../counts.ts';
import type { Part, Violation } from '../part.ts';
import { grouped } from '../progress.ts';
import { explain, type SeenFault } from './explain.ts';
import { type AttackedGateway, startAttackedGateway } from './gateway.ts';
import { type OnAnswer, Pipeline } from './pipeline.ts';
import { agentOf, type RawRequest } from './raw-request.ts';
import { drawRequests } from './requests.ts';
import { faultOf } from './verdicts.ts';

const connections = 16;
const perDraw = 1024;
const together = 32;
const maxViolations = 20;
const maxMemoryMib = 400;
/** The delay until a recorder has judged its requests. */
const settleMs = 20;

/**
 * Sends request targets as bytes to the gateway alone (P15, G-02, G-04). No request without a principal may reach a
 * handler that needs one.
 */
export const gate: Part = async ({ options: { seed, targets }, cleanup, progress }) => {
  const attack = new Attack(seed);
  const gateway = await startAttackedGateway(cleanup, attack.note);
  const memory: number[] = [rssMib(gateway.pid)];
  progress.begin(targets, 'targets');
  let next = 0;
  const work = async () => {
    const pipeline = new Pipeline(gateway.port, attack.judge);
    while (next < targets && !progress.isOver && !attack.isEnough) {
      const first = next;
      next += perDraw;
      const requests = attack.draw(first, Math.min(perDraw, targets - first), gateway);
      for (let at = 0; at < requests.length; at += together)
        await pipeline.send(requests.slice(at, at + together));
      progress.add(requests.length);
      memory.push(rssMib(gateway.pid));
    }
    pipeline.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  const { perSecond } = progress;
  const [statuses, faults] = [String(attack.statuses), attack.faults.splice(0)];
  const violations: Violation[] = [];
  if (!(await isHealthy(gateway))) violations.push(violation('the gateway lives', 'it no longer responds'));
  else for (const fault of faults) violations.push(await attack.explain(fault, gateway));
  const most = Math.max(...memory);
  if (most > maxMemoryMib) violations.push(violation('memory is bounded', `it had ${Math.round(most)} MiB`));
  const handled = gateway.recorders.reduce((sum, { arrivals }) => sum + arrivals, 0);
  return {
    figures: [
      ['request targets', `${grouped(Math.min(next, targets))} (${grouped(perSecond)}/s)`],
      ['answers', statuses],
      ['reached a public handler', grouped(handled)],
      ['reached another handler, came through forged, 5xx', grouped(faults.length)],
      ['memory: first, in the middle, last, most', memoryFigure(memory)],
    ],
    violations,
  };
};

/** Sends requests and collects their results. */
class Attack {
  readonly statuses = new Counts();
  readonly faults: SeenFault[] = [];
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get isEnough(): boolean {
    return this.faults.length >= maxViolations;
  }

  note = (what: string, agent: string): void => {
    if (!this.isEnough) this.faults.push({ what, agent });
  };

  judge: OnAnswer = (request, answer) => {
    this.statuses.add(typeof answer === 'string' ? answer : String(answer.status));
    const what = faultOf(request, answer);
    if (what) this.note(what, agentOf(request.number));
  };

  draw(first: number, count: number, { tokens }: Pick<AttackedGateway, 'tokens'>): RawRequest[] {
    return drawRequests(this.#seed + first / perDraw, { first, count, tokens });
  }

  /** Redraws the request and sends shorter versions of it as long as the fault recurs. */
  async explain(fault: SeenFault, gateway: AttackedGateway): Promise<Violation> {
    const [, number] = /^fuzz-(\d+)$/.exec(fault.agent) ?? [];
    const at = Number(number);
    const first = at - (at % perDraw);
    const request = number === undefined ? undefined : this.draw(first, perDraw, gateway)[at - first];
    const kind = fault.what.split(':')[0];
    return await explain(fault, request, async (candidate) => {
      this.faults.splice(0);
      const pipeline = new Pipeline(gateway.port, this.judge);
      await pipeline.send([
        { ...candidate, framing: candidate.framing === 'plain' ? 'alone' : candidate.framing },
      ]);
      await pause(settleMs);
      return this.faults.splice(0).some(({ what }) => what.split(':')[0] === kind);
    });
  }
}

const violation = (promise: string, what: string): Violation => ({ promise, what, steps: [] });

function memoryFigure(memory: readonly number[]): string {
  const picked = [memory[0], memory[Math.floor(memory.length / 2)], memory.at(-1), Math.max(...memory)];
  return `${picked.map((mib = 0) => Math.round(mib)).join(', ')} MiB`;
}

async function isHealthy({ port }: AttackedGateway): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/api/bots`).catch(() => undefined);
  return response?.status === 401;
}
