import { z } from 'zod';
import { description, id, moment, name } from './common.ts';
import { route } from './contract.ts';
import { PageQuery } from './page.ts';

const maxTextLength = 10_000;

export const Policy = z
  .object({
    policyId: id,
    name: z.string(),
    description: z.string(),
    text: z.string().describe('Cedar, as it was saved.'),
    enabled: z.boolean(),
    origin: z.enum(['api', 'migration']).describe('Who made it.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Policy', description: 'A rule of access of the tenant, in Cedar.' });
export type Policy = z.input<typeof Policy>;

const text = z
  .string()
  .min(1)
  .max(maxTextLength)
  .describe('Exactly one Cedar policy, no template; see `GET /api/auth/policies/schema`.');

export const CreatePolicyBody = z.object({
  name: name.describe('Unique in the tenant; it is what a refusal is explained with.'),
  description: description.default(''),
  text,
  enabled: z.boolean().default(true),
});
export type CreatePolicyBody = z.output<typeof CreatePolicyBody>;

/** PUT changes the fields that it carries (REQ-HTTP-3). */
export const UpdatePolicyBody = z.object({ name, description, text, enabled: z.boolean() }).partial();
export type UpdatePolicyBody = z.output<typeof UpdatePolicyBody>;

const Issue = z
  .object({
    path: z.string(),
    message: z.string(),
    line: z.number().int().optional().describe('From 1.'),
    column: z.number().int().optional().describe('In characters, from 1.'),
  })
  .meta({ id: 'PolicyIssue', description: 'One fault in the text of a policy.' });

export const PolicyFindings = z
  .object({
    valid: z.boolean().describe('Whether it could be saved.'),
    issues: z.array(Issue).describe('Why it would be 400.'),
    warnings: z.array(Issue).describe('What looks like a mistake and can be saved.'),
  })
  .meta({ id: 'PolicyFindings', description: "What a check of a policy's text has found." });

export const BasePolicy = z
  .object({
    name: z.string().describe('What a refusal is explained with.'),
    text: z.string().describe('The policy in Cedar.'),
    why: z.string().describe('What it is for, for people.'),
  })
  .meta({ id: 'BasePolicy', description: 'A built-in policy, which holds in every tenant.' });

const aboutPolicies =
  'Policies hold beside relationships, and both must allow: a `forbid` takes away what a role gives, a `permit` adds ' +
  'nothing to it. They bind operators too. They do not bind the routes beneath /api/auth, so that they can always be mended.';
const aboutText =
  'A bad text is 400, with line and column of each fault in `issues`; so is one with more than 500 characters in a string, ' +
  '200 characters or 8 wildcards in a pattern of `like`, or 50 levels of brackets. All enabled policies of a tenant may have ' +
  '128 KiB of text, 8,000 characters in patterns, and take 250 ms for a decision: what would exceed that is 422.';

/** The part of `/api/auth` that is about policies. */
export const authPolicyRoutes = {
  listPolicies: route({
    method: 'get',
    path: '/policies',
    access: 'admin',
    summary: "List the tenant's own policies.",
    description: aboutPolicies,
    query: PageQuery,
    response: z.array(Policy),
    paged: true,
  }),
  createPolicy: route({
    method: 'post',
    path: '/policies',
    access: 'admin',
    acceptsTokens: false,
    summary:
      'Create a policy. It holds from the answer on for everything that is decided here, elsewhere within 1 s.',
    description: `${aboutText} A tenant has 100 policies at most, and each name once: both are 409.`,
    body: CreatePolicyBody,
    response: Policy,
    status: 201,
    errors: [409, 422, 503],
  }),
  validatePolicy: route({
    method: 'post',
    path: '/policies/validate',
    access: 'admin',
    summary: "Check a policy's text without saving it.",
    body: z.object({ text: text }),
    response: PolicyFindings,
    errors: [503],
  }),
  listBasePolicies: route({
    method: 'get',
    path: '/policies/base',
    access: 'admin',
    summary:
      'List the built-in policies, with what each is for. They hold in every tenant and cannot be changed.',
    response: z.array(BasePolicy),
  }),
  getPolicySchema: route({
    method: 'get',
    path: '/policies/schema',
    access: 'admin',
    summary: 'Get the Cedar schema: everything that policies can speak of, described.',
    response: z.object({
      schema: z.string().describe('The schema as text in the language of Cedar.'),
    }),
  }),
  getPolicy: route({
    method: 'get',
    path: '/policies/:policyId',
    access: 'admin',
    summary: 'Get a policy.',
    response: Policy,
  }),
  updatePolicy: route({
    method: 'put',
    path: '/policies/:policyId',
    access: 'admin',
    acceptsTokens: false,
    summary: 'Update a policy: the fields that the body carries.',
    description: aboutText,
    body: UpdatePolicyBody,
    response: Policy,
    errors: [409, 422, 503],
  }),
  deletePolicy: route({
    method: 'delete',
    path: '/policies/:policyId',
    access: 'admin',
    acceptsTokens: false,
    summary: 'Delete a policy.',
  }),
};
