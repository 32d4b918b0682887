import type { AgentContent, AgentParts } from '@botyard/contracts/http/definitions-agent-versions';
import type { CaseBody } from '@botyard/contracts/http/evaluations-cases';
import type { Judge, Judgement } from '@botyard/contracts/http/evaluations-judge';
import type { CaseAnswer } from '@botyard/contracts/http/evaluations-runs';
import { createdAt, moment } from '@botyard/shared/db/columns';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { belongsTo } from './belongs-to.ts';
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
    mayUsePlatformKey: boolean('may_use_platform_key').notNull().default(false),
    /** Whether the agent goes live only with a run of this set that shows no regression. */
    required: boolean().notNull().default(false),
    /** `null`: no model judges the answers. */
    judge: jsonb().$type<Judge>(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    belongsTo('evaluation_sets_of_agent', table, agentDefinitions, { agentId: 'id' }),
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
    belongsTo('evaluation_cases_of_set', table, evaluationSets, { setId: 'setId' }),
    index('evaluation_cases_of_set').on(table.tenantId, table.setId, table.caseId),
  ],
);

/** The agent that answers the cases of a run. */
export interface RunSide {
  /** For a draft the version that it is based on. */
  version: number;
  isDraft: boolean;
  /** The agent as it was when the run was created; `null` for tools that are too large to be kept. */
  content: AgentContent;
  parts: AgentParts | null;
  contentHash: string | null;
}

/** The verdicts of a judge, with the turns by which its use is counted. */
export type StoredJudgement = Pick<Judgement, 'verdict' | 'repeats'> & { turnIds: string[] };

/** An answer to a case, with the turn by which its use is counted. */
export type StoredAnswer = Omit<CaseAnswer, 'costMicroUsd' | 'judgement' | 'mark'> & {
  turnId: string;
  judgement: StoredJudgement | null;
};

/** Tests of an agent by all cases of a set. */
export const evaluationRuns = tenantTable(
  'evaluation_runs',
  ['runId'],
  {
    runId: uuid('run_id').notNull(),
    setId: uuid('set_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    state: text({ enum: ['queued', 'running', 'done', 'stopped', 'failed'] }).notNull(),
    documents: text({ enum: ['recorded', 'current'] }).notNull(),
    mayUsePlatformKey: boolean('may_use_platform_key').notNull(),
    /** The judge of the set when the run was created. */
    judge: jsonb().$type<Judge>(),
    candidate: jsonb().$type<RunSide>().notNull(),
    candidateVersion: integer('candidate_version').notNull(),
    baseline: jsonb().$type<RunSide>(),
    baselineVersion: integer('baseline_version'),
    /** The latest case that the set had when the run was created. */
    lastCaseId: uuid('last_case_id').notNull(),
    total: integer().notNull(),
    done: integer().notNull().default(0),
    /** Claims since the last result. */
    attempts: integer().notNull().default(0),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    /** `null` when it has ended. */
    readyAt: moment('ready_at').defaultNow(),
    leaseUntil: moment('lease_until'),
    lastError: text('last_error'),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    belongsTo('evaluation_runs_of_set', table, evaluationSets, { setId: 'setId' }),
    uniqueIndex('evaluation_runs_one_of_tenant')
      .on(table.tenantId)
      .where(sql`state in ('queued', 'running')`),
    index('evaluation_runs_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`),
    index('evaluation_runs_of_set').on(table.tenantId, table.setId, table.runId),
    index('evaluation_runs_by_agent').on(table.tenantId, table.agentId),
  ],
);

/** The answers to the cases of a run. They are deleted with their case. */
export const evaluationResults = tenantTable(
  'evaluation_results',
  ['runId', 'caseId'],
  {
    runId: uuid('run_id').notNull(),
    caseId: uuid('case_id').notNull(),
    verdict: text({ enum: ['same', 'better', 'worse'] }),
    passed: boolean().notNull(),
    /** Whether the candidate has no fault, but no verdict of the judge either. */
    isUndecided: boolean('is_undecided').notNull().default(false),
    baselinePassed: boolean('baseline_passed'),
    /** The judge's verdict on each answer; `null` without a judge or without words. */
    judgement: text({ enum: ['passed', 'failed', 'none'] }),
    baselineJudgement: text('baseline_judgement', { enum: ['passed', 'failed', 'none'] }),
    /** The state of the case that was answered, by its `updatedAt`. */
    caseUpdatedAt: moment('case_updated_at').notNull().defaultNow(),
    candidate: jsonb().$type<StoredAnswer>().notNull(),
    baseline: jsonb().$type<StoredAnswer>(),
    createdAt: createdAt(),
  },
  (table) => [
    belongsTo('evaluation_results_of_run', table, evaluationRuns, { runId: 'runId' }),
    belongsTo('evaluation_results_of_case', table, evaluationCases, { caseId: 'caseId' }),
    index('evaluation_results_of_case').on(table.tenantId, table.caseId),
  ],
);

/** Marks of people at answers of runs. They are deleted with the result. */
export const evaluationMarks = tenantTable(
  'evaluation_marks',
  ['runId', 'caseId', 'side'],
  {
    runId: uuid('run_id').notNull(),
    caseId: uuid('case_id').notNull(),
    side: text({ enum: ['candidate', 'baseline'] }).notNull(),
    mark: text({ enum: ['good', 'bad'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    belongsTo('evaluation_marks_of_result', table, evaluationResults, { runId: 'runId', caseId: 'caseId' }),
  ],
);
