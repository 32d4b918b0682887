import type { RequestType } from '@botyard/contracts/events/definition';
import { resolveCaller } from '@botyard/contracts/events/tenancy';
import { samplesOf } from '@botyard/testing/samples';
import { describe, expect, test } from 'vitest';
import type { LoneService } from './lone-service.ts';
import type { Script } from './neighbours.ts';
import type { AskCase } from './tables.ts';
import type { World } from './world.ts';

/** Texts that no schema of an answer accepts. */
const unreadable = ['{"ok":{"unheardOf":true}}', '{"neither":1}', 'no JSON', '{"ok":null}'];

/** A request that a service asks, with its case. */
export type Asked = readonly [RequestType, AskCase];

/** The owner's answer to a question about a world, made of a sample. */
async function answerOf(
  { makeTrue }: AskCase,
  sample: unknown,
  about: { lone: LoneService; world: World; question: unknown },
): Promise<object> {
  const answer = about.world.said(sample) as object;
  return makeTrue ? ((await makeTrue(answer, about)) as object) : answer;
}

/** Everything that a service asks is answered with the first sample, about the world that the question names. */
export async function playSamples(lone: LoneService, newest: World, asks: readonly Asked[]): Promise<void> {
  for (const [request, ask] of asks) {
    if (request === resolveCaller) continue;
    const [first] = samplesOf(request);
    await lone.neighbours.play(request, async (question) => {
      const world = lone.worldOf(question) ?? newest;
      return { ok: await answerOf(ask, first!.said.answer, { lone, world, question }) };
    });
  }
  await lone.playCallers();
}

/** The owner answers with each sample, refuses, says nonsense, or isn't there. */
export function checkAsk(lone: () => LoneService, [request, ask]: Asked, asks: readonly Asked[]): void {
  const samples = samplesOf(request);
  const open = async (): Promise<World> => {
    const world = lone().newWorld();
    await playSamples(lone(), world, asks);
    await ask.arrange?.(lone(), world);
    return world;
  };
  const provoke = async (world: World, script: Script | undefined): Promise<number> => {
    if (script) await lone().neighbours.play(request, script);
    else await lone().neighbours.leave(request);
    return (await ask.provoke(lone(), world)).status;
  };
  const saying =
    (world: World, sample: unknown, more: object = {}): Script =>
    async (question) => ({
      ok: { ...(await answerOf(ask, sample, { lone: lone(), world, question })), ...more },
    });
  const { answered = 200 } = ask;
  const statusAt = (title: string) =>
    typeof answered === 'number' ? answered : (answered[title] ?? answered.first);

  describe(request.name, () => {
    test.each(samples.map(({ title, said }) => [title, said.answer] as const))(
      'the responder receives a request that its schema reads completely, and its answer `%s` is understood',
      async (title, answer) => {
        const world = await open();
        const asked = lone().neighbours.asked(request);
        const before = asked.length;
        expect(await provoke(world, saying(world, answer))).toBe(statusAt(title));
        const questions = asked.slice(before);
        expect(questions).not.toEqual([]);
        for (const question of questions) expect(request.request.parse(question)).toEqual(question);
      },
    );

    test('an answer with a field that is not known yet is understood, too', async () => {
      const world = await open();
      const [first] = samples;
      const status = await provoke(world, saying(world, first!.said.answer, { addedLater: true }));
      expect(status).toBe(statusAt(first!.title));
    });

    test('there is no responder', async () => {
      const world = await open();
      expect(await provoke(world, undefined)).toBe(ask.absent ?? 503);
      await lone().neighbours.play(request, saying(world, samples[0]!.said.answer));
      await ask.goesOn?.(lone(), world);
    });

    test('the neighbour refuses', async () => {
      const reply = { error: { status: 422, message: 'not today' } };
      expect(await provoke(await open(), () => reply)).toBe(ask.refused ?? 422);
    });

    test('the neighbour answers nonsense', async () => {
      // Each in a world of its own: a question that is asked again in one world must not meet the next answer there.
      for (const text of unreadable)
        expect(await provoke(await open(), () => text), text).toBe(ask.unreadable ?? 500);
    });
  });
}

/**
 * Runs all cases concurrently, because each waits for its full time limit. Each neighbour is silent only in its own
 * case's world.
 */
export function checkSilence(lone: () => LoneService, asks: readonly Asked[]): void {
  test('a neighbour that never answers is timed out', async () => {
    const cases = asks.map(([request, ask]) => ({ request, ask, world: lone().newWorld() }));
    for (const { ask, world } of cases) {
      await playSamples(lone(), world, asks);
      await ask.arrange?.(lone(), world);
    }
    for (const { request, ask, world } of cases) {
      const known = lone().neighbours.scriptOf(request);
      const [first] = samplesOf(request);
      await lone().neighbours.play(request, async (question) => {
        const other = lone().worldOf(question);
        if (!other || other === world) return undefined;
        if (request === resolveCaller) return known?.(question);
        return { ok: await answerOf(ask, first!.said.answer, { lone: lone(), world: other, question }) };
      });
    }
    await Promise.all(
      cases.map(async ({ request, ask, world }) => {
        const startedAt = performance.now();
        const { status } = await ask.provoke(lone(), world);
        expect(status, request.name).toBe(ask.absent ?? 503);
        if (!ask.isInBackground)
          expect(performance.now() - startedAt, request.name).toBeGreaterThan(request.timeoutMs * 0.9);
      }),
    );
  });
}
