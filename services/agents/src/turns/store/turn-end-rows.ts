import type { Refusal } from '@botyard/contracts/events/tenancy';
import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import type { leaveOut } from '../../answering/store/left-out.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { NewTicket } from '../../external-tools/store/tickets.ts';
import type { recordingKeys, turnRecordings } from '../../store/recordings-schema.ts';
import type { SessionRelease } from '../../store/releases-schema.ts';
import type { SessionAgents, turns } from '../../store/schema.ts';

/** The record of one answer. */
export type NewTurn = Omit<typeof turns.$inferSelect, 'createdAt'>;

/** The rows that the end of a turn writes. */
export interface TurnEndRows {
  conversation: Pick<ClaimedConversation, 'tenantId' | 'conversationId' | 'fence' | 'nextSeq'>;
  /** The messages that it ends; `refusal` says why a sender was refused. */
  messages: readonly { messageId: string; refusal: Refusal | null }[];
  /** The state of these messages; those of refused senders are `ignored`. */
  status: 'answered' | 'ignored' | 'dead' | null;
  /** The position after them; `null` if there are none. */
  nextSeq: number | null;
  /** Why they aren't answered, or why a postponed turn failed. */
  reason: string | null;
  tries: number | null;
  isForStaff: boolean;
  /** The time until a postponed turn is tried again, and the time since its first attempt. */
  waitMs: number | null;
  triedMs: number | null;
  reply: ReplyRows | null;
  events: readonly OutboxRow[];
  /** Written in place of `events` if a reply turns out to be unwanted. */
  eventsIfSilenced: readonly OutboxRow[];
}

type RecordingColumns = Pick<typeof turnRecordings.$inferSelect, 'keyId' | 'sealedRecording'> &
  Pick<typeof recordingKeys.$inferSelect, 'sealedKey'>;

interface ReplyRows {
  tickets: readonly NewTicket[];
  leftOut: Parameters<typeof leaveOut>[2] | null;
  /** The agent's reason for leaving the chat to staff. */
  handover: string | null;
  resetsContext: boolean;
  /** Whether this is the first answer of the record's session. */
  beginsSession: boolean;
  /** The session's agents, if this answer changes them. */
  sessionAgents: SessionAgents | null;
  /** The session as a part of the agent's release, if this is its first answer there. */
  releaseSession: (SessionRelease & { personId: string | null }) | null;
  /** Everything that the turn used, sealed; `null` if it used nothing. */
  recording: RecordingColumns | null;
  record: NewTurn;
  seq: number;
  afterSeq: number;
  text: string;
  /** The texts to choose from under it. */
  choices: readonly string[] | null;
  stickyAgentId: string | null;
  /** The person who is asked later if it helped. */
  askedPersonId: string | null;
}
