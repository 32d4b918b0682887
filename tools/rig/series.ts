export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The values of every round by variant and metric. Ratios are computed within a round, under the same conditions. */
export class Series {
  readonly #values = new Map<string, Map<string, number[]>>();

  add(variant: string, figures: Readonly<Record<string, number>>): void {
    const metrics = this.#values.get(variant) ?? new Map<string, number[]>();
    this.#values.set(variant, metrics);
    for (const [metric, value] of Object.entries(figures)) {
      metrics.set(metric, [...(metrics.get(metric) ?? []), value]);
    }
  }

  of(variant: string, metric: string): Spread | undefined {
    return spreadOf(this.#list(variant, metric));
  }

  /** Divides one metric of a variant by another metric of the same round. */
  quotient(variant: string, metric: string, by: string): Spread | undefined {
    const divisors = this.#list(variant, by);
    const quotients = this.#list(variant, metric).map(
      (value, round) => value / (divisors[round] ?? Number.NaN),
    );
    return spreadOf(quotients.filter(Number.isFinite));
  }

  ratio(variant: string, reference: string, metric: string): Spread | undefined {
    const references = this.#list(reference, metric);
    const ratios = this.#list(variant, metric).map(
      (value, round) => value / (references[round] ?? Number.NaN),
    );
    return spreadOf(ratios.filter(Number.isFinite));
  }

  toJSON(): unknown {
    return Object.fromEntries(
      [...this.#values].map(([name, metrics]) => [name, Object.fromEntries(metrics)]),
    );
  }

  #list(variant: string, metric: string): readonly number[] {
    return this.#values.get(variant)?.get(metric) ?? [];
  }
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? max;
  return { median: sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2, min, max };
}
