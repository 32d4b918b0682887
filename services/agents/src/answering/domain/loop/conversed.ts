import type {
  KeyAttempt,
  ModelRecord,
  SourceCitation,
  ToolCallRecord,
} from '@botyard/contracts/http/context-traces';
import type { Say } from '@botyard/words/words';
import type { ModelMessage } from 'ai';
import type { ResolvedKey, WantedKey } from '../../../clients/keys.ts';
import type { Scene } from '../../../external-tools/domain/calls/call.ts';
import type { NewTicket } from '../../../external-tools/store/tickets.ts';
import type { ModelCall, TokenUse } from '../../../models/clients/wire.ts';
import type { Cause } from '../../../models/domain/cause.ts';
import type { Reserve } from '../../../models/domain/quota.ts';
import type { TokenBudget } from '../../../models/domain/token-budget.ts';
import type { TurnUse } from '../../../recordings/domain/turn-recording.ts';
import type { Equipment } from '../../../tools/domain/equipment.ts';
import type { ToolStandIn } from './call-tools.ts';

export interface Question {
  wanted: WantedKey;
  reserve: Reserve;
  /** The chat and the people for calls of external tools; `null` in a trial, which has no chat. */
  scene: Scene | null;
  /** Answers calls of tools in their place. */
  standIn?: ToolStandIn;
  /** The texts that stand in for the model's. */
  say: Say;
  model: string;
  settings: ModelCall['settings'];
  equipment: Equipment;
  /** The moment of the agent's last change: what was learned about its model before counts no more. */
  agentChangedAt: Date;
  messages: readonly ModelMessage[];
  /** The question without the messages before it, or `null` if there are none. */
  alone: readonly ModelMessage[] | null;
  budget: TokenBudget;
  /** Called with text and tool calls as they arrive, and before each attempt that withdraws the text so far. */
  watch?: {
    onText: (text: string) => void;
    onTool: (call: ToolCallRecord) => void;
    onBegin?: () => void;
  };
  /**
   * Called when there will be no outcome, with the use until then. An error that it throws replaces the original error.
   */
  onAbandoned: (error: unknown, spent: Spent) => Promise<void>;
  signal: AbortSignal;
}

/** The use by a question that got no result. */
export interface Spent {
  /** The last key that was tried, if any. */
  key: Pick<ResolvedKey, 'keyId' | 'source'> | undefined;
  usage: TokenUse;
  toolCalls: readonly ToolCallRecord[];
}

/** The result of a turn's question, with the use of all its attempts, including failed ones. */
export type Conversed = {
  /** The key of the last answer, if any. */
  key: Pick<ResolvedKey, 'keyId' | 'source'>;
  keyAttempts: KeyAttempt[];
  toolCalls: ToolCallRecord[];
  citations: SourceCitation[];
  /** Calls that wait for an approval. They end the turn. */
  tickets: NewTicket[];
  /** The reason for handing the chat over to a person. It ends the turn, too. */
  handover: string | null;
  /** Texts under the answer that the person can choose from. */
  choices: readonly string[] | null;
  usage: TokenUse;
  /** The calls and passages, whole. */
  used: Pick<TurnUse, 'calls' | 'passages'>;
  record: ModelRecord;
  /** The messages that stay out of later questions, because the provider refuses them. */
  leavesOut: 'nothing' | 'context' | 'question';
} & ConversedEnd;

export type ConversedEnd = { text: string } | { failure: Cause; freeInMs?: number | undefined };
