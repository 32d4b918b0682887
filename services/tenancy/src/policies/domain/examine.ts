import { baseId, baseSet } from './base-set.ts';
import { type Cedar, type DetailedError, type Request, requireParsed, schemaName } from './cedar.ts';
import { setLimits } from './limits.ts';
import { schemaText } from './schema.ts';
import { sampleRequests } from './worst-case.ts';

/** One fault of a policy's text. Lines and columns count from 1. */
export interface Finding {
  path: 'text';
  message: string;
  line?: number;
  column?: number;
}

export interface Findings {
  /** Faults that prevent saving. */
  issues: Finding[];
  /** Probable mistakes that still work. */
  warnings: Finding[];
  /** The time in ms of the slowest decision, together with the tenant's other policies. */
  decisionMs: number;
}

const trialSlot = 'trial';
const trialId = 'policy';
/** Further faults are reported after the first ones are fixed. */
const maxListed = 50;
const maxMessageLength = 500;
const maxTries = 3;
const farAbove = 3;

/**
 * Parses a text as exactly one policy, checks it against the schema, and decides every action together with the
 * tenant's other policies, so that any text that breaks Cedar breaks it here. @throws the errors of a broken instance.
 */
export function examine(cedar: Cedar, text: string, others: readonly string[]): Findings {
  const answer = cedar.validate({
    schema: schemaText,
    policies: { staticPolicies: { [trialId]: text } },
    validationSettings: { mode: 'strict' },
  });
  const toIssues = (errors: readonly DetailedError[]) =>
    errors.slice(0, maxListed).map((error) => issueOf(error, text));
  if (answer.type === 'failure') return { issues: toIssues(answer.errors), warnings: [], decisionMs: 0 };
  const warned = answer.validationWarnings.map(({ error }) => error);
  const errors = [...answer.validationErrors.map(({ error }) => error), ...warned.filter(isTrap)];
  return {
    issues: toIssues(errors),
    warnings: toIssues(warned.filter((error) => !isTrap(error))),
    decisionMs: errors.length === 0 ? measure(cedar, [text, ...others]) : 0,
  };
}

/** A policy that looks different from its effect is refused. */
const isTrap = ({ message }: DetailedError): boolean => /bidi|confusable|mixed script/i.test(message);

/** Phrases about how the text was passed, which are removed. */
const ourWords = new RegExp(
  `failed to parse policy with id \`${trialId}\` from string: |for policy \`${trialId}\`, `,
  'g',
);

function issueOf({ message, help, sourceLocations }: DetailedError, text: string): Finding {
  const at = sourceLocations?.[0]?.start;
  const words = [message, help && `(${help})`].filter(Boolean).join(' ').replaceAll(ourWords, '');
  return {
    path: 'text',
    message: words.slice(0, maxMessageLength).toWellFormed(),
    ...(at === undefined ? {} : placeOf(text, at)),
  };
}

/** Cedar counts bytes of UTF-8, people count characters. */
function placeOf(text: string, byte: number): { line: number; column: number } {
  const before = Buffer.from(text, 'utf8').subarray(0, byte).toString('utf8');
  const lines = before.split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** Other policies that don't parse were stored without the API. Their set refuses everything, at no cost. */
function measure(cedar: Cedar, texts: readonly string[]): number {
  const base = Object.fromEntries(baseSet.map(({ name, text }) => [baseId(name), text]));
  const own = Object.fromEntries(texts.map((text, index) => [`${trialId} ${index}`, text]));
  requireParsed(cedar.preparseSchema(schemaName, schemaText));
  if (cedar.preparsePolicySet(trialSlot, { staticPolicies: { ...base, ...own } }).type === 'failure')
    return 0;
  const decide = (request: Request) => {
    const begin = process.threadCpuUsage();
    cedar.statefulIsAuthorized({
      ...request,
      preparsedSchemaName: schemaName,
      validateRequest: true,
      preparsedPolicySetId: trialSlot,
    });
    const { user, system } = process.threadCpuUsage(begin);
    return (user + system) / 1000;
  };
  const samples = sampleRequests(texts);
  // The first decision of an instance compiles it.
  for (const request of samples.slice(0, 1)) decide(request);
  let slowest = 0;
  for (const request of samples) {
    slowest = Math.max(
      slowest,
      leastOf(() => decide(request)),
    );
    if (slowest > setLimits.decisionMs) return slowest;
  }
  return slowest;
}

/** A time slightly above the limit is measured again, and the smallest one counts. */
function leastOf(measureOnce: () => number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < maxTries; tries += 1) {
    least = Math.min(least, measureOnce());
    if (least <= setLimits.decisionMs || least > farAbove * setLimits.decisionMs) break;
  }
  return least;
}
