import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { Role } from './members.ts';
import { pageQueryBy } from './page.ts';

const access = 'operator';
const uuidText = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Edges come first, then policies; each from the newest tenant to the oldest. */
const Place = z.string().regex(new RegExp(`^(?:edge:${uuidText}:${uuidText}|policy:${uuidText}:\\d{1,3})$`));

const EdgeImage = z.object({
  edgeId: id,
  role: Role,
  source: z.enum(['api', 'idp']),
  keptSince: moment
    .nullable()
    .describe('Since when the person is an admin here alone; `null` for all others.'),
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
    change: z.enum(['convert', 'create']).describe('An edge is converted where it is; a policy is created.'),
    subject: z
      .string()
      .describe('`user:<userId>`, `tenant:<tenantId>#member`, or `person:*` for whoever writes to a bot.'),
    relation: z.string().describe('`member` or `admin` of an edge; the action that a policy permits.'),
    object: z.string().describe('What it is about, as `tenant:<tenantId>` or `bot:<botId>`.'),
    before: Image.nullable().describe('What is there now; `null` where something is created.'),
    after: Image.describe('What there will be.'),
  })
  .meta({ id: 'PolicyMigrationRow', description: 'One change that the migration of rights makes.' });
export type PolicyMigrationRow = z.input<typeof PolicyMigrationRow>;

const Counts = z.object({
  edges: z.number().int().describe('Relationships between people and tenants.'),
  policies: z.number().int(),
});

export const PolicyMigration = z
  .object({
    migrationId: id.nullable().describe('The run that this is about; null when there was none.'),
    state: z.enum(['none', 'executing', 'executed', 'rollingBack', 'rolledBack']),
    pending: Counts.describe('What executing would change now.'),
    done: Counts.describe('What the run has changed.'),
    restored: Counts.describe('What of that was rolled back.'),
    kept: Counts.describe('What rolling back left as people had made it since.'),
    keptRows: z
      .array(
        z.object({
          tenantId: id,
          kind: z.enum(['edge', 'policy']),
          subject: z.string().describe('Who it is about, as `user:<userId>`.'),
          reason: z.string().describe('Why it was left, for people.'),
        }),
      )
      .describe('The first 100 of them.'),
    startedAt: moment.nullable(),
    finishedAt: moment.nullable(),
    rolledBackAt: moment.nullable().describe('When rolling back was over; `null` until then.'),
    lastError: z
      .string()
      .nullable()
      .describe('Why a tenant could not be done the last time; it is tried again.'),
  })
  .meta({
    id: 'PolicyMigration',
    description: 'How far the move of rights to relationships and policies is.',
  });
export type PolicyMigration = z.input<typeof PolicyMigration>;

const Started = PolicyMigration.extend({
  started: z
    .boolean()
    .describe('Whether this request began something; false when nothing is to do, or it goes on already.'),
}).meta({
  id: 'StartedPolicyMigration',
  description: 'How far the migration is, and whether this request began it.',
});

export const migrationsRouter = defineRouter({
  basePath: '/api/migrations',
  service: 'tenancy',
  description:
    'Changes of the data of all tenants, run by an operator. The migration of authorization makes of each role that is ' +
    'mirrored out of the identity provider a relationship of its own, which only this API changes from then on, and gives ' +
    'each tenant that stands for an organization policies that say what its roles allow. Who may do what stays the same.',
  reserves: access,
  routes: {
    getPolicyMigration: route({
      method: 'get',
      path: '/authorization-policy/status',
      access,
      summary: 'The state of the migration of authorization.',
      response: PolicyMigration,
    }),
    previewPolicyMigration: route({
      method: 'get',
      path: '/authorization-policy/preview',
      access,
      summary: 'What executing would change now, row by row.',
      query: pageQueryBy(Place),
      response: z.array(PolicyMigrationRow),
      paged: true,
    }),
    executePolicyMigration: route({
      method: 'post',
      path: '/authorization-policy/execute',
      access,
      summary: 'Execute the migration in the background; the status tells how far it is.',
      description:
        'It goes on by itself after a crash. Executing again takes up what has become pending since; with nothing pending it ' +
        'changes nothing, and while it runs it answers the same run. 409 while it is rolled back.',
      status: 202,
      response: Started,
      errors: [409, 503],
    }),
    rollbackPolicyMigration: route({
      method: 'post',
      path: '/authorization-policy/rollback',
      access,
      summary: 'Roll the migration back in the background: everything becomes what it was.',
      description:
        'What people changed since stays as they made it, and is listed with the reason. Roles that are mirrored again take ' +
        'up what the identity provider has told meanwhile. While it executes, this stops it. 409 when there is no run.',
      status: 202,
      response: Started,
      errors: [409, 503],
    }),
  },
});
