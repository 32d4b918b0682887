import type { RequestType } from '@botyard/contracts/events/definition';
import { replyShape } from '@botyard/shared/bus/requests';
import { samplesOf } from '@botyard/testing/samples';
import { describe, expect, test } from 'vitest';
import { services } from '../../support/sources.ts';
import { askAs, refusalOf } from './fake-services.ts';
import type { ServiceUnderTest } from './service-under-test.ts';
import type { AnswerCase } from './tables.ts';
import type { TestTenant } from './test-tenant.ts';

/** Texts that aren't requests, and requests that nobody may send. */
const unreadable = ['', 'no JSON', '[]', '{}', '{"tenantId":7}', 'null'];

/** Every neighbour that may ask does so, with each sample of the question; nobody else can. */
export function checkAnswer(sut: () => ServiceUnderTest, request: RequestType, arrange: AnswerCase): void {
  const ask = (question: unknown, asker = request.callers[0]!) => {
    const { connection } = sut().server.busAs(asker).live();
    return askAs(connection, sut().server.busAs(asker).names.request(request), question);
  };
  const open = async (): Promise<[TestTenant, Awaited<ReturnType<AnswerCase>>]> => {
    const tenant = sut().newTenant();
    return [tenant, await arrange(sut(), tenant)];
  };

  describe(request.name, () => {
    test.each(request.callers)(
      '%s gets an answer to each sample that its schema reads whole',
      async (asker) => {
        const [tenant, look] = await open();
        for (const [place, { path, payload }] of samplesOf(request).entries()) {
          const reply = await ask(tenant.withOwnIds(payload.question), asker);
          expect(reply, path).toHaveProperty('ok');
          expect(replyShape(request).parse(reply), path).toEqual(reply);
          if (place === 0) look((reply as { ok: unknown }).ok);
        }
      },
    );

    test('a field that is not known yet changes nothing', async () => {
      const [tenant, look] = await open();
      const [first] = samplesOf(request);
      const reply = await ask({
        ...(tenant.withOwnIds(first!.payload.question) as object),
        addedLater: { by: 'a newer one' },
      });
      look((reply as { ok: unknown }).ok);
    });

    test('a malformed request is answered with an error, and never with silence', async () => {
      for (const text of unreadable.filter((text) => !isQuestion(request, text))) {
        const reply = await ask(text);
        expect(replyShape(request).parse(reply), text).toEqual(reply);
        expect(reply, text).toEqual({ error: { status: 500, message: 'something went wrong on our side' } });
      }
    });

    test("NATS refuses requests of services that aren't listed as callers", async () => {
      const strangers = services.filter((name) => ![...request.callers, request.owner].includes(name));
      const { server } = sut();
      for (const stranger of [...strangers, request.owner]) {
        const refusal = await refusalOf(server, stranger, server.busAs(stranger).names.request(request));
        expect(refusal, stranger).toMatch(/permission/i);
      }
    });
  });
}

function isQuestion(request: RequestType, text: string): boolean {
  try {
    return request.request.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
