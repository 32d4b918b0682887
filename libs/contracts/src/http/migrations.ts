import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, operator } from './contract.ts';
import { Role } from './members.ts';
import { pageQueryBy } from './page.ts';

const uuidText = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Edges come first, then policies; each from the newest tenant to the oldest. */
const Place = z.string().regex(new RegExp(`^(?:edge:${uuidText}:${uuidText}|policy:${uuidText}:\\d{1,3})$`));

const EdgeImage = z.object({
  edgeId: id,
  role: Role,
  source: z.enum(['api', 'idp']),
  keptSince: moment
    .nullable()
    .describe(
      'Since when the person is kept as an admin only because the tenant would otherwise have none. `null` for all others.',
    ),
});
const PolicyImage = z.object({
  name: z.string(),
  description: z.string(),
  text: z.string(),
  enabled: z.boolean(),
});
const Image = z.union([EdgeImage, PolicyImage]);

export const PolicyMigrationRow = z
  .object({
    tenantId: id,
    kind: z.enum(['edge', 'policy']),
    change: z
      .enum(['convert', 'create'])
      .describe('`convert`: an existing edge is converted in place. `create`: a policy is created.'),
    subject: z
      .string()
      .describe(
        'The subject: `user:<userId>`, `tenant:<tenantId>#member`, or `person:*` for everyone who writes to a bot.',
      ),
    relation: z
      .string()
      .describe('For an edge, `member` or `admin`. For a policy, the action that it permits.'),
    object: z.string().describe('The object, as `tenant:<tenantId>` or `bot:<botId>`.'),
    before: Image.nullable().describe('The current state. `null` if something is created.'),
    after: Image.describe('The state after the migration.'),
  })
  .meta({ id: 'PolicyMigrationRow', description: 'One change that the migration of authorization makes.' });
export type PolicyMigrationRow = z.input<typeof PolicyMigrationRow>;

const Counts = z.object({
  edges: z.int().describe('Relationships between people and tenants.'),
  policies: z.int(),
});

export const PolicyMigration = z
  .object({
    migrationId: id.nullable().describe('The run that this status describes. `null` if there was none.'),
    state: z.enum(['none', 'executing', 'executed', 'rollingBack', 'rolledBack']),
    pending: Counts.describe('The changes that an execution would make now.'),
    done: Counts.describe('The changes that the run has made.'),
    restored: Counts.describe('The changes of the run that were rolled back.'),
    kept: Counts.describe('Items that the rollback kept because people had changed them since.'),
    keptRows: z
      .array(
        z.object({
          tenantId: id,
          kind: z.enum(['edge', 'policy']),
          subject: z.string().describe('The subject, as `user:<userId>`.'),
          reason: z.string().describe('Why the item was kept, for people.'),
        }),
      )
      .describe('The first 100 items that the rollback kept.'),
    startedAt: moment.nullable(),
    finishedAt: moment.nullable(),
    rolledBackAt: moment.nullable().describe('When the rollback was completed. `null` until then.'),
    lastError: z
      .string()
      .nullable()
      .describe('Why a tenant could not be migrated in the last attempt. The attempt is retried.'),
  })
  .meta({
    id: 'PolicyMigration',
    description: 'The progress of the migration of rights to relationships and policies.',
  });
export type PolicyMigration = z.input<typeof PolicyMigration>;

const Started = PolicyMigration.extend({
  started: z
    .boolean()
    .describe(
      'Whether this request started a run. `false` if there is nothing to do, or if a run is already in progress.',
    ),
}).meta({
  id: 'StartedPolicyMigration',
  description: 'The progress of the migration, and whether this request started it.',
});

export const migrationsRouter = defineRouter({
  basePath: '/api/migrations',
  service: 'tenancy',
  description:
    'Migrations of the data of all tenants, run by an operator. The migration of authorization turns each role that is ' +
    'mirrored from the identity provider into a relationship, which only this API changes afterwards. It also gives each ' +
    'tenant that stands for an organization policies that define what its roles allow. Effective rights stay the same.',
  routes: {
    getPolicyMigration: operator.get('/authorization-policy/status', {
      summary: 'Get the state of the migration of authorization.',
      response: PolicyMigration,
    }),
    previewPolicyMigration: operator.list('/authorization-policy/preview', {
      summary: 'List the changes that an execution would make now.',
      query: pageQueryBy(Place),
      response: z.array(PolicyMigrationRow),
    }),
    executePolicyMigration: operator.post('/authorization-policy/execute', {
      summary: 'Execute the migration in the background.',
      description:
        'The status shows the progress. A run resumes automatically after a crash. Executing again processes what has become ' +
        'pending since; it changes nothing if nothing is pending, and returns the current run while one is in progress. ' +
        'Returns 409 during a rollback.',
      status: 202,
      response: Started,
      errors: [409, 503],
    }),
    rollbackPolicyMigration: operator.post('/authorization-policy/rollback', {
      summary: 'Roll the migration back in the background.',
      description:
        'Restores the previous state. Items that people changed since are kept and listed with the reason. Roles that are mirrored ' +
        'again take over what the identity provider reported in the meantime. A rollback stops a running execution. ' +
        'Returns 409 if there is no run.',
      status: 202,
      response: Started,
      errors: [409, 503],
    }),
  },
});
