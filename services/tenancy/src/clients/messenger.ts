import { readBoundedJson } from '@botyard/shared/http/bounded-body';
import { unavailable, unprocessable } from '@botyard/shared/http/errors';
import type { Secret } from '@botyard/shared/secrets/secret';
import { messengerProblem } from '@botyard/shared/system/messenger-problem';
import type { Problems } from '@botyard/shared/system/problems';
import { z } from 'zod';

/** A bot as the platform knows it. */
interface PlatformBot {
  platformBotId: string;
  username: string;
}

export interface MessengerClient {
  /** @throws HttpError 422 when the platform rejects the token, 503 when it doesn't answer. */
  getMe(botToken: Secret): Promise<PlatformBot>;
}

const GetMeAnswer = z.object({
  ok: z.literal(true),
  result: z.object({ id: z.number().int(), is_bot: z.literal(true), username: z.string().min(1) }),
});
const Refusal = z.object({ ok: z.literal(false) });
const tokenShape = /^[1-9]\d{0,15}:[A-Za-z0-9_-]{1,70}$/;
const timeoutMs = 5000;
const maxAnswerBytes = 64 * 1024;

/** The platform answers 401 or 404 for a wrong token. Any other answer shows nothing about the token (Bot API). */
export function createMessengerClient(
  baseUrl: string,
  { problems }: { problems?: Pick<Problems, 'note'> } = {},
): MessengerClient {
  return {
    getMe: async (botToken) => {
      const token = botToken.reveal();
      if (!tokenShape.test(token)) throw unprocessable('the messenger does not accept this bot token');
      const response = await fetch(`${baseUrl}/bot${token}/getMe`, {
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }).catch(() => {
        throw unavailable(
          'the messenger does not answer, so the bot token could not be checked: try again later',
        );
      });
      const body = await readBoundedJson(response, maxAnswerBytes).catch(() => undefined);
      const problem = messengerProblem(baseUrl, { status: response.status, body });
      if (problem) problems?.note(problem);
      if (Refusal.safeParse(body).success && (response.status === 401 || response.status === 404))
        throw unprocessable('the messenger does not accept this bot token');
      const answer = GetMeAnswer.safeParse(body);
      if (!answer.success) throw unavailable('the messenger gave no usable answer about the bot token');
      const { id, username } = answer.data.result;
      return { platformBotId: String(id), username };
    },
  };
}
