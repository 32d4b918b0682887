import { z } from 'zod';
import { id, moment } from './common.ts';

export const Role = z.enum(['admin', 'member'], { error: 'must be one of admin, member' });

/** A person's membership in one tenant. */
export const Member = z
  .object({
    userId: id,
    idpUserId: z.string(),
    email: z.string().nullable().describe('`null` until the person has visited the tenant.'),
    name: z.string().nullable().describe('`null` until the person has visited the tenant.'),
    role: Role,
    createdAt: moment.describe('Since when the person belongs to the tenant.'),
    firstVisitAt: moment
      .nullable()
      .describe(
        'When the person first selected the tenant or sent a request that names it. For members of the identity ' +
          "provider's organization: when they were added.",
      ),
  })
  .meta({ id: 'Member', description: "A person's membership in one tenant." });
export type Member = z.input<typeof Member>;

export const AddMemberBody = z
  .object({
    userId: id.optional(),
    idpUserId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A person who was not seen yet is looked up at the identity provider.'),
    role: Role,
  })
  .superRefine((body, ctx) => {
    if ((body.userId === undefined) === (body.idpUserId === undefined)) {
      ctx.addIssue({ code: 'custom', path: ['userId'], message: 'send either userId or idpUserId' });
    }
  })
  .meta({ examples: [{ idpUserId: 'user_2abcDEF', role: 'member' }] });
export type AddMemberBody = z.output<typeof AddMemberBody>;

export const ChangeMemberBody = z.object({ role: Role });
