import { z } from 'zod';
import { Provider } from './provider.ts';

const maxRubricUnits = 8000;
/** The most times that a judge is asked about one answer. */
const maxRepeats = 9;

const count = z.int();
const share = z.number().min(0).max(1);

/** A model that judges the words of answers. */
export const Judge = z
  .object({
    rubric: z
      .string()
      .trim()
      .min(1)
      .max(maxRubricUnits)
      .describe('What a good answer is, in plain words. The judge sees it, the conversation and the answer.'),
    provider: Provider.describe(
      'The provider of the model that judges. Its key is resolved as for the agent of the set.',
    ),
    model: z.string().trim().min(1).max(200).describe('The model that judges, whatever the agent uses.'),
    repeats: count
      .min(1)
      .max(maxRepeats)
      .describe('How often the judge is asked about each answer. Each time counts as usage.'),
  })
  .meta({
    id: 'EvaluationJudge',
    description: 'A model that judges the words of answers by a rubric.',
    examples: [
      {
        rubric: 'The answer names a time of delivery, and promises nothing else.',
        provider: 'openai',
        model: 'gpt-5-mini',
        repeats: 3,
      },
    ],
  });
export type Judge = z.output<typeof Judge>;

/** The judge's verdict on an answer; `none`: it gave no verdict. */
const JudgeVerdict = z.enum(['passed', 'failed', 'none']);
export type JudgeVerdict = z.output<typeof JudgeVerdict>;

export const PassRate = z
  .object({
    passed: count.describe('The number that passed.'),
    verdicts: count.describe('The number that has a verdict.'),
    low: share.describe('The lower end of the 95 % Wilson score interval of the rate.'),
    high: share.describe('Its upper end.'),
  })
  .describe('How many passed, with the 95 % Wilson score interval of the rate.');
export type PassRate = z.output<typeof PassRate>;

const Repeat = z.object({
  verdict: JudgeVerdict.describe('`none`: the judge did not answer, or its answer has no verdict.'),
  reason: z.string().describe("The judge's reason, or why there is no verdict."),
});

export const Judgement = z
  .object({
    verdict: JudgeVerdict.describe(
      '`passed`: more than half of the repeats passed. `failed`: at least half failed. `none`: the missing ' +
        'verdicts could change the result.',
    ),
    repeats: z.array(Repeat).describe('What the judge said each time.'),
    passRate: PassRate.nullable().describe('Of the repeats; `null` if none has a verdict.'),
    costMicroUsd: count
      .nullable()
      .describe('The cost of all repeats; `null` if the model had no price, or until their use is counted.'),
  })
  .describe('What the judge says about the words of the answer.');
export type Judgement = z.output<typeof Judgement>;

export const Mark = z.enum(['good', 'bad']).describe('What a person says about the answer, by the rubric.');
export type Mark = z.output<typeof Mark>;

/** From here on the judge is taken to agree with people well enough. */
export const trustedKappa = 0.6;

export const Agreement = z
  .object({
    answers: count.describe('Answers that have both a mark of a person and a verdict of the judge.'),
    agreements: count.describe('Those of them about which both say the same.'),
    kappa: z
      .number()
      .min(-1)
      .max(1)
      .nullable()
      .describe(
        "Cohen's kappa: the agreement beyond that of chance. `null` where it is not defined: without a marked " +
          'answer, or if person and judge said one and the same about all of them.',
      ),
    isTrusted: z
      .boolean()
      .describe(`Whether kappa is ${trustedKappa} or more. Do not rely on the judge otherwise.`),
  })
  .describe('How often the judge agrees with people, in this and the other kept runs by the same judge.');
export type Agreement = z.output<typeof Agreement>;

export const MarkBody = z
  .object({
    side: z.enum(['candidate', 'baseline']).describe('Which answer to the case.'),
    mark: Mark.nullable().describe('`null` removes the mark.'),
  })
  .meta({ examples: [{ side: 'candidate', mark: 'good' }] });
export type MarkBody = z.output<typeof MarkBody>;
