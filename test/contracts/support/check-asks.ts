import type { RequestType } from '@botyard/contracts/events/definition';
import { resolveCaller } from '@botyard/contracts/events/tenancy';
import { samplesOf } from '@botyard/testing/samples';
import { describe, expect, test } from 'vitest';
import type { ScriptedAnswer } from './fake-services.ts';
import type { ServiceUnderTest } from './service-under-test.ts';
import type { AskCase } from './tables.ts';
import type { TestTenant } from './test-tenant.ts';

/** Texts that no schema of an answer accepts. */
const unreadable = ['{"ok":{"unheardOf":true}}', '{"neither":1}', 'no JSON', '{"ok":null}'];

/** A request that a service asks, with its case. */
export type Asked = readonly [RequestType, AskCase];

/** The owner's answer to a question about a tenant, made of a sample. */
async function answerOf(
  { makeTrue }: AskCase,
  sample: unknown,
  about: { sut: ServiceUnderTest; tenant: TestTenant; question: unknown },
): Promise<object> {
  const answer = about.tenant.withOwnIds(sample) as object;
  return makeTrue ? ((await makeTrue(answer, about)) as object) : answer;
}

/** Everything that a service asks is answered with the first sample, about the tenant that the question names. */
export async function answerWithSamples(
  sut: ServiceUnderTest,
  newest: TestTenant,
  asks: readonly Asked[],
): Promise<void> {
  for (const [request, ask] of asks) {
    if (request === resolveCaller) continue;
    const [first] = samplesOf(request);
    await sut.fakes.answerWith(request, async (question) => {
      const tenant = sut.tenantOf(question) ?? newest;
      return { ok: await answerOf(ask, first!.payload.answer, { sut, tenant, question }) };
    });
  }
  await sut.answerCallers();
}

/** The owner answers with each sample, refuses, says nonsense, or isn't there. */
export function checkAsk(sut: () => ServiceUnderTest, [request, ask]: Asked, asks: readonly Asked[]): void {
  const samples = samplesOf(request);
  const open = async (): Promise<TestTenant> => {
    const tenant = sut().newTenant();
    await answerWithSamples(sut(), tenant, asks);
    await ask.arrange?.(sut(), tenant);
    return tenant;
  };
  const provoke = async (tenant: TestTenant, script: ScriptedAnswer | undefined): Promise<number> => {
    if (script) await sut().fakes.answerWith(request, script);
    else await sut().fakes.stopAnswering(request);
    return (await ask.provoke(sut(), tenant)).status;
  };
  const saying =
    (tenant: TestTenant, sample: unknown, more: object = {}): ScriptedAnswer =>
    async (question) => ({
      ok: { ...(await answerOf(ask, sample, { sut: sut(), tenant, question })), ...more },
    });
  const { answered = 200 } = ask;
  const statusAt = (title: string) =>
    typeof answered === 'number' ? answered : (answered[title] ?? answered.first);

  describe(request.name, () => {
    test.each(samples.map(({ title, payload }) => [title, payload.answer] as const))(
      'the responder receives a request that its schema reads completely, and its answer `%s` is understood',
      async (title, answer) => {
        const tenant = await open();
        const allQuestions = sut().fakes.asked(request);
        const before = allQuestions.length;
        expect(await provoke(tenant, saying(tenant, answer))).toBe(statusAt(title));
        const questions = allQuestions.slice(before);
        expect(questions).not.toEqual([]);
        for (const question of questions) expect(request.request.parse(question)).toEqual(question);
      },
    );

    test('an answer with a field that is not known yet is understood, too', async () => {
      const tenant = await open();
      const [first] = samples;
      const status = await provoke(tenant, saying(tenant, first!.payload.answer, { addedLater: true }));
      expect(status).toBe(statusAt(first!.title));
    });

    test('there is no responder', async () => {
      const tenant = await open();
      expect(await provoke(tenant, undefined)).toBe(ask.absent ?? 503);
      await sut().fakes.answerWith(request, saying(tenant, samples[0]!.payload.answer));
      await ask.resumes?.(sut(), tenant);
    });

    test('the neighbour refuses', async () => {
      const reply = { error: { status: 422, message: 'not today' } };
      expect(await provoke(await open(), () => reply)).toBe(ask.refused ?? 422);
    });

    test('the neighbour answers nonsense', async () => {
      // Each in a tenant of its own: a question that is asked again in one tenant must not meet the next answer there.
      for (const text of unreadable)
        expect(await provoke(await open(), () => text), text).toBe(ask.unreadable ?? 500);
    });
  });
}

/**
 * Runs all cases concurrently, because each waits for its full time limit. Each neighbour is silent only in its own
 * case's tenant.
 */
export function checkSilence(sut: () => ServiceUnderTest, asks: readonly Asked[]): void {
  test('a neighbour that never answers is timed out', async () => {
    const cases = asks.map(([request, ask]) => ({ request, ask, tenant: sut().newTenant() }));
    for (const { ask, tenant } of cases) {
      await answerWithSamples(sut(), tenant, asks);
      await ask.arrange?.(sut(), tenant);
    }
    for (const { request, ask, tenant } of cases) {
      const script = sut().fakes.scriptOf(request);
      const [first] = samplesOf(request);
      await sut().fakes.answerWith(request, async (question) => {
        const other = sut().tenantOf(question);
        if (!other || other === tenant) return undefined;
        if (request === resolveCaller) return script?.(question);
        return { ok: await answerOf(ask, first!.payload.answer, { sut: sut(), tenant: other, question }) };
      });
    }
    await Promise.all(
      cases.map(async ({ request, ask, tenant }) => {
        const startedAt = performance.now();
        const { status } = await ask.provoke(sut(), tenant);
        expect(status, request.name).toBe(ask.absent ?? 503);
        if (!ask.isInBackground)
          expect(performance.now() - startedAt, request.name).toBeGreaterThan(request.timeoutMs * 0.9);
      }),
    );
  });
}
