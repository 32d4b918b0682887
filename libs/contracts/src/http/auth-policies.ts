import { z } from 'zod';
import { description, id, moment, name } from './common.ts';
import { admin } from './contract.ts';

const maxTextLength = 10_000;

export const Policy = z
  .object({
    policyId: id,
    name: z.string(),
    description: z.string(),
    text: z.string().describe('The text of the policy in Cedar, as it was saved.'),
    enabled: z.boolean(),
    origin: z
      .enum(['api', 'migration'])
      .describe('How the policy was created: by a request (`api`) or by a migration.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Policy', description: 'An access policy of the tenant, written in Cedar.' });
export type Policy = z.input<typeof Policy>;

const text = z
  .string()
  .min(1)
  .max(maxTextLength)
  .describe(
    'The text of exactly one Cedar policy. Templates are not supported. `GET /api/auth/policies/schema` ' +
      'describes the entities and attributes.',
  );

export const CreatePolicyBody = z.object({
  name: name.describe('The name of the policy, unique within the tenant. Explanations of refusals show it.'),
  description: description.default(''),
  text,
  enabled: z.boolean().default(true),
});
export type CreatePolicyBody = z.output<typeof CreatePolicyBody>;

/** PUT updates only the fields in its body (REQ-HTTP-3). */
export const UpdatePolicyBody = z.object({ name, description, text, enabled: z.boolean() }).partial();
export type UpdatePolicyBody = z.output<typeof UpdatePolicyBody>;

const Issue = z
  .object({
    path: z.string(),
    message: z.string(),
    line: z.int().optional().describe('Line number, starting at 1.'),
    column: z.int().optional().describe('Column in characters, starting at 1.'),
  })
  .meta({ id: 'PolicyIssue', description: 'A fault in the text of a policy.' });

const PolicyFindings = z
  .object({
    valid: z.boolean().describe('Whether the policy can be saved.'),
    issues: z.array(Issue).describe('The faults for which saving the policy would return 400.'),
    warnings: z.array(Issue).describe('Probable mistakes that do not prevent saving the policy.'),
  })
  .meta({ id: 'PolicyFindings', description: "The result of checking a policy's text." });

const BasePolicy = z
  .object({
    name: z.string().describe('The name of the policy, as shown in explanations of refusals.'),
    text: z.string().describe('The text of the policy in Cedar.'),
    why: z.string().describe('The purpose of the policy, in plain words.'),
  })
  .meta({ id: 'BasePolicy', description: 'A built-in policy, which applies in every tenant.' });

const aboutPolicies =
  'A request must be allowed by both relationships and policies. A `forbid` policy revokes what a role ' +
  'allows; a `permit` policy adds nothing to it. Policies also apply to operators. They do not apply to the ' +
  'routes below /api/auth, so that a wrong policy can always be corrected.';
const aboutText =
  'Returns 400 if the text is invalid, with line and column of each fault in `issues`. A text is also ' +
  'invalid if a string has more than 500 characters, a `like` pattern more than 200 characters or 8 ' +
  'wildcards, or brackets are nested more than 50 levels deep. Returns 422 if all enabled policies of the ' +
  'tenant together would exceed 128 KiB of text, 8,000 characters in patterns or 250 ms per decision.';

/** The routes of `/api/auth` for policies. */
export const authPolicyRoutes = {
  listPolicies: admin.list('/policies', {
    summary: "List the tenant's own policies.",
    description: aboutPolicies,
    response: z.array(Policy),
  }),
  createPolicy: admin.post('/policies', {
    summary: 'Create a policy. Other services apply it within 1 s of the response.',
    description: `${aboutText} Returns 409 if the tenant already has 100 policies, or one with this name.`,
    body: CreatePolicyBody,
    response: Policy,
    status: 201,
    errors: [409, 422, 503],
  }),
  validatePolicy: admin.post('/policies/validate', {
    summary: "Check a policy's text without saving it.",
    body: z.object({ text: text }),
    response: PolicyFindings,
    errors: [503],
  }),
  listBasePolicies: admin.get('/policies/base', {
    summary: 'List the built-in policies, which apply in every tenant and cannot be changed.',
    response: z.array(BasePolicy),
  }),
  getPolicySchema: admin.get('/policies/schema', {
    summary: 'Get the Cedar schema, which describes everything that policies can refer to.',
    response: z.object({
      schema: z.string().describe('The schema, in the Cedar schema language.'),
    }),
  }),
  getPolicy: admin.get('/policies/:policyId', { summary: 'Get a policy.', response: Policy }),
  updatePolicy: admin.put('/policies/:policyId', {
    summary: 'Update a policy. Omitted fields are unchanged.',
    description: aboutText,
    body: UpdatePolicyBody,
    response: Policy,
    errors: [409, 422, 503],
  }),
  deletePolicy: admin.delete('/policies/:policyId', { summary: 'Delete a policy.' }),
};
