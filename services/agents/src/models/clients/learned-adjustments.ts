import { LRUCache } from 'lru-cache';
import { type Adjustments, noAdjustments } from './adjustments.ts';

/** A model at an address, for the tenant whose key is used, or for the platform. */
export interface ModelPlace {
  tenantId: string;
  address: string;
  model: string;
}

interface Learned {
  adjustments: Adjustments;
  learnedAtMs: number;
  /** An answer began without thoughts. Known to this process only. */
  beginsWithAnswer: boolean;
}

interface LearnedAdjustmentsOptions {
  /** Called with what was learned. Resolves with the time by the database's clock, if it was stored. */
  onLearned?: (place: ModelPlace, adjustments: Adjustments) => Promise<Date | undefined>;
  /** Called with a tenant's refusal that nothing could be done about. */
  onRefused?: (place: ModelPlace, reason: string) => void;
}

/** More models than installations use, because tenants choose their names. */
const maxModels = 10_000;
const learnedForMs = 24 * 3600_000;

/**
 * Remembers in memory what models refuse, so that no turn reads it. It is forgotten after a day, and doesn't count
 * for an agent that was changed since.
 */
export class LearnedAdjustments {
  readonly #known = new LRUCache<string, Learned>({ max: maxModels, ttl: learnedForMs });
  readonly #options: LearnedAdjustmentsOptions;

  constructor(options: LearnedAdjustmentsOptions = {}) {
    this.#options = options;
  }

  of(place: ModelPlace, since?: Date): Adjustments {
    const learned = this.#known.get(nameOf(place));
    return learned && !(since && learned.learnedAtMs <= since.getTime())
      ? learned.adjustments
      : noAdjustments;
  }

  /** Whether the beginning of a streamed answer may be thoughts without a mark. */
  mayBeginWithThoughts(place: ModelPlace): boolean {
    const learned = this.#known.get(nameOf(place));
    return learned?.adjustments.thinks === 'unmarked' || !learned?.beginsWithAnswer;
  }

  noteBeginning(place: ModelPlace): void {
    const learned = this.#known.get(nameOf(place));
    if (learned) learned.beginsWithAnswer = true;
    else
      this.#remember(place, { adjustments: noAdjustments, learnedAtMs: Date.now(), beginsWithAnswer: true });
  }

  /** Remembers what any instance has stored. */
  restore(place: ModelPlace, adjustments: Adjustments, learnedAt: Date): void {
    this.#remember(place, { adjustments, learnedAtMs: learnedAt.getTime(), beginsWithAnswer: false });
  }

  learn(place: ModelPlace, adjustments: Adjustments): void {
    const learned = { adjustments, learnedAtMs: Date.now(), beginsWithAnswer: false };
    this.#remember(place, learned);
    void this.#options.onLearned?.(place, adjustments).then((learnedAt) => {
      if (learnedAt) learned.learnedAtMs = learnedAt.getTime();
    });
  }

  refuse(place: ModelPlace, reason: string): void {
    this.#options.onRefused?.(place, reason);
  }

  #remember(place: ModelPlace, learned: Learned): void {
    const leftMs = learned.learnedAtMs + learnedForMs - Date.now();
    if (leftMs > 0) this.#known.set(nameOf(place), learned, { ttl: Math.min(leftMs, learnedForMs) });
  }
}

const nameOf = ({ tenantId, address, model }: ModelPlace): string =>
  JSON.stringify([tenantId, address, model]);
