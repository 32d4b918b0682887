import type { z } from 'zod';
import type { Bus } from '../bus/bus.ts';
import { keepSubscribed } from '../bus/subscribing.ts';
import { busBounds } from '../json/json-bounds.ts';
import { parseForeignJson } from '../json/parse-json.ts';
import type { Metrics } from '../service/metrics.ts';
import { answerDiscovery } from './discovery.ts';
import { hearDrains } from './drain.ts';
import { readProcess } from './figures.ts';
import type { Instance } from './instance.ts';
import { searchLog } from './log-search.ts';
import {
  readFigures,
  readLog,
  readProblems,
  readSettings,
  restart,
  type SystemQuestion,
} from './questions.ts';
import { questionSubject } from './subjects.ts';

interface AnsweringParts {
  bus: Bus;
  instance: Instance;
  metrics: Metrics;
}

/** Makes this process discoverable and answers its requests. Called once, at the first connection. */
export function answerSystem({ bus, instance, metrics }: AnsweringParts): void {
  answerDiscovery(bus, instance);
  hearDrains(bus);
  const answer = <Request extends z.ZodType, Response extends z.ZodType>(
    question: SystemQuestion<Request, Response>,
    handle: (data: z.output<Request>) => Promise<z.input<Response>>,
  ) => {
    const hear = async (text: string): Promise<string> => {
      const data = question.request.parse(parseForeignJson(text, busBounds));
      return JSON.stringify(question.response.parse(await handle(data)));
    };
    for (const to of [instance.service, `${instance.service}.${instance.id}`]) {
      keepSubscribed(bus, questionSubject(bus.names.namespace, question.name, to), {
        onMessage: (message) => {
          hear(message.string()).then(
            (reply) => message.respond(reply),
            (error: unknown) =>
              bus.log.warn({ err: error, question: question.name }, 'a question about the process failed'),
          );
        },
      });
    }
  };
  answer(readSettings, async () => [...instance.settings]);
  answer(readProblems, async () => instance.problems?.list() ?? []);
  answer(readLog, async (query) => searchLog(instance.log, query));
  answer(readFigures, () => readProcess(instance, metrics));
  answer(restart, async () => {
    const end = instance.restart;
    if (!end) return { isAccepted: false };
    bus.log.info({ audit: 'restart', instanceId: instance.id }, 'audit');
    // Runs after the answer was sent.
    setImmediate(end);
    return { isAccepted: true };
  });
}
