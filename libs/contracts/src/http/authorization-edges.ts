import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

const uuid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const groupName = '[A-Za-z0-9_-]{1,64}';
/** The subject of a relationship. */
const subjectPattern = new RegExp(
  `^(?:user:${uuid}|group:${groupName}#member|tenant:${uuid}#(?:member|admin))$`,
);
/** The object of a relationship. */
const objectPattern = new RegExp(`^(?:(?:tenant|bot):${uuid}|group:${groupName})$`);
const userPattern = new RegExp(`^user:${uuid}$`);

const subject = z
  .string()
  .regex(
    subjectPattern,
    'must be user:<userId>, group:<name>#member, tenant:<tenantId>#member or tenant:<tenantId>#admin',
  )
  .describe(
    'Who is tied: `user:<userId>`, `group:<name>#member`, or `tenant:<tenantId>#member` or `#admin`.',
  );
const object = z
  .string()
  .regex(objectPattern, 'must be tenant:<tenantId>, bot:<botId> or group:<name> (letters, digits, _ and -)')
  .describe('What to: `tenant:<tenantId>`, `bot:<botId>` or `group:<name>`.');
const relation = z.enum(['member', 'admin'], { error: 'must be one of member, admin' });
const shownRelation = z.enum(['member', 'admin', 'owner']);

export const AuthorizationEdge = z
  .object({
    edgeId: id,
    subject: z
      .string()
      .describe(
        'Who is tied: `user:<userId>`, `group:<name>#member`, or `tenant:<tenantId>#member` or `#admin`.',
      ),
    relation: shownRelation.describe('`owner` ties a tenant to each of its bots; it follows from the bot.'),
    object: z.string().describe('What to: `tenant:<tenantId>`, `bot:<botId>` or `group:<name>`.'),
    createdAt: moment,
  })
  .meta({ id: 'AuthorizationEdge', description: 'A relationship: who is tied to what, and as what.' });
export type AuthorizationEdge = z.input<typeof AuthorizationEdge>;

export const CreateEdgeBody = z.object({ subject, relation, object });
export type CreateEdgeBody = z.output<typeof CreateEdgeBody>;

export const EdgeQuery = PageQuery.extend({
  subject: z.string().max(200).optional().describe('Only edges of this subject, as it is written in them.'),
  relation: shownRelation.optional().describe('Only edges of this relation.'),
  object: z.string().max(200).optional().describe('For a bot, the `owner` edge of its tenant is listed too.'),
});
export type EdgeQuery = z.output<typeof EdgeQuery>;

export const CheckBody = z
  .object({
    subject: z
      .string()
      .regex(userPattern, 'must be user:<userId>')
      .describe('The person to decide for, as `user:<userId>`.'),
    relation: relation
      .optional()
      .describe('Decides as a route does that needs it: `member` reads, `admin` manages.'),
    action: z.enum(['read', 'manage']).optional().describe('Instead of `relation`.'),
    object: z
      .string()
      .regex(objectPattern, 'must be tenant:<tenantId>, bot:<botId> or group:<name>')
      .describe('Of a group only the tie is looked at: there is nothing to do with one.'),
    context: z
      .object({
        address: z
          .union([z.ipv4(), z.ipv6()])
          .optional()
          .describe('The IP address that the request comes from.'),
        now: z.iso.datetime().optional().describe('The moment of the request.'),
        router: z.string().max(100).optional().describe('The first part of the path behind `/api/`.'),
        method: z.string().max(10).optional(),
      })
      .default({})
      .describe(
        'The request to imagine. Without it: your address, now, the router `bots`, and GET to read or PUT to manage.',
      ),
  })
  .superRefine((body, ctx) => {
    if ((body.relation === undefined) === (body.action === undefined)) {
      ctx.addIssue({ code: 'custom', path: ['relation'], message: 'give either relation or action' });
    }
  })
  .meta({
    examples: [
      {
        subject: 'user:01920000-0000-7000-8000-000000000001',
        relation: 'admin',
        object: 'bot:01920000-0000-7000-8000-000000000002',
      },
    ],
  });
export type CheckBody = z.output<typeof CheckBody>;

export const Explanation = z
  .object({
    allowed: z.boolean(),
    path: z
      .array(AuthorizationEdge)
      .optional()
      .describe('The edges that lead from the subject to the object.'),
    reason: z.string().describe('What allows, or the rule that refuses.'),
    policy: z.string().optional().describe('The policy that refuses.'),
  })
  .meta({ id: 'AuthorizationExplanation', description: 'What was decided about a request, and why.' });
export type Explanation = z.input<typeof Explanation>;

export const authorizationEdgesRouter = defineRouter({
  basePath: '/api/authorization-edges',
  service: 'tenancy',
  description:
    'Relationships in the active tenant. People and groups are members or admins of the tenant, of single bots and of groups; ' +
    'an admin is a member too, and what the tenant gives holds for all its bots. A group is there as soon as an edge names it.',
  routes: {
    createEdge: route({
      method: 'post',
      path: '/',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Tie a subject to an object.',
      description:
        'An edge of a person to the tenant is a membership. Edges that are there already are 409, also with another role in the ' +
        'tenant. People, bots and tenants that are not there, or not here, are 404. The relation to a group is `member`.',
      body: CreateEdgeBody,
      response: AuthorizationEdge,
      status: 201,
      errors: [404, 409],
    }),
    listEdges: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'List edges: memberships and ties to groups and bots.',
      description:
        'The `owner` edges of bots are listed only where `object` names a bot, or `relation` is `owner`.',
      query: EdgeQuery,
      response: z.array(AuthorizationEdge),
      paged: true,
    }),
    checkEdge: route({
      method: 'post',
      path: '/check',
      access: 'admin',
      summary: 'Explain whether a person may do something: by which edges, or refused by which rule.',
      description:
        'Decides as the routes do: relationships first, then policies. What an operator may do as such follows from no edge.',
      body: CheckBody,
      response: Explanation,
      errors: [404],
    }),
    getEdge: route({
      method: 'get',
      path: '/:edgeId',
      access: 'admin',
      summary: 'Get an edge.',
      response: AuthorizationEdge,
    }),
    deleteEdge: route({
      method: 'delete',
      path: '/:edgeId',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Remove an edge. The last admin of the tenant and the `owner` edge of a bot are 409.',
      errors: [409],
    }),
  },
});
