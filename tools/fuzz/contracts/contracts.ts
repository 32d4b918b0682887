import { startInstallation } from '../../rig/installation.ts';
import { Counts } from '../counts.ts';
import { endedProcesses } from '../ended-processes.ts';
import type { Part, PartContext, PartResult, Violation } from '../part.ts';
import { grouped } from '../progress.ts';
import { SeededRandom } from '../seeded-random.ts';
import { drawCall } from './draw/draw-call.ts';
import { createFixture, type Fixture } from './fixture/fixture.ts';
import { type Promised, promises } from './judge/judge.ts';
import { operations } from './operations.ts';
import type { PlannedCall } from './planned-call.ts';
import { type Played, playBatch } from './play.ts';
import { type Found, shrinkCalls, violationOf } from './shrink-calls.ts';

/** The number of concurrent calls. Races are part of the search. */
const atOnce = 4;
/** The maximum number of faults to shrink. Each is the first of its promise and route. */
const maxExplained = 5;

/** Makes random calls of every route as every caller, with resources that earlier calls created. */
export const contracts: Part = async (context) => {
  const { cleanup, progress } = context;
  progress.say('starting the whole system');
  const installation = await startInstallation(cleanup);
  const pids = await installation.system.pids();
  const fixture = await createFixture(installation);
  const run = new Run();
  await run.play(fixture, context);
  const { perSecond } = progress;
  const violations: Violation[] = run.found.slice(maxExplained).map(violationOf);
  for (const violation of run.found.slice(0, maxExplained)) {
    progress.say(`looking for the shortest sequence for: ${violation.breach.what}: ${violation.played.line}`);
    violations.push(await shrinkCalls(installation, violation, run.history));
  }
  violations.push(...(await endedProcesses(installation, pids)));
  return { figures: run.figures(fixture, perSecond), violations };
};

class Run {
  readonly history: PlannedCall[] = [];
  /** The first breach of each promise by each route. */
  readonly found: Found[] = [];
  readonly #breaches = new Counts<Promised>();
  readonly #statuses = new Counts<number>();
  readonly #callers = new Counts();
  readonly #called = new Set<string>();
  readonly #succeeded = new Set<string>();

  async play(fixture: Fixture, { options: { seed, calls }, progress }: PartContext): Promise<void> {
    const random = new SeededRandom(seed);
    progress.begin(calls, 'calls');
    for (let batch = 0; !progress.isOver; batch += 1) {
      const count = Math.min(atOnce, calls - this.history.length);
      const plans = Array.from({ length: count }, (_, index) =>
        drawCall(random, fixture.pool, { number: this.history.length + index + 1, batch }),
      );
      this.history.push(...plans);
      for (const played of await playBatch(fixture, plans)) this.#count(played);
      progress.add(count);
    }
  }

  figures(fixture: Fixture, perSecond: number): PartResult['figures'] {
    return [
      ['calls', `${grouped(this.history.length)} (${perSecond}/s)`],
      ['routes called', `${this.#called.size} of ${operations.length}, with success ${this.#succeeded.size}`],
      ['callers', String(this.#callers)],
      ['answers', String(this.#statuses)],
      ['resources known', grouped(fixture.pool.size)],
      ...Object.entries(promises).map(
        ([promised, promise]) =>
          [`violations of: ${promise}`, grouped(this.#breaches.of(promised as Promised))] as const,
      ),
    ];
  }

  #count(played: Played): void {
    const { plan, made, breaches } = played;
    this.#called.add(plan.route);
    this.#callers.add(plan.caller.replace(/^[ABC]\./, ''));
    if (made) this.#statuses.add(made.status);
    if (made && made.status < 400) this.#succeeded.add(plan.route);
    for (const breach of breaches) {
      this.#breaches.add(breach.promised);
      const isKnown = this.found.some(
        (one) => one.breach.promised === breach.promised && one.played.plan.route === plan.route,
      );
      if (!isKnown) this.found.push({ played, breach });
    }
  }
}
