import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { PageQuery } from './page.ts';
import { loginPlatform, PlatformName } from './platform.ts';

export const Receipt = z.object({
  store: z
    .string()
    .describe('Service and store, such as `agents.messages`, `webhooks.stream`, `agents.archive`.'),
  erased: z
    .int()
    .describe(
      'Number of rows, events or lines that were removed, or emptied if other data depends on their position.',
    ),
});
export type Receipt = z.input<typeof Receipt>;

export const ErasureRequest = z
  .object({
    requestId: id,
    state: z.enum(['queued', 'running', 'done']),
    personIds: z
      .array(id)
      .describe(
        'Hashed identifiers of the accounts, as in `/api/platform-users`. The request stores nothing else about the person.',
      ),
    erasedBefore: moment.describe(
      "The person's messages up to this moment are erased. Later messages are not affected.",
    ),
    receipts: z.array(Receipt).describe('The receipts of all runs together.'),
    runs: z.int().describe('The number of runs: one, and another after each restore or on request.'),
    waitsFor: z
      .string()
      .nullable()
      .describe(
        'The reason why the erasure waits or could not continue; it is retried. `null` if there is none.',
      ),
    createdBy: id
      .nullable()
      .describe('The user who requested the erasure. `null` if it was started after a restore of a backup.'),
    createdAt: moment,
    completedAt: moment.nullable().describe('When it was completed; `null` until then.'),
  })
  .meta({
    id: 'ErasureRequest',
    description: 'A request to erase a person from the tenant, and its progress.',
  });
export type ErasureRequest = z.input<typeof ErasureRequest>;

export const EraseBody = z
  .union([
    z.object({ userId: id.describe('The user to erase, with all accounts that they have linked.') }),
    z.object({ platform: PlatformName, platformUserId: z.string().trim().min(1).max(320) }),
  ])
  .meta({ examples: [{ platform: loginPlatform, platformUserId: '5512345678' }] });
export type EraseBody = z.output<typeof EraseBody>;

export const gdprRouter = defineRouter({
  basePath: '/api/admin/gdpr',
  service: 'tenancy',
  description: 'Erasure of persons from the active tenant: from every service, stream, file and archive.',
  routes: {
    requestErasure: admin.post('/requests', {
      summary: 'Erase a person.',
      description:
        'Runs in the background until every store has given its receipt; poll the request until it is `done`. Private chats are erased ' +
        "completely. In groups, the person's messages, others' quotes of them, and the answers to them are erased. For a user, their " +
        'authorship of staff messages and their assignments to chats are erased as well. ' +
        'Returns 422 for a user who has not visited the tenant yet.',
      body: EraseBody,
      status: 202,
      response: ErasureRequest,
      errors: [404, 409, 422],
    }),
    listErasures: admin.list('/requests', {
      summary: 'List erasure requests.',
      query: PageQuery.extend({ state: ErasureRequest.shape.state.optional() }),
      response: z.array(ErasureRequest),
    }),
    getErasure: admin.get('/requests/:requestId', {
      summary: 'Get an erasure request with its receipts.',
      response: ErasureRequest,
    }),
    rerunErasure: admin.post('/requests/:requestId/rerun', {
      summary: 'Carry out an erasure request again, for data that a restored backup brought back.',
      status: 202,
      response: ErasureRequest,
      errors: [409],
    }),
    reapplyErasures: admin.post('/reapply', {
      summary:
        'Carry out erasures that are in the ledger outside the database but missing from the database.',
      description:
        'This also happens automatically when the service starts, and every hour. Call it to run it now.',
      status: 202,
      response: z.array(ErasureRequest).describe('The erasure requests that were started again.'),
      errors: [503],
    }),
  },
});
