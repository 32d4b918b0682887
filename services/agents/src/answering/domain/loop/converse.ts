import type { Say } from '@botyard/words/words';
import { waitingSentence } from '../../../external-tools/domain/calls/sentences.ts';
import { tokensOfRequest } from '../../../models/clients/tokens.ts';
import { isBlank, type ModelAnswer } from '../../../models/clients/wire.ts';
import { askModel } from '../../../models/domain/ask-model.ts';
import type { Deps } from '../../deps.ts';
import { callTools } from './call-tools.ts';
import type { Conversed, ConversedEnd, Question } from './conversed.ts';
import { maxCalls, Turn } from './turn.ts';

/** Model calls in one turn. In the last one no tools are allowed, so that the model answers. */
const maxSteps = 6;

/**
 * Calls the model, runs the tools that it requests and calls it again with their results, until it answers with text.
 * Steps and calls are limited, and the budget and the signal's deadline apply.
 *
 * An empty answer is retried once, and a call that was cut is never run: it is asked for once more with twice the room.
 * If the provider refuses the content or the length of the messages, the question is asked alone. A key that fails in
 * a later step is replaced by the next one, and no tool runs twice. If the process dies, the whole turn runs again:
 * built-in tools only read or repeat the same write, and external tools record what they did. @throws as `askModel`.
 */
export async function converse(deps: Deps, question: Question): Promise<Conversed> {
  const turn = new Turn(question);
  try {
    return await converseIn(deps, question, turn);
  } catch (error) {
    turn.uses(turn.trail.unheard);
    const { usage, toolCalls, trail } = turn;
    await question.onAbandoned(error, { key: trail.latest, usage, toolCalls });
    throw error;
  }
}

async function converseIn(deps: Deps, question: Question, turn: Turn): Promise<Conversed> {
  const { wanted, reserve, equipment, budget, say } = question;
  for (let step = 1; ; step += 1) {
    const tools = turn.offeredTools.map(({ offered }) => offered);
    const mayCall = tools.length > 0 && step < maxSteps && turn.mayCall;
    const request = { instructions: equipment.instructions, tools, messages: turn.messages };
    const isLast = !(mayCall && budget.hasRoomForTools(tokensOfRequest(request)));
    const roundQuestion = {
      ...request,
      ...settingsOf(question),
      ...turn.lengthOf(budget, isLast),
      mustAnswer: isLast,
    };
    const outcome = await askModel(deps, { wanted, reserve, question: roundQuestion, trail: turn.trail });
    if ('failure' in outcome) {
      turn.uses(outcome.unheard);
      if (turn.mayAskAfter(outcome.failure)) continue;
      const { failure, freeInMs } = outcome;
      return turn.ended(outcome.key, { failure, freeInMs });
    }
    const { answer, key } = outcome;
    turn.hears(answer);
    budget.spend(answer.usage);
    if (turn.mayAskOnceMore(answer, budget)) continue;
    if (isLast || answer.toolCalls.length === 0 || answer.finish === 'cut')
      return turn.ended(key, endOf(say, answer, turn));
    turn.messages.push(...answer.said);
    if (!(await hasCalled(deps, question, { turn, answer }))) return turn.ended(key, { failure: 'timeout' });
    if (turn.handover !== null) return turn.ended(key, { text: say('handover') });
    if (turn.waiting.length > 0) return turn.ended(key, { text: waitingSentence(say, turn.waiting) });
  }
}

const settingsOf = ({ model, settings, agentChangedAt, watch, signal }: Question) => ({
  model,
  settings,
  agentChangedAt,
  signal,
  onText: watch?.onText,
  onBegin: watch?.onBegin,
});

/**
 * The answer with a remark if it was cut or filtered. If it is empty, the text beside an earlier call is the answer.
 */
function endOf(say: Say, { finish, text }: ModelAnswer, turn: Turn): ConversedEnd {
  const said = isBlank(turn.paused + text) ? turn.textOfStep : turn.paused + text;
  if (isBlank(said)) return { failure: finish === 'filtered' ? 'filtered' : 'empty answer' };
  if (finish !== 'cut' && finish !== 'filtered') return { text: said };
  return { text: `${withoutOpenCode(said)}\n\n${say(finish === 'cut' ? 'answer.cut' : 'answer.filtered')}` };
}

/** Closes code that the end of the text has left open, so that what follows is no code. */
function withoutOpenCode(text: string): string {
  const fences = text.match(/^ {0,3}```/gm) ?? [];
  return `${text.trimEnd()}${fences.length % 2 === 1 ? '\n```' : ''}`;
}

/** `false` when the turn's deadline passed first. */
async function hasCalled(
  deps: Deps,
  { wanted: { tenantId }, scene, standIn, equipment, budget, watch, signal }: Question,
  { turn, answer }: { turn: Turn; answer: ModelAnswer },
): Promise<boolean> {
  const tools = turn.offeredTools;
  const request = { instructions: equipment.instructions, tools: tools.map(({ offered }) => offered) };
  try {
    const called = await callTools(deps, {
      tenantId,
      scene,
      tools: [...tools, ...(equipment.searched ?? [])],
      standIn,
      asked: answer.toolCalls,
      callsLeft: maxCalls - turn.toolCalls.length,
      roomTokens: budget.roomAfter(tokensOfRequest({ ...request, messages: turn.messages })),
      pictureRoom: turn.pictureRoom,
      signal,
    });
    turn.messages.push(called.message);
    turn.showPictures(called.shownPictures);
    turn.toolCalls.push(...called.records);
    turn.usedCalls.push(...called.used.calls);
    turn.usedPassages.push(...called.used.passages);
    for (const record of called.records) watch?.onTool(record);
    turn.finds(called.offers);
    turn.citations.push(...called.citations);
    turn.tickets.push(...called.tickets);
    turn.waiting.push(...called.tickets.map(({ toolName }) => toolName), ...called.waiting);
    turn.handover = called.handover;
    turn.choices = called.choices ?? turn.choices;
    return true;
  } catch (error) {
    if (signal.aborted && (signal.reason as { name?: unknown }).name === 'TimeoutError') return false;
    throw error;
  }
}
