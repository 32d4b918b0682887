import type {
  ReleaseRule,
  ReleaseStep,
  ShadowCall,
  ShadowDifference,
} from '@botyard/contracts/http/definitions-agent-releases';
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
import { tenantTable, turns } from './schema.ts';

/** The evidence of a rule, and the place of the last session that it has counted. */
export interface RuleProgress {
  after: { beganAt: string; sessionId: string } | null;
  evidence: RuleEvidence;
}

interface SideCount {
  sessions: number;
  worse: number;
}

interface Sides {
  candidate: SideCount;
  live: SideCount;
}

/** The sessions that a rule has counted, and their evidence. */
export interface RuleEvidence extends Sides {
  /** Sessions that are not compared yet: all of one side, and of one hour. */
  open: Sides & { hour: number };
  /** The logarithm of the likelihood ratio for each of `oddsRatios`. */
  logRatios: readonly number[];
}

/** Candidate versions of agents that answer a share of the sessions; at most one of an agent runs. */
export const agentReleases = tenantTable(
  'agent_releases',
  ['releaseId'],
  {
    releaseId: uuid('release_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    /** The candidate. */
    version: integer().notNull(),
    /** Percent of the sessions that begin now; 0 after a withdrawal. */
    share: integer().notNull(),
    /** Percent of the live version's answers that the candidate answers, too. */
    shadow: integer().notNull().default(0),
    /** The last turn that was drawn for it, or passed over. */
    shadowedUntil: uuid('shadowed_until'),
    steps: jsonb().$type<ReleaseStep[]>().notNull(),
    rules: jsonb().$type<ReleaseRule[]>().notNull(),
    /** The sessions that each rule has counted, in their order. */
    progress: jsonb().$type<RuleProgress[]>().notNull().default([]),
    state: text({ enum: ['running', 'withdrawn', 'promoted'] })
      .notNull()
      .default('running'),
    reason: text(),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    endedAt: moment('ended_at'),
  },
  (table) => [
    belongsTo('agent_releases_of_agent', table, agentDefinitions, { agentId: 'id' }),
    uniqueIndex('agent_releases_one_running').on(table.tenantId, table.agentId).where(sql`state = 'running'`),
    index('agent_releases_by_agent').on(table.tenantId, table.agentId, table.releaseId),
  ],
);

/** Every step of a release: its audit. Rows never change. */
export const releaseChanges = tenantTable(
  'release_changes',
  ['changeId'],
  {
    changeId: uuid('change_id').notNull(),
    releaseId: uuid('release_id').notNull(),
    kind: text({ enum: ['started', 'raised', 'withdrawn', 'promoted'] }).notNull(),
    /** The share from then on. */
    share: integer().notNull(),
    reason: text(),
    /** The user who did it; `null` for Botyard itself. */
    userId: uuid('user_id'),
    createdAt: createdAt(),
  },
  (table) => [
    belongsTo('release_changes_of_release', table, agentReleases, { releaseId: 'releaseId' }),
    index('release_changes_of_release').on(table.tenantId, table.releaseId, table.changeId),
  ],
);

/**
 * Sessions whose first answer by the agent fell into a release, with the version that was decided then. They have no
 * foreign key: the end of a turn must not fail when its agent is deleted.
 */
export const releaseSessions = tenantTable(
  'release_sessions',
  ['releaseId', 'sessionId'],
  {
    releaseId: uuid('release_id').notNull(),
    sessionId: uuid('session_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    isCandidate: boolean('is_candidate').notNull(),
    /** The person who wrote first; `null` if the platform names none. */
    personId: uuid('person_id'),
    /** The time of the first answer. */
    beganAt: moment('began_at').notNull().defaultNow(),
  },
  (table) => [
    index('release_sessions_by_time').on(table.tenantId, table.releaseId, table.beganAt, table.sessionId),
    index('release_sessions_by_person').on(table.tenantId, table.releaseId, table.personId),
  ],
);

/** The running release of an agent, and whether its candidate answers a session. */
export type SessionRelease = Pick<typeof releaseSessions.$inferSelect, 'releaseId' | 'isCandidate'>;

/** Turns of the live version that a candidate answers, too, and its answers. They go with their turn. */
export const shadowAnswers = tenantTable(
  'shadow_answers',
  ['releaseId', 'turnId'],
  {
    releaseId: uuid('release_id').notNull(),
    turnId: uuid('turn_id').notNull(),
    /** `null` until it is answered. */
    verdict: text({ enum: ['same', 'different', 'not_comparable'] }),
    differences: jsonb().$type<ShadowDifference[]>().notNull().default([]),
    text: text(),
    calls: jsonb().$type<ShadowCall[]>().notNull().default([]),
    attempts: integer().notNull().default(0),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    /** `null` when it is answered. */
    readyAt: moment('ready_at').defaultNow(),
    leaseUntil: moment('lease_until'),
    createdAt: createdAt(),
  },
  (table) => [
    belongsTo('shadow_answers_of_turn', table, turns, { turnId: 'turnId' }),
    belongsTo('shadow_answers_of_release', table, agentReleases, { releaseId: 'releaseId' }),
    index('shadow_answers_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`),
    index('shadow_answers_by_turn').on(table.tenantId, table.turnId),
  ],
);
