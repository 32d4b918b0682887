import { z } from 'zod';
import { id, moment } from './common.ts';
import { ToolCallRecord } from './context-traces.ts';
import { admin } from './contract.ts';
import { Agreement, Judge, Judgement, Mark, MarkBody, PassRate } from './evaluations-judge.ts';
import { PageQuery } from './page.ts';

/** Runs of one set that are kept. */
export const maxRunsKept = 10;

const count = z.int();
const version = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

export const RunBody = z
  .object({
    setId: id.describe('The test set. Its agent is tested.'),
    version: version
      .optional()
      .describe("The candidate: a version of the set's agent. Default: the live one."),
    draft: z
      .literal(true)
      .optional()
      .describe("The candidate is the agent's draft. Not together with `version`."),
    against: version
      .optional()
      .describe(
        'The version to compare the candidate with. Default: the live one, unless it is the candidate itself.',
      ),
  })
  .refine(({ version: number, draft }) => number === undefined || draft === undefined, {
    message: 'not together with `version`',
    path: ['draft'],
  })
  .meta({ examples: [{ setId: '01920000-0000-7000-8000-000000000001', draft: true }] });
export type RunBody = z.output<typeof RunBody>;

const RunState = z
  .enum(['queued', 'running', 'done', 'stopped', 'failed'])
  .describe('`failed`: it ended before all cases were answered; `lastError` says why.');

/** The progress of a run, also as a live event. */
export const RunProgress = z.object({
  runId: id,
  setId: id,
  state: RunState,
  done: count.describe('Cases that are through.'),
  total: count.describe('Cases that the set had when the run was created.'),
});

const Side = z
  .object({
    version: count.describe('The version; for a draft the one that it is based on.'),
    isDraft: z.boolean().describe('Whether it is the draft based on that version.'),
  })
  .describe('What answered.');

const EvaluationRun = RunProgress.extend({
  agentId: id,
  candidate: Side,
  baseline: Side.nullable().describe('What the candidate is compared with; `null`: nothing.'),
  judge: Judge.nullable().describe('The judge as it was when the run was created; `null`: none.'),
  passed: count.describe('Cases that the candidate passed.'),
  failed: count.describe('Cases that the candidate did not pass.'),
  undecided: count.describe('Cases that the candidate neither passed nor failed: the judge gave no verdict.'),
  better: count.describe('Cases in which the candidate did better than the baseline.'),
  worse: count.describe('Cases in which it did worse.'),
  same: count.describe('Cases in which both did the same.'),
  passRate: PassRate.nullable().describe(
    "The candidate's answers that passed the judge, of those with its verdict; `null` if there is none.",
  ),
  baselinePassRate: PassRate.nullable().describe("The same of the baseline's answers."),
  costMicroUsd: count
    .nullable()
    .describe(
      'What the answers and the judge have cost so far, failed attempts included; `null` if a model had no price, if ' +
        'nothing is counted yet, or while the usage service is away.',
    ),
  lastError: z.string().nullable(),
  createdAt: moment,
  finishedAt: moment.nullable(),
}).meta({ id: 'EvaluationRun', description: 'A test of an agent with the cases of a set.' });

const RunWithAgreement = EvaluationRun.extend({
  agreement: Agreement.nullable().describe('How far the judge can be relied on; `null` without a judge.'),
}).meta({
  id: 'EvaluationRunWithAgreement',
  description: 'A run, with the agreement of its judge and people.',
});

const Verdict = z.enum(['same', 'better', 'worse']);
export type Verdict = z.output<typeof Verdict>;
const verdict = Verdict.nullable().describe(
  'How the candidate did beside the baseline; `null` without one, or if a missing verdict of the judge leaves it open.',
);

const Fault = z.object({
  assertion: count
    .nullable()
    .describe('The place of the assertion in the case; `null`: of the answer itself.'),
  message: z.string().describe('What did not hold.'),
});
export type Fault = z.output<typeof Fault>;

const CaseAnswer = z
  .object({
    passed: z
      .boolean()
      .describe('Whether the answer has no fault, and a verdict of the judge if there is one.'),
    faults: z
      .array(Fault)
      .describe('Empty if the case passed, or if only the verdict of the judge is missing.'),
    text: z.string().nullable().describe('The answer; `null` if there is none.'),
    failure: z.string().nullable().describe('Why there is no answer.'),
    handover: z.string().nullable().describe('The reason for handing the chat over, if the agent did.'),
    approvals: z.array(z.string()).describe('The tools for which it asked for an approval.'),
    toolCalls: z.array(ToolCallRecord).describe('Its calls, all of them answered from the recording.'),
    inputTokens: count,
    outputTokens: count,
    durationMs: count,
    costMicroUsd: count.nullable().describe('`null` if the model had no price, or until the use is counted.'),
    judgement: Judgement.nullable().describe('`null` without a judge, or without words.'),
    mark: Mark.nullable().describe('The mark of a person; `null` without one.'),
  })
  .describe('An answer to the case, and how it fulfils the assertions.');
export type CaseAnswer = z.output<typeof CaseAnswer>;

const ListedResult = z
  .object({
    caseId: id,
    name: z.string().describe('The name of the case.'),
    verdict,
    passed: z.boolean().describe('Whether the candidate passed.'),
    isUndecided: z.boolean().describe('Whether it neither passed nor failed: the judge gave no verdict.'),
    baselinePassed: z
      .boolean()
      .nullable()
      .describe('Whether the baseline passed; `null` without one, or if the judge gave no verdict.'),
    marks: count.describe('The answers that a person has marked.'),
  })
  .meta({ id: 'ListedEvaluationResult', description: 'The result of a case in a list.' });

const EvaluationResult = z
  .object({
    caseId: id,
    verdict,
    candidate: CaseAnswer,
    baseline: CaseAnswer.nullable().describe('The answer of the baseline; `null` without one.'),
    createdAt: moment,
  })
  .meta({ id: 'EvaluationResult', description: 'The answers to a case in a run, side by side.' });

/** The part of `/api/evaluations` about runs. */
export const runRoutes = {
  listEvaluationRuns: admin.list('/runs', {
    summary: 'List runs of test sets.',
    query: PageQuery.extend({ setId: id.optional().describe('Only of this set.') }),
    response: z.array(EvaluationRun),
  }),
  createEvaluationRun: admin.post('/runs', {
    summary: 'Run a test set.',
    description:
      'The run goes on in the background; `evaluation.changed` of `/api/events` shows its progress. The model is ' +
      'called as in chats, and each answer counts as usage with the outcome `evaluation`. Tools answer from the ' +
      'recording of the case. If the set has a judge, it is asked about each answer that has words, and counts the ' +
      `same way. The last ${maxRunsKept} runs of a set are kept. Returns 409 while another run of the tenant goes ` +
      'on, and 422 for a set without cases, or if its agent or its judge has no key that the set may use.',
    body: RunBody,
    status: 202,
    response: RunProgress,
    errors: [409, 422],
  }),
  getEvaluationRun: admin.get('/runs/:runId', { summary: 'Get a run.', response: RunWithAgreement }),
  stopEvaluationRun: admin.post('/runs/:runId/stop', {
    summary: 'Stop a run.',
    description: 'The results that it has stay. Returns 409 if it has ended.',
    response: RunProgress,
    errors: [409],
  }),
  listEvaluationResults: admin.list('/runs/:runId/results', {
    summary: 'List the results of a run.',
    description: 'Without the answers.',
    query: PageQuery.extend({ verdict: Verdict.optional().describe('Only results with this verdict.') }),
    response: z.array(ListedResult),
  }),
  getEvaluationResult: admin.get('/runs/:runId/results/:caseId', {
    summary: 'Get the answers to a case in a run, side by side.',
    response: EvaluationResult,
  }),
  markEvaluationResult: admin.put('/runs/:runId/results/:caseId/mark', {
    summary: 'Mark an answer to a case as good or bad, by the rubric of the judge.',
    description:
      'An answer has one mark; the last one counts. Marks show how far the judge can be relied on. They are deleted ' +
      'with the run and with the case. Returns 409 for a run without a judge, and for an answer without words.',
    body: MarkBody,
    response: EvaluationResult,
    errors: [409],
  }),
} as const;
