import { z } from 'zod';
import { Choices } from '../choices.ts';
import { AvailableAgent } from '../http/agents.ts';
import { AnswersWhen } from '../http/bot-groups.ts';
import { ChatFigures } from '../http/bot-stats.ts';
import { PlatformName } from '../http/platform.ts';
import { Provider } from '../http/provider.ts';
import { ChatQuote, ChatWithPeople } from '../http/users.ts';
import { OutboundFile } from './attachments.ts';
import { defineEvent, defineRequest, defineSignal } from './definition.ts';
import { Refusal } from './tenancy.ts';
import { OutboundTemplate } from './webhook-templates.ts';
import { ChatPlace } from './webhooks.ts';

export const replyCreated = defineEvent('agents.reply.created.v1', {
  summary: 'A reply was decided and stored. The webhooks service delivers it to the platform.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    integrationId: z.uuid(),
    conversationId: z.uuid(),
    replyId: z.uuid(),
    /** Position among the conversation's replies: 1, 2, 3, … without gaps. */
    replySeq: z.int().positive(),
    /** Absent: the messenger. For email, the chat is the thread. */
    platform: PlatformName.optional(),
    chat: ChatPlace,
    /** Markdown. Empty for a file without a text. */
    text: z.string(),
    /** Sent after the text. */
    file: OutboundFile.optional(),
    /** An approved template, whose text with its parameters is `text`. The platform gets it in place of the text. */
    template: OutboundTemplate.optional(),
    /** Shown under the text, for the person to choose from. Not of a template. */
    choices: Choices.optional(),
    /** When the newest message that this answers was received: a chat that was blocked since then gets nothing. */
    askedAt: z.iso.datetime().optional(),
    /** The reply is abandoned if it hasn't reached the platform by then. Absent: one hour after `askedAt`. */
    answerUntil: z.iso.datetime().optional(),
    /** The person asked the bot to stop: earlier replies that still wait are dropped. */
    stopsEarlier: z.boolean().optional(),
    /** The author. Absent: the bot. */
    author: z.enum(['bot', 'staff']).optional(),
    /** An answer of an agent, which people can rate. */
    isAnswer: z.boolean().optional(),
  }),
});

/** The key and the tokens of calls of a model. */
const modelUse = {
  keyId: z.uuid().nullable(),
  keySource: z.enum(['agent', 'bot', 'tenant', 'platform', 'none']),
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** The provider gave no numbers, so these are estimates. */
  isEstimated: z.boolean(),
};

export const turnCompleted = defineEvent('agents.turn.completed.v1', {
  summary: 'A turn of a conversation ended. Its usage is counted once, from this event.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    conversationId: z.uuid(),
    turnId: z.uuid(),
    agentId: z.uuid().nullable(),
    /** The version of the agent that answered. Absent from a process of the release before. */
    agentVersion: z.int().optional(),
    outcome: z.enum(['answered', 'apologized', 'command']),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    ...modelUse,
    toolCalls: z.int(),
    completedAt: z.iso.datetime(),
    durationMs: z.int(),
    /** The turn's reservation, if there was one; this event settles it. */
    reservationId: z.uuid().optional(),
  }),
});

export const summaryMade = defineEvent('agents.summary.made.v1', {
  summary:
    'A model summarized the messages that no longer fit into the window of a conversation. The usage is counted once.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    conversationId: z.uuid(),
    summaryId: z.uuid(),
    agentId: z.uuid(),
    provider: z.string(),
    model: z.string(),
    ...modelUse,
    completedAt: z.iso.datetime(),
    durationMs: z.int(),
    /** The reservation that this event settles. */
    reservationId: z.uuid(),
  }),
});

export const trialEnded = defineEvent('agents.trial.ended.v1', {
  summary:
    'A trial of an agent without a chat ended, an answer to a test case, or one beside the live version. The usage is counted once, and belongs to no bot.',
  schema: z.object({
    tenantId: z.uuid(),
    trialId: z.uuid(),
    agentId: z.uuid(),
    provider: z.string(),
    model: z.string(),
    ...modelUse,
    toolCalls: z.int(),
    completedAt: z.iso.datetime(),
    durationMs: z.int(),
    /** The reservation that this event settles. */
    reservationId: z.uuid(),
    /** Absent: a person tried the agent. */
    kind: z.enum(['evaluation', 'shadow']).optional(),
    /** The run of tests that the answer or its judgement belongs to. */
    runId: z.uuid().optional(),
  }),
});

export const keyFailed = defineEvent('agents.key.failed.v1', {
  summary: 'A provider refused a key of a tenant (401) or limited it (429) during a chat.',
  schema: z.object({
    tenantId: z.uuid(),
    keyId: z.uuid(),
    provider: Provider,
    failure: z.enum(['refused', 'limited']),
    /** The limited model. Absent: all models. */
    model: z.string().optional(),
    /** When the keys service handed the key over, by its clock, and how long after that it failed. */
    resolvedAt: z.iso.datetime(),
    failedAfterMs: z.int().nonnegative(),
    /** The wait that the provider requested. */
    retryAfterMs: z.int().nonnegative().optional(),
  }),
});

export const GroupState = z.object({
  tenantId: z.uuid(),
  botId: z.uuid(),
  /** Absent from a process of the release before, whose groups are all of one platform. */
  platform: PlatformName.optional(),
  platformChatId: z.string(),
  answersWhen: AnswersWhen,
  /** The only topics that the bot answers in; `general` covers messages outside topics; `null`: all. */
  topics: z.array(z.string()).nullable(),
  revision: z.int(),
});
export type GroupState = z.output<typeof GroupState>;

export const groupSaved = defineEvent('agents.group.saved.v1', {
  summary:
    "A bot's behavior in a group changed. The webhooks service passes on the messages that the bot answers there.",
  schema: GroupState,
});

export const registryRefreshed = defineEvent('agents.registry.refreshed.v1', {
  summary: "A tenant's agents changed. Other instances of the agents service drop their cached copies.",
  schema: z.object({ tenantId: z.uuid() }),
});

export const attentionNeeded = defineEvent('agents.attention.needed.v1', {
  summary:
    'A chat needs attention: a call of a tool waits for approval, a message cannot be answered, or an agent asks for a person.',
  schema: z.object({
    tenantId: z.uuid(),
    conversationId: z.uuid(),
    kind: z.enum(['approval', 'dead letter', 'handover']),
    /** The ticket, the unanswerable message, or the message that an agent handed to a person. */
    id: z.uuid(),
  }),
});

export const chatUpdated = defineEvent('agents.chat.updated.v1', {
  summary: "A chat's state, labels or notes changed.",
  schema: z.object({
    tenantId: z.uuid(),
    conversationId: z.uuid(),
  }),
});

export const noteCreated = defineEvent('agents.note.created.v1', {
  summary: 'Staff wrote a private note about a chat.',
  schema: z.object({
    tenantId: z.uuid(),
    conversationId: z.uuid(),
    noteId: z.uuid(),
  }),
});

export const handlingChanged = defineEvent('agents.handling.changed.v1', {
  summary: 'A chat was taken over by a person, assigned to another person, or handed back to its bot.',
  schema: z.object({
    tenantId: z.uuid(),
    conversationId: z.uuid(),
    handling: z.enum(['bot', 'person']),
  }),
});

export const typing = defineSignal('agents.turn.typing.v1', {
  summary: 'A bot is about to answer in a chat.',
  listeners: ['webhooks'],
  schema: z.object({
    botId: z.uuid(),
    integrationId: z.uuid(),
    conversationId: z.uuid(),
    /** Absent from a process of the release before. */
    platform: PlatformName.optional(),
    chat: ChatPlace,
  }),
});

export const listAgents = defineRequest('agents.definition.list.v1', {
  summary:
    'Lists agents of these tenants, newest first. `next` is the cursor of the next page. A page may be shorter than `limit`.',
  callers: ['tenancy'],
  request: z.object({
    tenantIds: z.array(z.uuid()).min(1),
    limit: z.int().min(1).max(500),
    before: z.uuid().optional(),
  }),
  response: z.object({ agents: z.array(AvailableAgent), next: z.uuid().optional() }),
  timeoutMs: 2000,
});

export const findMissingAgents = defineRequest('agents.definition.missing.v1', {
  summary:
    'Returns which of these agents do not belong to the tenant. Called before a bot refers to agents, or a key is stored for one.',
  callers: ['tenancy', 'keys'],
  request: z.object({ tenantId: z.uuid(), agentIds: z.array(z.uuid()) }),
  response: z.object({ missing: z.array(z.uuid()) }),
  timeoutMs: 2000,
});

/** A page over several tenants. `null`: all tenants, for operators. */
const PageOfTenants = z.object({
  tenantIds: z.array(z.uuid()).min(1).nullable(),
  limit: z.int().min(1).max(500),
  before: z.uuid().optional(),
});

/** Accounts, as the platforms name them, whose chats or quotes are requested. */
export const Accounts = z
  .array(z.object({ platform: PlatformName, platformUserId: z.string() }))
  .min(1)
  .max(50);

export const listChats = defineRequest('agents.chat.list.v1', {
  summary:
    'Lists chats of these tenants with their people, newest first. `next` is the cursor of the next page. A page may be shorter than `limit`.',
  callers: ['tenancy'],
  request: PageOfTenants.extend({ accounts: Accounts.optional() }),
  response: z.object({ chats: z.array(ChatWithPeople), next: z.uuid().optional() }),
  timeoutMs: 5000,
});

export const listQuotes = defineRequest('agents.quote.list.v1', {
  summary:
    'Lists texts quoted in chats of these tenants, newest first, and returns whether the requested person is known there.',
  callers: ['tenancy'],
  request: PageOfTenants.extend({
    botId: z.uuid().optional(),
    chatId: z.uuid().optional(),
    personId: z.uuid().optional(),
    accounts: Accounts.optional(),
  }),
  response: z.object({
    quotes: z.array(ChatQuote),
    next: z.uuid().optional(),
    /** Also true if no person was requested. */
    isPersonKnown: z.boolean(),
  }),
  timeoutMs: 5000,
});

export const countBotDays = defineRequest('agents.bot.count.v1', {
  summary:
    "Counts a bot's messages, chats and people, with its latency: over all UTC days from `from` to `to`, and for each day with activity.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), botId: z.uuid(), from: z.iso.date(), to: z.iso.date() }),
  response: z.object({
    totals: ChatFigures,
    days: z.array(ChatFigures.extend({ day: z.iso.date() })),
  }),
  timeoutMs: 5500,
});

export const countRefusals = defineRequest('agents.refusal.count.v1', {
  summary:
    'Counts the messages of a tenant that its rules refused: today and on the preceding days (UTC), `days` in total.',
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), days: z.int().min(1).max(31) }),
  response: z.object({
    byReason: z.record(Refusal, z.int()),
    /** Oldest day first, without gaps. */
    byDay: z.array(z.object({ day: z.iso.date(), refused: z.int() })),
  }),
  timeoutMs: 2000,
});
