import { randomBytes } from 'node:crypto';
import { whileBusy } from '@botyard/testing/while-busy';
import { Counts } from '../counts.ts';
import { endedProcesses } from '../ended-processes.ts';
import type { Part, PartContext, Violation } from '../part.ts';
import { grouped } from '../progress.ts';
import { SeededRandom } from '../seeded-random.ts';
import { checkControlTraffic } from './control-traffic.ts';
import { type Delivery, markOf } from './delivery.ts';
import { createWebhookFixture, type WebhookFixture } from './fixture.ts';
import { emailDelivery } from './forge/email.ts';
import { idpDelivery } from './forge/idp.ts';
import { messengerDelivery } from './forge/messenger.ts';
import { createAgent, describeSent, type Sent, send } from './send/send.ts';
import { deadLetters, storedNumbers } from './stored.ts';

const connections = 8;
const maxViolations = 20;

/** Sends hostile deliveries of all platforms to the whole system (W-04, W-05, W-09, W-12). */
export const webhooks: Part = async (context) => {
  const { cleanup, progress } = context;
  progress.say('starting the whole system');
  const fixture = await createWebhookFixture(cleanup);
  const pids = await fixture.installation.system.pids();
  const attack = new Attack(fixture, context);
  await attack.run();
  const { perSecond } = progress;
  progress.say('checking that other traffic is served, and that no rejected delivery was stored');
  const violations = [...attack.violations, ...(await checkControlTraffic(fixture))];
  violations.push(...(await endedProcesses(fixture.installation, pids)), ...(await attack.storedOfRefused()));
  return {
    figures: [
      ['deliveries', `${grouped(progress.done)} (${perSecond}/s)`],
      ...[...attack.statuses].map(([source, counts]) => [`answers: ${source}`, String(counts)] as const),
      ['of them with a wrong secret', grouped(attack.wrong)],
      ['refused, and looked for in every table', grouped(attack.refused.size)],
      ['taken', grouped(attack.taken)],
      ['given up as dead letters', await deadLetters(fixture.installation)],
    ],
    violations,
  };
};

class Attack {
  readonly statuses = new Map<string, Counts<number>>();
  readonly violations: Violation[] = [];
  readonly refused = new Map<number, string>();
  wrong = 0;
  taken = 0;
  readonly #fixture: WebhookFixture;
  readonly #context: PartContext;
  readonly #name = randomBytes(3).toString('hex');

  constructor(fixture: WebhookFixture, context: PartContext) {
    this.#fixture = fixture;
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
          await whileBusy(() => send(agent, { url: this.#fixture.installation.system.gatewayUrl }, delivery)),
        );
        progress.add(1);
      }
    };
    await Promise.all(Array.from({ length: connections }, work));
    agent.destroy();
  }

  /** Checks that nothing of a rejected delivery is stored. */
  async storedOfRefused(): Promise<Violation[]> {
    const stored = await storedNumbers(this.#fixture.installation, this.#name);
    const kept = [...this.refused].filter(([number]) => stored.has(number));
    const promise = 'nothing of a refused delivery is stored';
    return kept.slice(0, 5).map(([number, line]) => ({ promise, what: `delivery ${number}`, steps: [line] }));
  }

  /** Draws a delivery from its own seed, so that the order of responses doesn't matter. */
  #draw(number: number): Delivery {
    const random = new SeededRandom(this.#context.options.seed * 31 + number);
    const parts = { number, mark: markOf(this.#name, number) };
    const forge = random.weighted([
      [5, messengerDelivery],
      [3, emailDelivery],
      [2, idpDelivery],
    ]);
    return forge(random, this.#fixture, parts);
  }

  #judge(sent: Sent): void {
    const { delivery, status } = sent;
    const counts = this.statuses.get(delivery.source) ?? new Counts<number>();
    this.statuses.set(delivery.source, counts);
    counts.add(status);
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
