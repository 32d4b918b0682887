import { withPlatform } from '@botyard/shared/db/database';
import { askInstance, discoverInstances } from '@botyard/shared/system/asking';
import { restart } from '@botyard/shared/system/questions';
import { serviceNames } from '@botyard/shared/system/subjects';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import {
  asOnlyRestarter,
  isRestartRunning,
  listRunningRestarts,
  pruneRestarts,
  type RestartRow,
  saveRestart,
} from '../store/restarts.ts';
import { nextStep, type Step } from './restart-step.ts';

type Parts = Pick<Deps, 'database' | 'due' | 'bus' | 'log'>;

/** The interval of checks during a round. */
const lookEveryMs = 100;
const keptOfService = 20;

/**
 * Continues rounds of restarts, even those started by another instance. Only one instance does so at a time. It may
 * stop itself during a round; its successor, or another instance, then resumes the round from the table.
 */
export class Restarter implements Worker {
  readonly #parts: Parts;
  #running: Promise<void> | undefined;
  #isStopped = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.due.add({ name: 'restarts', isDue: isRestartRunning, wake: () => this.wake() });
  }

  start(): void {
    this.#isStopped = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Called when a round may have begun. */
  wake(): void {
    if (this.#isStopped || !this.#parts.bus.isConnected) return;
    this.#running ??= this.#carryOn()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'a restart failed: it will be retried'))
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #carryOn(): Promise<void> {
    if ((await this.#open()).length === 0) return;
    await asOnlyRestarter(this.#parts.database, async () => {
      for (let rounds = await this.#open(); rounds.length > 0; rounds = await this.#open()) {
        // One by one: two services that stop at the same time would each wait for the other's answers.
        const [round] = rounds;
        if (this.#isStopped || !round) return;
        await this.#advance(round);
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
    });
  }

  #open(): Promise<RestartRow[]> {
    return withPlatform(this.#parts.database, 'restarts to carry on', listRunningRestarts);
  }

  async #advance(round: RestartRow): Promise<void> {
    const { database, bus, log } = this.#parts;
    const serviceName = serviceNames.find((name) => name === round.serviceName);
    if (!serviceName) return;
    const processes = await discoverInstances(bus, [serviceName]);
    const step = nextStep(round.instances, processes, Date.now());
    // Saved before the process is asked, because an unsaved step can't be resumed.
    await withPlatform(database, 'restart goes on', async (tx) => {
      await saveRestart(tx, { ...step, restartId: round.restartId });
      if (step.state !== 'running') await pruneRestarts(tx, keptOfService);
    });
    if (step.state !== 'running')
      log.info({ audit: 'restarted', serviceName, state: step.state, reason: step.reason }, 'audit');
    if (step.ask) await this.#ask(round, step, step.ask);
  }

  /** A process that can't be restarted reports that, and nothing more is tried. */
  async #ask(round: RestartRow, step: Step, instanceId: string): Promise<void> {
    const { database, bus } = this.#parts;
    const { restartId, serviceName } = round;
    const answer = await askInstance(bus, restart, { serviceName, instanceId }, {});
    if (answer?.isAccepted !== false) return;
    const instances = step.instances.map((one) =>
      one.instanceId === instanceId ? { ...one, state: 'failed' as const } : one,
    );
    const reason = 'the process can not be restarted: nothing would start it again';
    await withPlatform(database, 'restart refused', (tx) =>
      saveRestart(tx, { restartId, instances, state: 'failed', reason }),
    );
  }
}
