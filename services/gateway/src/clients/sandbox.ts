import { ConsolePerson, ConsoleSession } from '@botyard/contracts/console';
import { readBounded } from '@botyard/shared/http/bounded-body';
import { unavailable } from '@botyard/shared/http/errors';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import { z } from 'zod';

/** The people of the sandbox's identity provider, for development mode. */
export interface Sandbox {
  listPeople(): Promise<ConsolePerson[]>;
  openSession(userId: string): Promise<ConsoleSession>;
}

const answerWithinMs = 5000;
const maxAnswerBytes = 64 * 1024;

export function createSandbox(url: string): Sandbox {
  const ask = async <Shape extends z.ZodType>(path: string, shape: Shape, body?: unknown) => {
    try {
      const response = await fetch(`${url}${path}`, {
        signal: AbortSignal.timeout(answerWithinMs),
        redirect: 'error',
        ...(body === undefined
          ? {}
          : {
              method: 'POST',
              body: JSON.stringify(body),
              headers: { 'content-type': 'application/json' },
            }),
      });
      const content = await readBounded(response, maxAnswerBytes);
      return shape.parse(parseForeignJson(content)) as z.output<Shape>;
    } catch (error) {
      throw unavailable('the sandbox does not answer', { cause: error });
    }
  };
  return {
    listPeople: async () => await ask('/api/people', z.array(ConsolePerson)),
    openSession: async (userId) => await ask('/api/session-token', ConsoleSession, { userId }),
  };
}
