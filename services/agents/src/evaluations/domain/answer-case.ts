import { setTimeout as pause } from 'node:timers/promises';
import type { CaseAnswer, Fault } from '@botyard/contracts/http/evaluations-runs';
import { type AnsweredApart, answerApart } from '../../answering/domain/answer-apart.ts';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import type { Cause } from '../../models/domain/cause.ts';
import type { Reserve } from '../../models/domain/quota.ts';
import type { StoredAnswer } from '../../store/evaluations-schema.ts';
import { faultOf } from '../../trials/domain/faults.ts';
import type { Deps } from '../deps.ts';
import type { CaseRow } from '../store/cases.ts';
import type { RunRow } from '../store/runs.ts';
import { checkAssertions, shortened, shown } from './check-assertions.ts';
import { costOfTurn } from './cost-of-turn.ts';
import { RecordedTools } from './recorded-tools.ts';

const maxTries = 3;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
const maxAnswerUnits = 8000;

/** The model can't answer this case nor the next one. The message is for the people who run the agent. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
}

/** Causes that end a run, since every other case would have them, too. */
const endsRun: ReadonlySet<Cause> = new Set<Cause>([
  'no key',
  'key refused',
  'model refused',
  'quota exhausted',
  'allowance used up',
]);
const passing: ReadonlySet<Cause> = new Set<Cause>(['rate limited', 'timeout', 'unavailable']);

interface AskedCase {
  run: RunRow;
  agent: AgentAtWork;
  test: CaseRow;
  signal: AbortSignal;
}

type Attempt = AnsweredApart & { tools: RecordedTools };

/**
 * Has an agent answer a case, and checks the answer. A failure of the model that may pass is tried again. @throws
 * RunFailure; HttpError 503; the signal's reason.
 */
export async function answerCase(deps: Deps, asked: AskedCase): Promise<StoredAnswer> {
  for (let tries = 1; ; tries += 1) {
    const attempt = await ask(deps, asked);
    const { conversed } = attempt;
    if (!('failure' in conversed)) return await checked(deps, asked, attempt);
    const { failure, freeInMs } = conversed;
    if (endsRun.has(failure)) throw new RunFailure(faultOf(failure));
    if (!passing.has(failure) || tries === maxTries) return await checked(deps, asked, attempt);
    const waitMs = Math.min(freeInMs ?? firstWaitMs * tries, longestWaitMs);
    await pause(waitMs, undefined, { signal: asked.signal });
  }
}

async function ask(deps: Deps, { run, agent, test, signal }: AskedCase): Promise<Attempt> {
  const tools = new RecordedTools(test.recording, run.documents);
  const apart = await answerApart(deps, {
    agent,
    messages: test.messages,
    kind: 'evaluation',
    standIn: tools.answer,
    narrow: (reserve) => onAllowedKey(run, reserve),
    signal,
  });
  return { ...apart, tools };
}

/** Without an admin's leave, the platform's key counts as none. */
const onAllowedKey =
  ({ mayUsePlatformKey }: RunRow, reserve: Reserve): Reserve =>
  async (source) =>
    source === 'platform' && !mayUsePlatformKey ? 'no key' : await reserve(source);

async function checked(
  deps: Deps,
  { run: { tenantId }, test }: AskedCase,
  { turnId, conversed, tools, durationMs }: Attempt,
): Promise<StoredAnswer> {
  const { usage, toolCalls, handover, citations } = conversed;
  const failure = 'failure' in conversed ? conversed.failure : null;
  const text = 'text' in conversed ? conversed.text : null;
  const approvals = tools.calls.filter(({ outcome }) => outcome === 'waiting').map(({ name }) => name);
  const isSilent = failure === 'empty answer';
  const faults = await checkAssertions(
    deps,
    {
      tenantId,
      question: test.messages.at(-1)?.text ?? '',
      text,
      isSilent,
      handover,
      approvals,
      calls: tools.calls,
      citedSourceIds: new Set([...tools.citedSourceIds, ...citations.map(({ sourceId }) => sourceId)]),
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      durationMs,
      costMicroUsd: () => costOfTurn(deps, tenantId, turnId),
    },
    test.assertions,
  );
  const ownFaults = [
    ...tools.unrecorded.map((call) => `not recorded: ${call.name} with ${shown(call.arguments)}`),
    ...(failure !== null && !maySilence(test, failure) ? [faultOf(failure)] : []),
  ].map((message): Fault => ({ assertion: null, message: shortened(message) }));
  const allFaults = [...ownFaults, ...faults];
  return {
    turnId,
    passed: allFaults.length === 0,
    faults: allFaults,
    text: text && cut(text),
    failure: failure && faultOf(failure),
    handover,
    approvals,
    toolCalls,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    durationMs,
  };
}

/** Whether the case expects that there is no answer. */
const maySilence = ({ assertions }: CaseRow, failure: Cause): boolean =>
  failure === 'empty answer' && assertions.some(({ type }) => type === 'silent');

const cut = (text: string): string =>
  text.length <= maxAnswerUnits ? text : `${text.slice(0, maxAnswerUnits).toWellFormed()}…`;

/** How a candidate's answer is beside the baseline's: by the faults that each has. */
export function verdictOf(
  candidate: Pick<CaseAnswer, 'faults'>,
  baseline: Pick<CaseAnswer, 'faults'>,
): 'same' | 'better' | 'worse' {
  const difference = candidate.faults.length - baseline.faults.length;
  if (difference === 0) return 'same';
  return difference < 0 ? 'better' : 'worse';
}
