import type { Log } from '../log/log.ts';
import type { ProblemFact } from './questions.ts';

/** A fault between this process and something behind it, such as a setting. The text holds no secret. */
interface ProblemNote {
  /** The setting to mend; `clock` for the time of this machine. */
  setting: string;
  /** Identifies the problem among those of the setting. */
  cause: string;
  /** The fault and its remedy, in words for an operator. */
  problem: string;
}

interface Entry extends ProblemNote {
  since: Date;
  lastAt: number;
  loggedAt: number;
}

const maxEntries = 50;
const logAgainAfterMs = 60 * 60_000;
const shownForMs = 24 * 60 * 60_000;

/**
 * Faults that would otherwise only show as refusals or apologies (REQ-CONF-5). They are logged at the first occurrence
 * and at most once an hour, and listed for `/api/config/status` until they are cleared or a day without another
 * occurrence passes.
 */
export class Problems {
  readonly #entries = new Map<string, Entry>();
  readonly #log: Pick<Log, 'warn'>;
  readonly #now: () => number;

  constructor({ log, now = Date.now }: { log: Pick<Log, 'warn'>; now?: () => number }) {
    this.#log = log;
    this.#now = now;
  }

  note(note: ProblemNote): void {
    const [key, now] = [keyOf(note), this.#now()];
    const entry = this.#entries.get(key) ?? {
      ...note,
      since: new Date(now),
      loggedAt: Number.NEGATIVE_INFINITY,
    };
    this.#entries.delete(key);
    const isDue = now - entry.loggedAt >= logAgainAfterMs;
    this.#entries.set(key, { ...entry, ...note, lastAt: now, loggedAt: isDue ? now : entry.loggedAt });
    for (const oldest of this.#entries.keys())
      if (this.#entries.size > maxEntries) this.#entries.delete(oldest);
    if (isDue) this.#log.warn({ setting: note.setting }, `${note.setting}: ${note.problem}`);
  }

  /** Ends a problem; without a cause, all those of the setting. A later occurrence is logged again. */
  clear(setting: string, cause?: string): void {
    if (this.#entries.size === 0) return;
    for (const [key, entry] of this.#entries)
      if (entry.setting === setting && (cause === undefined || entry.cause === cause))
        this.#entries.delete(key);
  }

  list(): ProblemFact[] {
    const now = this.#now();
    return [...this.#entries.values()]
      .filter(({ lastAt }) => now - lastAt < shownForMs)
      .map(({ setting, problem, since }) => ({ setting, problem, since: since.toISOString() }));
  }
}

const keyOf = ({ setting, cause }: ProblemNote): string => JSON.stringify([setting, cause]);
