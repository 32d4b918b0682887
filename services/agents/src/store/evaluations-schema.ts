import type { CaseBody } from '@botyard/contracts/http/evaluations-cases';
import { createdAt, moment } from '@botyard/shared/db/columns';
import { foreignKey, index, integer, jsonb, text, uuid } from '@botyard/shared/db/drizzle';
import { agentDefinitions } from './definitions-schema.ts';
import { tenantTable } from './schema.ts';

/** Cases by which an agent is tested. They are deleted with the agent. */
export const evaluationSets = tenantTable(
  'evaluation_sets',
  ['setId'],
  {
    setId: uuid('set_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    name: text().notNull(),
    documents: text({ enum: ['recorded', 'current'] }).notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    foreignKey({
      name: 'evaluation_sets_of_agent',
      columns: [table.tenantId, table.agentId],
      foreignColumns: [agentDefinitions.tenantId, agentDefinitions.id],
    }).onDelete('cascade'),
    index('evaluation_sets_by_agent').on(table.tenantId, table.agentId),
  ],
);

export const evaluationCases = tenantTable(
  'evaluation_cases',
  ['caseId'],
  {
    caseId: uuid('case_id').notNull(),
    setId: uuid('set_id').notNull(),
    name: text().notNull(),
    messages: jsonb().$type<CaseBody['messages']>().notNull(),
    recording: jsonb().$type<CaseBody['recording']>().notNull(),
    assertions: jsonb().$type<CaseBody['assertions']>().notNull(),
    /** The messages of chats that it was made of, with their conversations and the people who wrote them. */
    sourceMessageIds: uuid('source_message_ids').array().notNull().default([]),
    conversationIds: uuid('conversation_ids').array().notNull().default([]),
    personIds: uuid('person_ids').array().notNull().default([]),
    /** When the earliest of these messages was received; `null` without one. */
    sourcesSince: moment('sources_since'),
    /** The size of the content as JSON. */
    bytes: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    foreignKey({
      name: 'evaluation_cases_of_set',
      columns: [table.tenantId, table.setId],
      foreignColumns: [evaluationSets.tenantId, evaluationSets.setId],
    }).onDelete('cascade'),
    index('evaluation_cases_of_set').on(table.tenantId, table.setId, table.caseId),
  ],
);
