import type { ServiceName } from '@botyard/contracts/http/contract';
import { askInstance, discoverInstances } from '@botyard/shared/system/asking';
import { readFigures, readLog, readSettings } from '@botyard/shared/system/questions';
import { drainSubject } from '@botyard/shared/system/subjects';
import { eventually } from '@botyard/testing/eventually';
import { describe, expect, test } from 'vitest';
import type { BusServer } from './bus-server.ts';

const questions = [
  ['settings', readSettings, {}],
  ['figures', readFigures, {}],
  ['logs', readLog, { level: 'info', limit: 5 }],
] as const;

/** The answers of every process to tenancy, which only sends requests here. */
export function checkSystem(server: () => BusServer, service: ServiceName): void {
  describe('the process itself', () => {
    const find = async () =>
      await eventually(`${service} is found`, async () => {
        const [found] = await discoverInstances(server().busAs('tenancy'), [service]);
        return found;
      });

    test('is found by NATS service discovery, ready', async () => {
      const isReady = async () => (await find()).state === 'ready';
      await eventually(`${service} says that it is ready`, isReady);
    });

    test.each(questions)('answers %s as its schema defines', async (_name, question, data) => {
      const instance = await find();
      const answer = await eventually(`${service} answers`, () =>
        askInstance<typeof question.request, typeof question.response>(
          server().busAs('tenancy'),
          question,
          instance,
          data as never,
        ),
      );
      expect(answer).toBeDefined();
    });

    test('learns that another process ends', async () => {
      // A process does not hear its own service.
      const other = service === 'usage' ? 'keys' : 'usage';
      const { connection } = server().busAs(other).live();
      const payload = { service: other, instanceId: 'gone', state: 'gone', isReturning: false };
      const heard = await connection.request(drainSubject('contracts', other), JSON.stringify(payload), {
        timeout: 60_000,
      });
      expect(heard.data).toHaveLength(0);
    });
  });
}
