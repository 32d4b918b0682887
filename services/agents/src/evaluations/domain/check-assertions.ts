import type { Assertion } from '@botyard/contracts/http/evaluations-cases';
import type { Fault } from '@botyard/contracts/http/evaluations-runs';
import { HttpError } from '@botyard/shared/http/errors';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import canonicalize from 'canonicalize';
import { previewTriage } from '../../routing/domain/preview.ts';
import { countStopWords, foldWord } from '../../routing/domain/words/languages.ts';
import type { Deps } from '../deps.ts';
import type { tasks } from './assertion-thread.ts';
import type { MadeCall } from './recorded-tools.ts';

/** An answer with everything that assertions ask about. */
export interface CheckedAnswer {
  tenantId: string;
  /** The message that was answered. */
  question: string;
  text: string | null;
  isSilent: boolean;
  handover: string | null;
  approvals: readonly string[];
  calls: readonly MadeCall[];
  citedSourceIds: ReadonlySet<string>;
  inputTokens: number;
  outputTokens: number;
  durationMs: number;
  costMicroUsd: () => Promise<number | null>;
}

type Check<Type extends Assertion['type']> = (
  answer: CheckedAnswer,
  assertion: Extract<Assertion, { type: Type }>,
  deps: Deps,
) => Promise<string | null> | string | null;

const unless = (holds: boolean, fault: string): string | null => (holds ? null : fault);
const folded = (text: string | null): string => (text ?? '').normalize('NFC').toLowerCase();

/** The fault of each kind of assertion, or `null` if it holds. */
const checks: { [Type in Assertion['type']]: Check<Type> } = {
  agent: async ({ tenantId, question }, { agentId, among }, deps) => {
    const chosen = await chosenAgent(deps, tenantId, { message: question, agentIds: among });
    return unless(chosen === agentId, `triage chooses ${chosen ?? 'no agent'}`);
  },
  tool_called: async ({ tenantId, calls }, { name, arguments: exact, schema }) => {
    const named = calls.filter((call) => call.name === name);
    if (named.length === 0) return `${name} was not called`;
    const fitting = exact ? named.filter((call) => isSame(call.arguments, exact)) : named;
    if (fitting.length === 0) return `${name} was called with ${shown(named.map((call) => call.arguments))}`;
    if (!schema) return null;
    const faults = await Promise.all(fitting.map((call) => faultOfValue(tenantId, schema, call.arguments)));
    return faults.includes(null) ? null : `the arguments of ${name} do not fit: ${faults[0]}`;
  },
  approval_asked: ({ approvals }, { name }) =>
    unless(
      name === undefined ? approvals.length > 0 : approvals.includes(name),
      name === undefined ? 'no approval was asked for' : `no approval was asked for ${name}`,
    ),
  handed_over: ({ handover }) => unless(handover !== null, 'the chat was not handed over'),
  silent: ({ isSilent }) => unless(isSilent, 'the agent answered'),
  contains: ({ text }, wanted) =>
    unless(folded(text).includes(folded(wanted.text)), `the answer does not contain "${wanted.text}"`),
  not_contains: ({ text }, wanted) =>
    unless(!folded(text).includes(folded(wanted.text)), `the answer contains "${wanted.text}"`),
  matches: ({ tenantId, text }, { pattern }) => faultOfMatch(tenantId, pattern, text ?? ''),
  language: ({ text }, { language }) => {
    const spoken = languageOf(text ?? '');
    return unless(spoken === language, `the language is ${spoken ?? 'unknown'}`);
  },
  cites: ({ citedSourceIds }, { sourceId }) =>
    unless(citedSourceIds.has(sourceId), 'no passage of the document was used'),
  cost_at_most: async ({ costMicroUsd }, { microUsd }) => {
    const cost = await costMicroUsd();
    if (cost === null) return 'the cost is unknown, because the model has no price';
    return unless(cost <= microUsd, `it cost ${cost} micro-USD`);
  },
  tokens_at_most: ({ inputTokens, outputTokens }, { tokens }) =>
    unless(inputTokens + outputTokens <= tokens, `it took ${inputTokens + outputTokens} tokens`),
  time_at_most: ({ durationMs }, { milliseconds }) =>
    unless(durationMs <= milliseconds, `it took ${durationMs} ms`),
  json: ({ tenantId, text }, { schema }) => {
    const value = jsonOf(text ?? '');
    return value === undefined ? 'the answer is not JSON' : faultOfValue(tenantId, schema, value);
  },
};

/** The faults of an answer, in the order of the assertions. */
export async function checkAssertions(
  deps: Deps,
  answer: CheckedAnswer,
  assertions: readonly Assertion[],
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [index, assertion] of assertions.entries()) {
    const check = checks[assertion.type] as Check<Assertion['type']>;
    const message = await check(answer, assertion as never, deps);
    if (message !== null) faults.push({ assertion: index, message: shortened(message) });
  }
  return faults;
}

const maxShownUnits = 1000;
export const shortened = (text: string): string =>
  text.length <= maxShownUnits ? text : `${text.slice(0, maxShownUnits).toWellFormed()}…`;

/** Arguments as a person reads them. */
export const shown = (value: unknown): string => shortened(JSON.stringify(value) ?? 'nothing');

const isSame = (left: unknown, right: unknown): boolean => canonicalize(left) === canonicalize(right);

/** The answer's JSON, also in a fenced block; `undefined` if it is none. */
function jsonOf(text: string): unknown {
  const [, fenced = text] = /^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(text) ?? [];
  return tryParseForeignJson(fenced);
}

/** An expression or a schema takes some milliseconds. One that is made to be slow takes years. */
const timeoutMs = 500;

/** Starts with the first check of the process, and ends when it is idle. */
const pool = new ThreadPool<typeof tasks>({
  file: new URL('./assertion-thread.ts', import.meta.url),
  maxMegabytes: 128,
});

/** The fault of the text, or `null` if the pattern matches it. @throws TaskError when too many checks wait. */
async function faultOfMatch(tenantId: string, pattern: string, text: string): Promise<string | null> {
  return await inTime(async () => {
    const matches = await pool.run('matches', { pattern, text }, { owner: tenantId, timeoutMs });
    return matches ? null : 'the answer does not match the pattern';
  });
}

/** The fault of the value, or `null` if it fits the JSON Schema. @throws TaskError as `faultOfMatch`. */
async function faultOfValue(
  tenantId: string,
  schema: Record<string, unknown>,
  value: unknown,
): Promise<string | null> {
  return await inTime(() => pool.run('faultOf', { schema, value }, { owner: tenantId, timeoutMs }));
}

async function inTime(check: () => Promise<string | null>): Promise<string | null> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof TaskRefusal) return error.message;
    if (!(error instanceof TaskError) || error.fault === 'busy') throw error;
    return 'the check takes too long';
  }
}

/** The agent that triage chooses among some, without a model; `null` for none, or if one of them is gone. */
async function chosenAgent(
  deps: Deps,
  tenantId: string,
  { message, agentIds }: { message: string; agentIds: string[] },
): Promise<string | null> {
  if (agentIds.length === 0) return null;
  try {
    return (await previewTriage(deps, tenantId, { message, agentIds })).agentId;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return null;
    throw error;
  }
}

const maxUnits = 20_000;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The language with the most stop words in a text; `null` without any, or if two have as many. */
function languageOf(text: string): string | null {
  const segments = segmenter.segment(text.slice(0, maxUnits).toWellFormed());
  const words = [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => foldWord(segment));
  const [best, second] = [...countStopWords(words)].sort(([, left], [, right]) => right - left);
  return best && best[1] > (second?.[1] ?? 0) ? best[0] : null;
}
