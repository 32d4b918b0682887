import { setTimeout as pause } from 'node:timers/promises';
import type { RedundantSystem } from '../rig/redundant-system.ts';

/** When something first reported a fault, in milliseconds after its beginning; `undefined`: never. */
export interface DetectionTimes {
  /** A process at the cut said that it isn't ready. */
  readiness?: number;
  /** `GET /api/health` was not `ok`. */
  health?: number;
  /** The last time that it was not. */
  healthUntil?: number;
  /** A process at the cut wrote a line of level `warn` or above. */
  warning?: number;
}

interface Warning {
  atMs: number;
  process: string;
  text: string;
}

const warnings: readonly (string | undefined)[] = ['warn', 'error', 'fatal'];
const lookEveryMs = 500;
/** A gateway that stands still doesn't answer. */
const healthWithinMs = 4000;

/** Observes a system through the reports that an operator can see. */
export class Observer {
  readonly #warnings: Warning[] = [];
  system: RedundantSystem | undefined;

  readonly onLine = (process: string, line: string): void => {
    const [, level] = /"level":"(\w+)"/.exec(line) ?? [];
    if (!warnings.includes(level)) return;
    const [, text = line] = /"msg":"(.*?)"[,}]/.exec(line) ?? [];
    // A request that was refused is its caller's matter.
    if (text === 'request') return;
    this.#warnings.push({ atMs: performance.now(), process, text });
  };

  /** Observes from the beginning of a fault until `until`. Every process has to be healthy when it begins. */
  async watch(
    processes: readonly string[],
    until: (shown: DetectionTimes) => boolean,
  ): Promise<DetectionTimes> {
    const system = this.#system;
    const beganAt = performance.now();
    const shown: DetectionTimes = {};
    const since = () => Math.round(performance.now() - beganAt);
    while (!until(shown)) {
      const looks = processes.map(async (name) => {
        if (!(await system.pairs.isReady(name))) shown.readiness ??= since();
      });
      const health = this.isHealthy().then((isHealthy) => {
        if (isHealthy) return;
        shown.health ??= since();
        shown.healthUntil = since();
      });
      await Promise.all([...looks, health]);
      const [first] = this.warningsOf(processes, beganAt);
      if (first) shown.warning ??= Math.round(first.atMs - beganAt);
      await pause(lookEveryMs);
    }
    return shown;
  }

  isHealthy(): Promise<boolean> {
    const signal = AbortSignal.timeout(healthWithinMs);
    return this.#system.pairs.call('/api/health', { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  warningsOf(processes: readonly string[], sinceMs: number): Warning[] {
    return this.#warnings.filter(({ process, atMs }) => processes.includes(process) && atMs >= sinceMs);
  }

  get #system(): RedundantSystem {
    if (!this.system) throw new Error('there is no system yet');
    return this.system;
  }
}
