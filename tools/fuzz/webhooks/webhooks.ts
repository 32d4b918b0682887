import { randomBytes } from 'node:crypto';
import { whileBusy } from '@botyard/testing/while-busy';
import { Counts } from '../counts.ts';
import { Dice } from '../dice.ts';
import { endedProcesses } from '../house/house.ts';
import type { Part, PartContext, Violation } from '../part.ts';
import { grouped } from '../progress.ts';
import { type Delivery, markOf, type Source } from './delivery.ts';
import { emailDelivery } from './forge/email.ts';
import { idpDelivery } from './forge/idp.ts';
import { messengerDelivery } from './forge/messenger.ts';
import { createAgent, describeSent, type Sent, send } from './send/send.ts';
import { deadLetters, storedNumbers } from './stored.ts';
import { bearWitness } from './witness.ts';
import { openWebhookWorld, type WebhookWorld } from './world.ts';

const connections = 8;
const maxViolations = 20;

/** Sends hostile deliveries of all platforms to the whole system (W-04, W-05, W-09, W-12). */
export const webhooks: Part = async (context) => {
  const { cleanup, progress } = context;
  progress.say('starting the whole system');
  const world = await openWebhookWorld(cleanup);
  const pids = await world.house.system.pids();
  const attack = new Attack(world, context);
  await attack.run();
  const { perSecond } = progress;
  progress.say('checking that other traffic is served, and that no rejected delivery was stored');
  const violations = [...attack.violations, ...(await bearWitness(world))];
  violations.push(...(await endedProcesses(world.house, pids)), ...(await attack.storedOfRefused()));
  return {
    figures: [
      ['deliveries', `${grouped(progress.done)} (${perSecond}/s)`],
      ...Object.entries(attack.statuses).map(
        ([source, counts]) => [`answers: ${source}`, String(counts)] as const,
      ),
      ['of them with a wrong secret', grouped(attack.wrong)],
      ['refused, and looked for in every table', grouped(attack.refused.size)],
      ['taken', grouped(attack.taken)],
      ['given up as dead letters', await deadLetters(world.house)],
    ],
    violations,
  };
};

class Attack {
  readonly statuses: Readonly<Record<Source, Counts<number>>> = {
    messenger: new Counts(),
    email: new Counts(),
    idp: new Counts(),
  };
  readonly violations: Violation[] = [];
  readonly refused = new Map<number, string>();
  wrong = 0;
  taken = 0;
  readonly #world: WebhookWorld;
  readonly #context: PartContext;
  readonly #name = randomBytes(3).toString('hex');

  constructor(world: WebhookWorld, context: PartContext) {
    this.#world = world;
    this.#context = context;
  }

  async run(): Promise<void> {
    const { progress, options } = this.#context;
    const agent = createAgent(connections);
    progress.begin(options.deliveries, 'deliveries');
    let next = 0;
    const work = async () => {
      while (next < options.deliveries && !progress.isOver && this.violations.length < maxViolations) {
        const number = next++;
        const delivery = this.#draw(number);
        this.#judge(
          await whileBusy(() => send(agent, { url: this.#world.house.system.gatewayUrl }, delivery)),
        );
        progress.add(1);
      }
    };
    await Promise.all(Array.from({ length: connections }, work));
    agent.destroy();
  }

  /** Checks that nothing of a rejected delivery is stored. */
  async storedOfRefused(): Promise<Violation[]> {
    const stored = await storedNumbers(this.#world.house, this.#name);
    const kept = [...this.refused].filter(([number]) => stored.has(number));
    const promise = 'nothing of a refused delivery is stored';
    return kept.slice(0, 5).map(([number, line]) => ({ promise, what: `delivery ${number}`, steps: [line] }));
  }

  /** Draws a delivery from its own seed, so that the order of responses doesn't matter. */
  #draw(number: number): Delivery {
    const dice = new Dice(this.#context.options.seed * 31 + number);
    const parts = { number, mark: markOf(this.#name, number) };
    const forge = dice.weighted([
      [5, messengerDelivery],
      [3, emailDelivery],
      [2, idpDelivery],
    ]);
    return forge(dice, this.#world, parts);
  }

  #judge(sent: Sent): void {
    const { delivery, status } = sent;
    this.statuses[delivery.source].add(status);
    if (delivery.secret === 'wrong') this.wrong += 1;
    if (status >= 200 && status < 300) this.taken += 1;
    else if (status !== 0) this.refused.set(delivery.number, describeSent(sent));
    const fault = faultOf(sent);
    if (fault && this.violations.length < maxViolations)
      this.violations.push({ ...fault, steps: [describeSent(sent)] });
  }
}

/** The fault of an answer; `undefined` without one. */
function faultOf({ delivery, status, text }: Sent): { promise: string; what: string } | undefined {
  if (status === 0)
    return delivery.isCutOff ? undefined : { promise: 'every delivery has an answer', what: text };
  if (status >= 500) return { promise: 'no 5xx', what: `${status} ${text.slice(0, 200)}` };
  const isTaken = status < 300;
  if (isTaken && delivery.secret === 'wrong')
    return { promise: 'nothing is taken without the right secret', what: `${status} ${text.slice(0, 200)}` };
  return undefined;
}
