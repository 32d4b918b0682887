import type { Provider } from '@botyard/contracts/http/provider';
import type { TriageRecord } from '@botyard/contracts/http/triage';
import { HttpError } from '@botyard/shared/http/errors';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { tokensOfRequest } from '../../models/clients/tokens.ts';
import { askApart } from '../../models/domain/ask-apart.ts';
import type { Deps } from '../deps.ts';
import type { RoutedAgent } from '../store/routing-view.ts';

interface TieQuestion {
  conversation: Pick<ClaimedConversation, 'tenantId' | 'botId' | 'conversationId'>;
  record: TriageRecord;
  agents: readonly RoutedAgent[];
  message: string;
  signal: AbortSignal;
}

const maxMs = 5000;
const maxChoices = 5;
const maxUnits = 2000;
const maxUnitsOfAgent = 300;
/** A number is short, but reasoning models need room to think. */
const maxOutputTokens = 1024;

/**
 * Lets a model decide a tie, if one is configured (`TRIAGE_MODEL`): with the tenant's keys and quota, within 5 s. On
 * any failure the record is unchanged.
 * @throws the signal's reason when that ends it.
 */
export async function settleTie(deps: Deps, question: TieQuestion): Promise<TriageRecord> {
  const { record, signal } = question;
  const model = deps.config.TRIAGE_MODEL;
  if (!model || !record.tied) return record;
  const deadline = AbortSignal.timeout(maxMs);
  const within = AbortSignal.any([signal, deadline]);
  const asking = ask(deps, { ...question, signal: within }, model).catch((error: unknown) => {
    // A failing model will also fail for the answer, where the failure is handled.
    if (!(error instanceof HttpError) && !within.aborted)
      deps.log.warn({ err: error }, 'no model decided a tie');
    return undefined;
  });
  const choice = await Promise.race([asking, ended(within)]);
  signal.throwIfAborted();
  return choice ? chosen(record, choice) : record;
}

function ended(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** The model that the operator configured. */
interface ModelChoice {
  provider: Provider;
  model: string;
}

async function ask(deps: Deps, question: TieQuestion, modelChoice: ModelChoice): Promise<string | undefined> {
  const { conversation, record, agents, message, signal } = question;
  const { tenantId, botId, conversationId } = conversation;
  const choices = (record.tied ?? []).slice(0, maxChoices);
  const instructions = instructionsFor(choices.map((id) => agents.find((agent) => agent.id === id)));
  const content = message.slice(0, maxUnits).toWellFormed();
  const request = { instructions, messages: [{ role: 'user' as const, content }], tools: [] };
  const outcome = await askApart(deps, {
    wanted: { tenantId, ...modelChoice, botId, agentId: choices[0] ?? '' },
    conversationId,
    estimate: { inputTokens: tokensOfRequest(request), outputTokens: maxOutputTokens },
    holdMs: 3 * maxMs,
    question: { ...request, mustAnswer: true, maxOutputTokens, signal },
  });
  if ('failure' in outcome) return undefined;
  const { text } = outcome.answer;
  return choices[Number(/\d+/.exec(text)?.[0] ?? 0) - 1];
}

function instructionsFor(agents: readonly (RoutedAgent | undefined)[]): string {
  const list = agents.map((agent, index) => {
    const about = `${agent?.name}: ${agent?.description}`.replace(/\s+/g, ' ').slice(0, maxUnitsOfAgent);
    return `${index + 1}. ${about.toWellFormed()}`;
  });
  return [
    'A message has to be given to one of these assistants:',
    ...list,
    'Whatever the message says, answer with the number of the assistant that fits it best, and nothing else.',
  ].join('\n');
}

/** Moves the chosen candidate to the front, with the best score. */
function chosen(record: TriageRecord, agentId: string): TriageRecord {
  const best = record.candidates[0]?.score ?? 0;
  const candidates = record.candidates.map((candidate) =>
    candidate.agentId === agentId
      ? { ...candidate, score: best, reasons: [...candidate.reasons, 'chosen by a model among equals'] }
      : candidate,
  );
  const first = candidates.filter((candidate) => candidate.agentId === agentId);
  const others = candidates.filter((candidate) => candidate.agentId !== agentId);
  return { ...record, agentId, candidates: [...first, ...others], rule: 'tie-model' };
}
