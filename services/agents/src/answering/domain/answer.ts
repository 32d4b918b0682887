import type { Say } from '@botyard/words/words';
import type { Said } from '../../conversations/domain/said.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { isNotice } from '../../conversations/store/notice-positions.ts';
import { loadPictures } from '../../media/domain/pictures.ts';
import { withTranscripts } from '../../media/domain/transcripts.ts';
import { agentOfSession, type Session } from '../../releases/domain/agent-of-session.ts';
import { routeTurn } from '../../routing/domain/route-turn.ts';
import { isCommandOfApp } from '../../routing/domain/routes-of-apps.ts';
import type { BotRow } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import type { TurnView } from '../store/turn-view.ts';
import { answerNotice } from './answer-notice.ts';
import { type Answer, apologize, plain } from './answer-record.ts';
import { askAgent } from './ask-agent.ts';
import { runAccountCommand } from './own-accounts.ts';
import { cannotRead, isReadable, withSpokenWords } from './question/attachments.ts';
import { withQuotation } from './question/quotation.ts';

/** The question, the agents that may answer it, and the earlier messages. */
export type Asked = Pick<TurnView, 'agents' | 'context' | 'routing' | 'summary'> & {
  bot: BotRow;
  say: Say;
  turn: readonly SaidRow[];
};

/**
 * Answers a turn's messages: with a command's text, the model's answer, or one safe sentence per cause of failure
 * (REQ-CHAT-4).
 * @throws only for internal faults, such as a database that doesn't answer, or when `signal` aborts it.
 */
export async function answer(
  deps: Deps,
  conversation: ClaimedConversation,
  { bot, ...asked }: Asked,
  signal: AbortSignal,
): Promise<Answer> {
  const { turn, refusal } = await withTranscripts(deps, conversation, asked, signal);
  const [first] = turn;
  const sessionId = conversation.sessionId ?? first?.messageId ?? '';
  const view = { ...asked, turn, session: { sessionId, agents: conversation.sessionAgents } };
  const { say } = view;
  if (first && isNotice(first)) return await answerNotice(deps, { conversation, first, ...view }, signal);
  const accountReply = await runAccountCommand(deps, conversation, { turn, say });
  if (accountReply !== undefined) return { ...plain, outcome: 'command', text: accountReply };
  const command = first?.command ? commandOf(first.command, { bot, ...view }) : undefined;
  if (command && 'reply' in command) {
    return { ...plain, outcome: 'command', text: command.reply, resetsContext: command.resetsContext };
  }
  if (!command && turn.every((said) => said.content === 'unsupported' && !isReadable(said))) {
    if (refusal) return apologize(say, refusal, plain);
    return { ...apologize(say, 'unsupported content', plain), text: cannotRead(say, turn) };
  }
  const said = command && first ? [{ text: command.ask, quote: first.quote }] : turn.map(withSpokenWords);
  return await routeAndAsk(deps, conversation, { said, ...view }, signal);
}

/** A command that an app has a route for is a message to its agent. Every other command is built in. */
const commandOf = (command: NonNullable<SaidRow['command']>, { bot, routing, say }: Asked): CommandResult =>
  isCommandOfApp(routing.apps, command.name)
    ? { ask: `/${command.name} ${command.argument}`.trim() }
    : runCommand(command, { bot: bot.name, say });

async function routeAndAsk(
  deps: Deps,
  conversation: ClaimedConversation,
  {
    context,
    summary,
    turn,
    say,
    session,
    ...view
  }: Omit<Asked, 'bot'> & { said: readonly Said[]; session: Session },
  signal: AbortSignal,
): Promise<Answer> {
  const language = turn[0]?.sender?.language ?? null;
  const routed = await routeTurn(deps, conversation, { ...view, language, say }, signal);
  const { record: triage } = routed;
  if ('reply' in routed) {
    return { ...plain, outcome: 'command', text: routed.reply, agent: routed.agent, triage };
  }
  if ('cause' in routed) return apologize(say, routed.cause, { ...plain, triage });
  // The agent is chosen by the person's own words, because in a group they often quote the bot itself.
  const { said } = routed;
  const { agent, release } = agentOfSession(routed.agent, session);
  const pictures = await loadPictures(deps, agent, turn);
  const attached = new Set(pictures.map(({ messageId }) => messageId));
  const question = said.map((one) => ({
    text: withQuotation({ ...one, isShown: isAttachedIn(attached, one) }),
    sender: one.sender ?? turn[0]?.sender ?? null,
  }));
  const { apps } = view.routing;
  const agentRequest = {
    conversation,
    agent,
    release,
    triage,
    apps,
    turn,
    context,
    summary,
    question,
    pictures,
    say,
  };
  return await askAgent(deps, agentRequest, signal);
}

const isAttachedIn = (attached: ReadonlySet<string>, said: Said | SaidRow): boolean =>
  'messageId' in said && attached.has(said.messageId);

/** The result of a command: a fixed text, or words for the agent. */
type CommandResult = { reply: string; resetsContext: boolean } | { ask: string };

/** Commands never reach the model. An unknown one is a question or, without further words, a request for help. */
export function runCommand(
  command: { name: string; argument: string },
  { bot, say }: { bot: string; say: Say },
): CommandResult {
  switch (command.name) {
    case 'start':
      return { reply: say('greeting', { bot }), resetsContext: false };
    case 'help':
      return { reply: say('help'), resetsContext: false };
    case 'new':
    case 'reset':
      return { reply: say('new_conversation'), resetsContext: true };
    case 'stop':
      return { reply: say('goodbye'), resetsContext: false };
    case 'agent':
      // The agent's name is read with the words: a message can begin with it, too.
      return { ask: `/agent ${command.argument}` };
    default:
      return command.argument === ''
        ? { reply: say('help'), resetsContext: false }
        : { ask: command.argument };
  }
}
