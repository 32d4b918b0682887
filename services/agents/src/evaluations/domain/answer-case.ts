import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, Verdict } from '@botyard/contracts/http/evaluations-runs';
import { type AnsweredApart, answerApart } from '../../answering/domain/answer-apart.ts';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import type { Cause } from '../../models/domain/cause.ts';
import type { StoredAnswer, StoredJudgement } from '../../store/evaluations-schema.ts';
import { faultOf } from '../../trials/domain/faults.ts';
import type { Deps } from '../deps.ts';
import type { CaseRow } from '../store/cases.ts';
import type { RunRow } from '../store/runs.ts';
import { onAllowedKey } from './allowed-key.ts';
import { checkAssertions, shortened, shown } from './check-assertions.ts';
import { judgeAnswer } from './judge/judge-answer.ts';
import { RecordedTools } from './recorded-tools.ts';
import { endsRun, RunFailure, retryWhileUnavailable } from './retry.ts';

const maxAnswerUnits = 8000;

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
  const attempt = await retryWhileUnavailable(() => ask(deps, asked), {
    failureOf: ({ conversed }) => ('failure' in conversed ? conversed : undefined),
    signal: asked.signal,
  });
  const { conversed } = attempt;
  if ('failure' in conversed && endsRun.has(conversed.failure))
    throw new RunFailure(faultOf(conversed.failure));
  return await checked(deps, asked, attempt);
}

async function ask(deps: Deps, { run, agent, test, signal }: AskedCase): Promise<Attempt> {
  const tools = new RecordedTools(test.recording, run.documents);
  const apart = await answerApart(deps, {
    agent,
    messages: test.messages,
    kind: 'evaluation',
    runId: run.runId,
    standIn: tools.answer,
    narrow: (reserve) => onAllowedKey(run, reserve),
    signal,
  });
  return { ...apart, tools };
}

async function checked(
  deps: Deps,
  { run, test, signal }: AskedCase,
  { turnId, conversed, tools, durationMs }: Attempt,
): Promise<StoredAnswer> {
  const { tenantId, judge } = run;
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
  const shownText = text && cut(text);
  const judgement =
    judge && shownText ? await judgeAnswer(deps, { run, judge, test, text: shownText, signal }) : null;
  const allFaults = [...ownFaults, ...faults, ...faultsOf(judgement)];
  return {
    turnId,
    passed: allFaults.length === 0 && judgement?.verdict !== 'none',
    faults: allFaults,
    judgement,
    text: shownText,
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

/** A missing verdict is no fault. */
function faultsOf(judgement: StoredJudgement | null): Fault[] {
  if (judgement?.verdict !== 'failed') return [];
  const against = judgement.repeats.filter(({ verdict }) => verdict === 'failed');
  const message = `the judge says no, ${against.length} of ${judgement.repeats.length} times: ${against[0]?.reason}`;
  return [{ assertion: null, message: shortened(message) }];
}

/** Whether only the judge's verdict is missing. */
export const isUndecided = ({ passed, faults }: StoredAnswer): boolean => !passed && faults.length === 0;

type Compared = Pick<StoredAnswer, 'faults' | 'judgement'>;

/** A missing verdict may hide one more fault. */
const mostFaults = ({ faults, judgement }: Compared): number =>
  faults.length + (judgement?.verdict === 'none' ? 1 : 0);

/**
 * How a candidate's answer is beside the baseline's, by the faults that each has. `null` if that depends on a verdict
 * that the judge did not give.
 */
export function verdictOf(candidate: Compared, baseline: Compared): Verdict | null {
  const least = Math.sign(candidate.faults.length - mostFaults(baseline));
  const most = Math.sign(mostFaults(candidate) - baseline.faults.length);
  if (least !== most) return null;
  if (least === 0) return 'same';
  return least < 0 ? 'better' : 'worse';
}

const everyMs = 200;
const maxReads = 50;

/** The cost of a turn whose use was announced, once it is counted; `null` without a price. */
async function costOfTurn(
  { usage }: Pick<Deps, 'usage'>,
  tenantId: string,
  turnId: string,
): Promise<number | null> {
  for (let reads = 1; reads <= maxReads; reads += 1) {
    const [cost] = await usage.costsOf(tenantId, [turnId]);
    if (cost) return cost.costMicroUsd;
    await pause(everyMs);
  }
  return null;
}
