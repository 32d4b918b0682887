import type { SaidRow } from '../../conversations/store/messages.ts';
import type { RoutingView } from '../store/routing-view.ts';

interface GroupTurn {
  group: RoutingView['group'];
  threadId: string | undefined;
  turn: readonly Pick<SaidRow, 'isAddressed'>[];
}

/**
 * The reason why a bot doesn't answer here (`/api/bot-groups`): it never answers in this group or in this topic, or it
 * wasn't addressed in a group that requires it. Read with the turn, so that a change takes effect immediately.
 */
export function whyNotHere({ group, threadId, turn }: GroupTurn): string | undefined {
  const { answersWhen, topics } = group ?? { answersWhen: 'addressed', topics: null };
  if (answersWhen === 'never') return 'the bot never answers in this group';
  if (topics && !topics.includes(threadId ?? 'general')) return 'the bot does not answer in this topic';
  if (answersWhen === 'always' || turn.some(({ isAddressed }) => isAddressed)) return undefined;
  return 'nobody was spoken to';
}
