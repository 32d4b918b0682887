import { setTimeout as pause } from 'node:timers/promises';
import type { WholeTown } from '../rig/whole-town.ts';

/** When something first reported a fault, in milliseconds after its beginning; `undefined`: never. */
export interface Shown {
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

/** Observes a town through what an operator can see. */
export class Observer {
  readonly #warnings: Warning[] = [];
  town: WholeTown | undefined;

  readonly onLine = (process: string, line: string): void => {
    const [, level] = /"level":"(\w+)"/.exec(line) ?? [];
    if (!warnings.includes(level)) return;
    const [, text = line] = /"msg":"(.*?)"[,}]/.exec(line) ?? [];
    // A request that was refused is its caller's matter.
    if (text === 'request') return;
    this.#warnings.push({ atMs: performance.now(), process, text });
  };

  /** Observes from the beginning of a fault until `until`. Every process has to be healthy when it begins. */
  async look(processes: readonly string[], until: (shown: Shown) => boolean): Promise<Shown> {
    const town = this.#town;
    const beganAt = performance.now();
    const shown: Shown = {};
    const since = () => Math.round(performance.now() - beganAt);
    while (!until(shown)) {
      const looks = processes.map(async (name) => {
        if (!(await town.pairs.isReady(name))) shown.readiness ??= since();
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
    return this.#town.pairs.call('/api/health', { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  warningsOf(processes: readonly string[], sinceMs: number): Warning[] {
    return this.#warnings.filter(({ process, atMs }) => processes.includes(process) && atMs >= sinceMs);
  }

  get #town(): WholeTown {
    if (!this.town) throw new Error('there is no town yet');
    return this.town;
  }
}
