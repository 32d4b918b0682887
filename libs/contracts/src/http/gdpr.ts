import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

const access = 'admin';

export const Receipt = z.object({
  store: z
    .string()
    .describe('Service and store, such as `agents.messages`, `webhooks.stream`, `agents.archive`.'),
  erased: z
    .number()
    .int()
    .describe('Rows, events or lines that were removed, or emptied where others need their place.'),
});
export type Receipt = z.input<typeof Receipt>;

export const ErasureRequest = z
  .object({
    requestId: id,
    state: z.enum(['queued', 'running', 'done']),
    personIds: z
      .array(id)
      .describe(
        'Hashed identifiers of the accounts, as in `/api/platform-users`: all that is remembered of the person.',
      ),
    erasedBefore: moment.describe('What the person said until then is erased; what they say later is new.'),
    receipts: z.array(Receipt).describe('Of all runs together.'),
    runs: z.number().int().describe('How often it was begun: once, and again after a restore or on request.'),
    waitsFor: z
      .string()
      .nullable()
      .describe('What it waits for, or why it could not go on; it is tried again.'),
    createdBy: id.nullable().describe('`null`: after a restore of a backup.'),
    createdAt: moment,
    completedAt: moment.nullable(),
  })
  .meta({
    id: 'ErasureRequest',
    description: 'A request to erase a person from the tenant, and how far it is.',
  });
export type ErasureRequest = z.input<typeof ErasureRequest>;

export const EraseBody = z
  .union([
    z.object({ userId: id.describe('A person of the tenant, with all accounts that they have linked.') }),
    z.object({ platform: PlatformName, platformUserId: z.string().trim().min(1).max(320) }),
  ])
  .meta({ examples: [{ platform: 'messenger', platformUserId: '5512345678' }] });
export type EraseBody = z.output<typeof EraseBody>;

export const gdprRouter = defineRouter({
  basePath: '/api/admin/gdpr',
  service: 'tenancy',
  description: 'Erasure of persons from the active tenant: from every service, stream, file and archive.',
  routes: {
    requestErasure: route({
      method: 'post',
      path: '/requests',
      access,
      acceptsTokens: false,
      summary: 'Erase a person.',
      description:
        'Goes on in the background, until every store has given its receipt; get the request until it is `done`. Private chats go as a whole; ' +
        'of groups what the person wrote, what others quote of it, and the answers to it. Of a user also that it was they who wrote into chats ' +
        'as one of the tenant, and which are assigned to them. 422 for a user who has not come to the tenant yet.',
      body: EraseBody,
      status: 202,
      response: ErasureRequest,
      errors: [404, 409, 422],
    }),
    listErasures: route({
      method: 'get',
      path: '/requests',
      access,
      summary: 'List requests.',
      query: PageQuery.extend({ state: ErasureRequest.shape.state.optional() }),
      response: z.array(ErasureRequest),
      paged: true,
    }),
    getErasure: route({
      method: 'get',
      path: '/requests/:requestId',
      access,
      summary: 'Get a request with its receipts.',
      response: ErasureRequest,
    }),
    rerunErasure: route({
      method: 'post',
      path: '/requests/:requestId/rerun',
      access,
      acceptsTokens: false,
      summary: 'Carry a request out once more: for what a restored backup brought back.',
      status: 202,
      response: ErasureRequest,
      errors: [409],
    }),
    reapplyErasures: route({
      method: 'post',
      path: '/reapply',
      access,
      acceptsTokens: false,
      summary: 'Carry out what the ledger beside the database knows and the database does not.',
      description:
        'Done by itself when the service starts, and every hour: this is for who wants to see it done.',
      status: 202,
      response: z.array(ErasureRequest).describe('Those that were begun again.'),
      errors: [503],
    }),
  },
});
