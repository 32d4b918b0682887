import { readFile } from 'node:fs/promises';
import { ConfigError } from '@botyard/shared/config/config';
import { z } from 'zod';

const microUsdPerMillion = z.int().min(0).max(1e12);

const Price = z.strictObject({
  provider: z.string().min(1),
  /** The model's name, or its beginning followed by `*`. */
  model: z.string().regex(/^[^*]+\*?$/, 'must be a name, with at most one * at its end'),
  /** The UTC day from which it applies, until the next one for the same name. */
  effectiveFrom: z.iso.date(),
  input: microUsdPerMillion,
  output: microUsdPerMillion,
});
type Price = z.output<typeof Price>;

/** The structure of `services/usage/prices.json` and of the file in `PRICES_FILE`. */
export const PriceTable = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  prices: z.array(Price).max(10_000).superRefine(refuseTwice),
});
export type PriceTable = z.output<typeof PriceTable>;

function refuseTwice(prices: readonly Price[], ctx: z.RefinementCtx): void {
  const models = new Set<string>();
  for (const [place, { provider, model, effectiveFrom }] of prices.entries()) {
    const key = JSON.stringify([provider, model, effectiveFrom]);
    if (models.has(key)) ctx.addIssue({ code: 'custom', path: [place], message: 'is there twice' });
    models.add(key);
  }
}

/** The use of a model, and its day. */
interface PricedUse {
  provider: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
}

/** The cost in micro-USD, rounded to the nearest integer; `null` when the model has no price on that day. */
export type CostOf = (use: PricedUse) => number | null;

const builtIn = new URL('../../prices.json', import.meta.url);

/**
 * Reads the table of prices: the file in `PRICES_FILE`, or else the repository's. @throws ConfigError with one line.
 */
export async function readPrices(file: string | undefined): Promise<CostOf> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file ?? builtIn, 'utf8'));
  } catch (error) {
    const { code } = error as { code?: string };
    throw new ConfigError(
      `invalid settings: PRICES_FILE: ${code ? `can't be read (${code})` : 'is no JSON'}`,
    );
  }
  const table = PriceTable.safeParse(content);
  if (table.success) return createPrices(table.data);
  const [issue] = table.error.issues;
  throw new ConfigError(
    `invalid settings: PRICES_FILE: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`,
  );
}

/** Applies the price with the most exact name among those valid on a day, and the latest one among equal names. */
export function createPrices({ prices }: PriceTable): CostOf {
  const byProvider = Map.groupBy(prices.toSorted(moreExactThenLater), ({ provider }) => provider);
  return ({ provider, model, inputTokens, outputTokens, day }) => {
    if (provider === null || model === null) return null;
    const price = byProvider.get(provider)?.find((one) => one.effectiveFrom <= day && fits(one.model, model));
    return price ? costAt(price, inputTokens, outputTokens) : null;
  };
}

const fits = (pattern: string, model: string): boolean =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;

function moreExactThenLater(left: Price, right: Price): number {
  const exactness = ({ model }: Price) => (model.endsWith('*') ? model.length : Number.MAX_SAFE_INTEGER);
  return exactness(right) - exactness(left) || (left.effectiveFrom < right.effectiveFrom ? 1 : -1);
}

const perMillion = 1_000_000n;

/** In integers, so that sums of costs are exact; half a micro-USD is rounded up. */
function costAt({ input, output }: Price, inputTokens: number, outputTokens: number): number {
  const exact = BigInt(inputTokens) * BigInt(input) + BigInt(outputTokens) * BigInt(output);
  return Number((exact + perMillion / 2n) / perMillion);
}
