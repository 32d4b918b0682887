import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin } from './contract.ts';
import { aboutRequiredTests, overrideReason } from './definitions-common.ts';
import { SessionOutcome } from './session-outcomes.ts';

const share = z.int().min(1).max(100).describe('Percent of the sessions that begin from now on.');

const ReleaseStep = z.object({
  share,
  minimumSessions: z
    .int()
    .min(30)
    .max(100_000)
    .describe('The finished sessions that the candidate needs since the last step.'),
  minimumHours: z.int().min(1).max(720).describe('The hours since the last step.'),
});
export type ReleaseStep = z.output<typeof ReleaseStep>;

const ReleaseRule = z.object({
  outcome: SessionOutcome,
  worse: z.enum(['more', 'less']).describe('Whether a worse candidate has more or fewer such sessions.'),
});
export type ReleaseRule = z.output<typeof ReleaseRule>;

const isRising = (steps: readonly ReleaseStep[], first: number): boolean =>
  steps.every((step, index) => step.share > (steps[index - 1]?.share ?? first));

const StartReleaseBody = z
  .object({
    version: z
      .int()
      .positive()
      .max(2 ** 31 - 1)
      .optional()
      .describe('The candidate: a version of the agent that is not live.'),
    draft: z
      .literal(true)
      .optional()
      .describe("The candidate is the agent's draft, which becomes a version. In place of `version`."),
    share: z
      .int()
      .min(0)
      .max(100)
      .default(5)
      .describe('Percent of the sessions that begin from now on. 0 only with `shadow`.'),
    shadow: z
      .int()
      .min(0)
      .max(100)
      .default(0)
      .describe(
        "Percent of the live version's answers that the candidate answers in the background, too. Nothing of it is " +
          'sent, and no tool is called. It counts as usage of the kind `shadow`, at most 1,000 answers of a release.',
      ),
    steps: z
      .array(ReleaseStep)
      .max(10)
      .default([])
      .describe(
        'The shares that follow, each greater. Only finished sessions raise the share; promotion is up to a person.',
      ),
    rules: z
      .array(ReleaseRule)
      .min(1)
      .max(8)
      .default([
        { outcome: 'handed_over', worse: 'more' },
        { outcome: 'failed', worse: 'more' },
      ])
      .describe('What makes the candidate worse than the live version.'),
  })
  .refine(({ version, draft }) => (version === undefined) !== (draft === undefined), {
    path: ['version'],
    message: 'either a version or `draft: true` is needed',
  })
  .refine(({ share: first, steps }) => isRising(steps, first), {
    path: ['steps'],
    message: 'each share must be greater than the one before',
  })
  .refine((body) => body.share > 0 || body.shadow > 0, {
    path: ['share'],
    message: 'a release without a share needs a shadow',
  })
  .meta({ examples: [{ version: 3, share: 5 }] });
export type StartReleaseBody = z.output<typeof StartReleaseBody>;

const EndReleaseBody = z.object({
  reason: z.string().trim().min(1).max(1000).optional().describe('Why; kept with the release.'),
});

const ReleaseChange = z.object({
  kind: z.enum(['started', 'raised', 'withdrawn', 'promoted']).describe('`raised`: to the next share.'),
  share: z.int().describe('The share from then on.'),
  reason: z.string().nullable(),
  userId: id.nullable().describe('The user who did it; `null` if it happened by itself.'),
  createdAt: moment,
});

const SideCount = z.object({
  sessions: z.int().describe('Finished sessions of this version.'),
  worse: z.int().describe('Those that the rule counts against it.'),
});

const Averages = z.object({
  costMicroUsd: z
    .number()
    .nullable()
    .describe(
      'The cost of a session in millionths of a dollar; `null` if nothing that was used has a price.',
    ),
  durationMs: z.number().nullable().describe('The time that its answers took; `null` without a session.'),
});

const RuleResult = z.object({
  outcome: SessionOutcome,
  worse: ReleaseRule.shape.worse,
  candidate: SideCount.describe('The sessions of the candidate.'),
  live: SideCount.describe('The sessions of the live version.'),
  evidence: z
    .number()
    .describe('How much better "the candidate is worse" explains the sessions than "both are equal".'),
  withdrawsAt: z.number().describe('The evidence that withdraws the candidate.'),
});

/** The state of a release, also as a live event. */
export const ReleaseState = z.object({
  releaseId: id,
  agentId: id,
  version: z.int().describe('The candidate.'),
  share: z.int().describe('Percent of the sessions that begin now; 0 once it is withdrawn.'),
  state: z
    .enum(['running', 'withdrawn', 'promoted'])
    .describe('`withdrawn`: the live version answers. `promoted`: the candidate became live.'),
  reason: z.string().nullable().describe('Why it ended; `null` while it runs, or if no reason was given.'),
});

const AgentRelease = ReleaseState.extend({
  shadow: z.int().describe("Percent of the live version's answers that the candidate answers, too."),
  steps: z.array(ReleaseStep).describe('The shares that follow.'),
  rules: z.array(ReleaseRule).describe('What makes the candidate worse than the live version.'),
  sessions: z
    .object({
      candidate: z.int().describe('Sessions that the candidate answers.'),
      live: z.int().describe('Sessions that the live version answers.'),
    })
    .describe('The sessions that began during the release, by the version that answers them.'),
  averages: z
    .object({
      candidate: Averages.describe('The sessions of the candidate.'),
      live: Averages.describe('The sessions of the live version.'),
    })
    .describe('Averages over the sessions whose outcomes are known, from an hour after their first answer.'),
  evidence: z.array(RuleResult).describe('What the rules have compared so far, in their order.'),
  changes: z.array(ReleaseChange).describe('Every step, in order.'),
  createdBy: id.describe('The user who started it.'),
  createdAt: moment,
  endedAt: moment.nullable().describe('`null` while it runs.'),
}).meta({
  id: 'AgentRelease',
  description: 'A candidate version of an agent that answers a share of its sessions.',
});

export const ShadowDifference = z
  .enum(['text', 'calls', 'approvals', 'handed_over', 'failed'])
  .describe(
    '`text`: the words. `calls`: the calls of tools. `approvals`: the calls that wait for one. `handed_over`: only ' +
      'one of both would leave the chat to a person. `failed`: only one of both has an answer.',
  );
export type ShadowDifference = z.output<typeof ShadowDifference>;

const ShadowCall = z.object({
  name: z.string().describe('The tool.'),
  arguments: z.unknown().describe('As the candidate called it.'),
  isComparable: z.boolean().describe('Whether the live version has made the same call.'),
});
export type ShadowCall = z.output<typeof ShadowCall>;

const ShadowAnswer = z
  .object({
    turnId: id.describe('The answer of the live version, as in traces.'),
    conversationId: id.describe('The chat.'),
    verdict: z
      .enum(['same', 'different', 'not_comparable'])
      .describe('`not_comparable`: the candidate called a tool in a way that the live version has not.'),
    differences: z.array(ShadowDifference).describe('What differs; empty if nothing does.'),
    question: z.string().describe('The message of the person.'),
    liveText: z.string().describe('The answer that was sent.'),
    candidateText: z.string().nullable().describe('The answer of the candidate; `null` without one.'),
    calls: z.array(ShadowCall).describe('The calls of the candidate. None was made.'),
    createdAt: moment,
  })
  .meta({
    id: 'ShadowAnswer',
    description: 'An answer of a candidate beside the live version, which was not sent.',
  });

/** The routes of `/api/definitions` for releases of agents. */
export const agentReleaseRoutes = {
  listAgentReleases: admin.list('/agents/:id/releases', {
    summary: 'List the releases of an agent, newest first.',
    response: z.array(AgentRelease),
  }),
  startAgentRelease: admin.post('/agents/:id/releases', {
    summary: 'Let a candidate version answer a share of the sessions of an agent.',
    description:
      'The first answer of the agent in a session decides which version answers all of it. Sessions in which the ' +
      'agent has answered before are not part of the release. Returns 409 while another release of the agent ' +
      'runs, if the version is live, or if its tools are not kept.',
    body: StartReleaseBody,
    status: 201,
    response: AgentRelease,
    errors: [404, 409],
  }),
  getAgentRelease: admin.get('/agents/:id/releases/:releaseId', {
    summary: 'Get a release of an agent with its steps.',
    response: AgentRelease,
  }),
  listShadowAnswers: admin.list('/agents/:id/releases/:releaseId/shadow', {
    summary: 'List the answers of a candidate beside those of the live version, newest first.',
    response: z.array(ShadowAnswer),
  }),
  withdrawAgentRelease: admin.post('/agents/:id/releases/:releaseId/withdraw', {
    summary: 'End a release: from the next answer on the live version answers every session.',
    description: 'Returns 409 if it has ended.',
    body: EndReleaseBody,
    response: AgentRelease,
    errors: [404, 409],
  }),
  promoteAgentRelease: admin.post('/agents/:id/releases/:releaseId/promote', {
    summary: 'End a release by making its candidate the live version.',
    description:
      'The agent gets a new version with the content of the candidate. Validated like a rollback. Returns 409 if ' +
      `the release has ended. ${aboutRequiredTests}`,
    body: EndReleaseBody.extend({ overrideReason }),
    response: AgentRelease,
    errors: [404, 409, 422],
  }),
};
