import { noBotId } from '@botyard/contracts/events/usage';
import type { Judge, Judgement } from '@botyard/contracts/http/evaluations-judge';
import { countUse } from '../../../answering/domain/answer-apart.ts';
import { tokensOfRequest } from '../../../models/clients/tokens.ts';
import { askCounted } from '../../../models/domain/ask-apart.ts';
import type { ModelOutcome } from '../../../models/domain/ask-model.ts';
import type { Cause } from '../../../models/domain/cause.ts';
import type { StoredJudgement } from '../../../store/evaluations-schema.ts';
import { faultOf } from '../../../trials/domain/faults.ts';
import type { Deps } from '../../deps.ts';
import type { CaseRow } from '../../store/cases.ts';
import type { RunRow } from '../../store/runs.ts';
import { onAllowedKey } from '../allowed-key.ts';
import { endsRun, RunFailure, retryWhileUnavailable } from '../retry.ts';
import { judgeQuestion, readVerdict } from './judge-question.ts';
import { verdictOfRepeats } from './pass-rate.ts';

/** A verdict is short, but reasoning models need room to think. */
const maxOutputTokens = 4096;
/** How much longer a reservation lasts than the answer may take. */
const holdLongerMs = 60_000;

interface AskedJudge {
  run: RunRow;
  judge: Judge;
  test: CaseRow;
  /** The words of the answer. */
  text: string;
  signal: AbortSignal;
}

/**
 * Asks the judge as often as the set says, one after the other. A time without a verdict stays without one. @throws
 * RunFailure when no further answer could be judged either; HttpError 503; the signal's reason.
 */
export async function judgeAnswer(deps: Deps, asked: AskedJudge): Promise<StoredJudgement> {
  const repeats: Judgement['repeats'] = [];
  const turnIds: string[] = [];
  while (repeats.length < asked.judge.repeats) {
    const outcome = await retryWhileUnavailable(() => askOnce(deps, asked, turnIds), {
      failureOf: (attempt) => ('failure' in attempt ? attempt : undefined),
      signal: asked.signal,
    });
    repeats.push(repeatOf(outcome));
  }
  return { verdict: verdictOfRepeats(repeats), repeats, turnIds };
}

function repeatOf(outcome: ModelOutcome): Judgement['repeats'][number] {
  if ('failure' in outcome) {
    const reason = faultOfJudge(outcome.failure);
    if (endsRun.has(outcome.failure)) throw new RunFailure(reason);
    return { verdict: 'none', reason };
  }
  const { text, finish } = outcome.answer;
  return finish === 'complete'
    ? readVerdict(text)
    : { verdict: 'none', reason: 'the answer of the judge was cut off' };
}

export const faultOfJudge = (cause: Cause): string =>
  cause === 'no key'
    ? 'there is no key for the provider of the judge: store one'
    : `the judge: ${faultOf(cause)}`;

async function askOnce(
  deps: Deps,
  { run, judge, test, text, signal }: AskedJudge,
  turnIds: string[],
): Promise<ModelOutcome> {
  const { tenantId, agentId, runId } = run;
  const { provider, model } = judge;
  const { instructions, content } = judgeQuestion({ judge, test, text });
  const request = { instructions, messages: [{ role: 'user' as const, content }], tools: [] };
  const timeoutMs = deps.config.MODEL_TIMEOUT_MS;
  const begin = performance.now();
  return await askCounted(deps, {
    wanted: { tenantId, agentId, provider, model },
    botId: noBotId,
    estimate: { inputTokens: tokensOfRequest(request), outputTokens: maxOutputTokens },
    holdMs: timeoutMs + holdLongerMs,
    narrow: (reserve) => onAllowedKey(run, reserve),
    question: {
      ...request,
      mustAnswer: true,
      maxOutputTokens,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    },
    count: async ({ key, usage, reservationId: turnId }) => {
      turnIds.push(turnId);
      const spent = { key, usage, toolCalls: [] };
      const durationMs = Math.round(performance.now() - begin);
      const used = { tenantId, id: agentId, provider, model };
      await countUse(deps, used, { turnId, kind: 'evaluation', runId, spent, durationMs });
    },
  });
}
