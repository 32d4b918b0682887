import type {
  ContextRecord,
  KeyAttempt,
  ModelRecord,
  ToolCallRecord,
} from '@botyard/contracts/http/context-traces';
import type { TriageRecord } from '@botyard/contracts/http/triage';
import type { Say } from '@botyard/words/words';
import type { AgentDefinitionRow } from '../../definitions/store/agent-definitions.ts';
import type { NewTicket } from '../../external-tools/store/tickets.ts';
import type { TokenUse } from '../../models/clients/wire.ts';
import { apologyFor, type Cause } from '../../models/domain/cause.ts';
import type { TurnUse } from '../../recordings/domain/turn-recording.ts';
import type { SessionRelease } from '../../store/releases-schema.ts';
import type { LeftOut } from '../store/left-out.ts';

/** The outcome of a turn, with the record of how it was reached. */
export interface Answer {
  outcome: 'answered' | 'apologized' | 'command';
  text: string;
  resetsContext: boolean;
  failure: Cause | null;
  /** For an apology while everything that could answer is paused: the time until the first of them is free again. */
  freeInMs?: number | undefined;
  agent: AgentDefinitionRow | null;
  /** The agent's running release, and whether its candidate answered. */
  release: SessionRelease | null;
  triage: TriageRecord | null;
  key: { keyId: string | null; source: 'agent' | 'bot' | 'tenant' | 'platform' | 'none' };
  usage: TokenUse;
  /** `null` when no model had to be called. */
  context: ContextRecord | null;
  /** `null` when no model was asked. */
  record: ModelRecord | null;
  leftOut: LeftOut | null;
  keyAttempts: KeyAttempt[];
  toolCalls: ToolCallRecord[];
  /** Calls that wait for an approval after this turn. */
  tickets: NewTicket[];
  /** The agent's reason for requesting a person, who handles the chat once the turn ends. */
  handover: string | null;
  /** Everything that is kept for test cases; `null` when no agent was asked. */
  used: TurnUse | null;
  /** Texts under the answer that the person can choose from. */
  choices: readonly string[] | null;
}

const nothingUsed = { inputTokens: 0, outputTokens: 0, isEstimated: false };

/** Fields of an answer that asked no agent. */
export const plain: Omit<Answer, 'outcome' | 'text'> = {
  resetsContext: false,
  failure: null,
  agent: null,
  release: null,
  triage: null,
  key: { keyId: null, source: 'none' },
  usage: nothingUsed,
  context: null,
  record: null,
  leftOut: null,
  keyAttempts: [],
  toolCalls: [],
  tickets: [],
  handover: null,
  used: null,
  choices: null,
};

/** One safe sentence in place of an answer (REQ-CHAT-4). */
export function apologize(say: Say, cause: Cause, found: Omit<Answer, 'outcome' | 'text'>): Answer {
  return { ...found, outcome: 'apologized', text: apologyFor(say, cause), failure: cause };
}

/** The same apology when no agent was involved. */
export const politeRefusal = (say: Say, cause: Cause): Answer => apologize(say, cause, plain);
