import type { ShadowDifference } from '@botyard/contracts/http/definitions-agent-releases';
import type { Conversed } from '../../answering/domain/loop/conversed.ts';
import type { TurnUse } from '../../recordings/domain/turn-recording.ts';
import type { ShadowRow } from '../store/shadow-answers.ts';
import { keyOf, type LiveCalls } from './live-calls.ts';

interface LiveAnswer {
  isAnswered: boolean;
  text: string;
  calls: TurnUse['calls'];
}

type Comparison = Pick<ShadowRow, 'differences'> & { verdict: NonNullable<ShadowRow['verdict']> };

/** Compares the live answer with that of the candidate. */
export function compareAnswers(live: LiveAnswer, conversed: Conversed, tools: LiveCalls): Comparison {
  const text = 'text' in conversed ? conversed.text : null;
  const isHandedOver = live.calls.some(({ kind, outcome }) => kind === 'hand_over' && outcome === 'ok');
  const approvals = live.calls.filter(({ outcome }) => outcome === 'waiting').map(({ name }) => name);
  const endsWithoutModel = isHandedOver || approvals.length > 0;
  const differs: Readonly<Record<ShadowDifference, boolean>> = {
    // The sentence about a hand-over or an approval is the bot's own, in the language of the chat.
    text: !endsWithoutModel && live.isAnswered && text !== null && text.trim() !== live.text.trim(),
    calls: !isSameSet(
      live.calls.map((call) => keyOf(call.name, call.arguments)),
      tools.calls.map((call) => keyOf(call.name, call.arguments)),
    ),
    approvals: !isSameSet(approvals, tools.approvals),
    handed_over: isHandedOver !== (conversed.handover !== null),
    failed: live.isAnswered !== (text !== null),
  };
  const differences = (Object.keys(differs) as ShadowDifference[]).filter((name) => differs[name]);
  if (!tools.areComparable) return { verdict: 'not_comparable', differences };
  return { verdict: differences.length === 0 ? 'same' : 'different', differences };
}

const isSameSet = (left: readonly string[], right: readonly string[]): boolean =>
  new Set(left).symmetricDifference(new Set(right)).size === 0;
