import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { AnswersWhen } from '@botyard/contracts/http/bot-groups';
import { platformNames } from '@botyard/contracts/platform-names';
import { createdAt, moment } from '@botyard/shared/db/columns';
import { integer, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** Assignments of agents to places. Null parts of a place match everywhere. */
export const botAssignments = tenantTable(
  'bot_assignments',
  ['assignmentId'],
  {
    assignmentId: uuid('assignment_id').notNull(),
    botId: uuid('bot_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    chatId: uuid('chat_id'),
    groupId: uuid('group_id'),
    kind: text().$type<ChatPlace['kind']>(),
    /** `general` for messages outside topics. */
    threadId: text('thread_id'),
    /** At least one of them has to be in the message. An empty list matches every message. */
    keywords: text().array().notNull(),
    language: text(),
    priority: integer().notNull(),
    /** Identifies the place and the condition: two assignments for the same ones would contradict each other. */
    fingerprint: text().notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [unique('bot_assignments_once').on(table.tenantId, table.botId, table.fingerprint)],
);

/** A group or channel in which a bot was addressed, and its rules there. */
export const botGroups = tenantTable(
  'bot_groups',
  ['groupId'],
  {
    groupId: uuid('group_id').notNull(),
    botId: uuid('bot_id').notNull(),
    platform: text({ enum: platformNames }).notNull(),
    /** From `chatKeyOf`: it also names the platform. */
    chatKey: text('platform_chat_id').notNull(),
    kind: text({ enum: ['group', 'channel'] }).notNull(),
    title: text().notNull(),
    name: text(),
    answersWhen: text('answers_when').$type<AnswersWhen>().notNull().default('addressed'),
    topics: text().array(),
    knownTopics: text('known_topics').array().notNull().default([]),
    /** Grows with every change of the bot's rules. */
    revision: integer().notNull().default(1),
    lastMessageAt: moment('last_message_at').notNull().defaultNow(),
    overheardAt: moment('overheard_at'),
    createdAt: createdAt(),
  },
  (table) => [unique('bot_groups_once').on(table.tenantId, table.botId, table.chatKey)],
);
