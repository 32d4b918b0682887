import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { PageQuery } from './page.ts';

const uuid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const groupName = '[A-Za-z0-9_-]{1,64}';
const subjectPattern = new RegExp(
  `^(?:user:${uuid}|group:${groupName}#member|tenant:${uuid}#(?:member|admin))$`,
);
const objectPattern = new RegExp(`^(?:(?:tenant|bot):${uuid}|group:${groupName})$`);
const userPattern = new RegExp(`^user:${uuid}$`);

const subject = z
  .string()
  .regex(
    subjectPattern,
    'must be user:<userId>, group:<name>#member, tenant:<tenantId>#member or tenant:<tenantId>#admin',
  )
  .describe(
    'The subject: `user:<userId>`, `group:<name>#member`, `tenant:<tenantId>#member` or `tenant:<tenantId>#admin`.',
  );
const object = z
  .string()
  .regex(objectPattern, 'must be tenant:<tenantId>, bot:<botId> or group:<name> (letters, digits, _ and -)')
  .describe('The object: `tenant:<tenantId>`, `bot:<botId>` or `group:<name>`.');
const role = z.enum(['member', 'admin'], { error: 'must be one of member, admin' });
const relation = z.enum(['member', 'admin', 'responder'], {
  error: 'must be one of member, admin, responder',
});
const shownRelation = z.enum(['member', 'admin', 'responder', 'owner']);

export const AuthorizationEdge = z
  .object({
    edgeId: id,
    subject: z
      .string()
      .describe(
        'The subject: `user:<userId>`, `group:<name>#member`, `tenant:<tenantId>#member` or `tenant:<tenantId>#admin`.',
      ),
    relation: shownRelation.describe(
      'The relation of the subject to the object. `responder` lets a person answer the chats of a bot. `owner` links a tenant to each of its bots and is derived ' +
        'from the bot.',
    ),
    object: z.string().describe('The object: `tenant:<tenantId>`, `bot:<botId>` or `group:<name>`.'),
    createdAt: moment,
  })
  .meta({
    id: 'AuthorizationEdge',
    description: 'A relationship: the subject has the relation to the object.',
  });
export type AuthorizationEdge = z.input<typeof AuthorizationEdge>;

export const CreateEdgeBody = z.object({
  subject,
  relation: relation.describe('The relation of the subject to the object.'),
  object,
});
export type CreateEdgeBody = z.output<typeof CreateEdgeBody>;

export const EdgeQuery = PageQuery.extend({
  subject: z
    .string()
    .max(200)
    .optional()
    .describe('Only edges of this subject, written exactly as in an edge.'),
  relation: shownRelation.optional().describe('Only edges with this relation.'),
  object: z
    .string()
    .max(200)
    .optional()
    .describe('Only edges to this object. For a bot, the `owner` edge of its tenant is included.'),
});
export type EdgeQuery = z.output<typeof EdgeQuery>;

export const CheckBody = z
  .object({
    subject: z
      .string()
      .regex(userPattern, 'must be user:<userId>')
      .describe('The person whose access to check, as `user:<userId>`.'),
    relation: role
      .optional()
      .describe('The relation that a route would require: `member` to read, `admin` to manage.'),
    action: z.enum(['read', 'manage']).optional().describe('Alternative to `relation`: the action to check.'),
    object: z
      .string()
      .regex(objectPattern, 'must be tenant:<tenantId>, bot:<botId> or group:<name>')
      .describe('The object of the access. For a group, only the relationship is checked, not policies.'),
    context: z
      .object({
        address: z
          .union([z.ipv4(), z.ipv6()])
          .optional()
          .describe('The IP address from which the request comes.'),
        now: z.iso.datetime().optional().describe('The time of the request.'),
        router: z.string().max(100).optional().describe('The first segment of the path after `/api/`.'),
        method: z.string().max(10).optional(),
      })
      .default({})
      .describe(
        'The hypothetical request to check. Defaults to your own address, the current time, the router `bots`, ' +
          'and GET to read or PUT to manage.',
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
      .describe('The edges that lead from the subject to the object. Absent if there are none.'),
    reason: z
      .string()
      .describe('The reason for the decision: why access is allowed, or the rule that refuses it.'),
    policy: z.string().optional().describe('The policy that refuses access. Absent if none does.'),
  })
  .meta({
    id: 'AuthorizationExplanation',
    description: 'The decision about a request, and the reason for it.',
  });
export type Explanation = z.input<typeof Explanation>;

export const authorizationEdgesRouter = defineRouter({
  basePath: '/api/authorization-edges',
  service: 'tenancy',
  description:
    'Relationships in the active tenant. People and groups can be members or admins of the tenant or of ' +
    'single bots, and members of groups. An admin is also a member. A relation to the tenant applies to all ' +
    'its bots. A group exists as soon as an edge names it. `user:ID responder bot:ID` lets a person work in the inbox ' +
    'of one bot, without a membership: in its chats, notes, labels and canned replies, its live events and traces.',
  routes: {
    createEdge: admin.post('/', {
      summary: 'Create a relationship between a subject and an object.',
      description:
        'An edge from a person to the tenant is a membership. The relation to a group is always `member`. `responder` ' +
        'is a relation of a person to a bot only. Returns ' +
        '409 if the edge already exists, or if the person already has a role in the tenant. Returns 404 if the ' +
        'person, bot or tenant does not exist or is not in this tenant.',
      body: CreateEdgeBody,
      response: AuthorizationEdge,
      status: 201,
      errors: [404, 409],
    }),
    listEdges: admin.list('/', {
      summary: 'List relationships: memberships, and relations to groups and bots.',
      description:
        'The `owner` edges of bots are listed only if `object` names a bot or `relation` is `owner`.',
      query: EdgeQuery,
      response: z.array(AuthorizationEdge),
    }),
    checkEdge: admin.post('/check', {
      summary:
        'Explain whether a person may do something, and which edges allow it or which rule refuses it.',
      description:
        'Decides in the same way as the routes: relationships first, then policies. Rights that a person has as ' +
        'an operator are not considered.',
      body: CheckBody,
      response: Explanation,
      errors: [404],
    }),
    getEdge: admin.get('/:edgeId', { summary: 'Get a relationship.', response: AuthorizationEdge }),
    deleteEdge: admin.delete('/:edgeId', {
      summary:
        'Delete a relationship. Returns 409 for the last admin of the tenant and for the `owner` edge of a bot.',
      errors: [409],
    }),
  },
});
