import { plainText } from '../log/plain-text.ts';

/**
 * Why an answer to a call of the messenger's Bot API shows that MESSENGER_API_URL leads elsewhere; `undefined` for an
 * answer of the Bot API itself. Gateway errors are outages.
 */
export function messengerProblem(
  baseUrl: string,
  { status, body }: { status: number; body: unknown },
): { setting: string; cause: string; problem: string } | undefined {
  const isOfBotApi = typeof (body as { ok?: unknown } | null | undefined)?.ok === 'boolean';
  const hasPath = new URL(baseUrl).pathname !== '/';
  const isSuspect = isOfBotApi ? status === 404 && hasPath : status < 500 && status !== 408 && status !== 429;
  if (!isSuspect) return undefined;
  return {
    setting: 'MESSENGER_API_URL',
    cause: 'answer',
    problem:
      `${plainText(baseUrl)} answers ${status} like no Bot API: the setting is the address before /bot and the token, ` +
      'such as https://api.telegram.org',
  };
}
