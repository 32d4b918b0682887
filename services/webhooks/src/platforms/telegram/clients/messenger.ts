import { AnswerTooLargeError } from '@botyard/shared/http/bounded-body';
import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import { messengerProblem } from '@botyard/shared/system/messenger-problem';
import type { Problems } from '@botyard/shared/system/problems';
import { z } from 'zod';
import { type FileForm, fileForm } from '../../clients/file-form.ts';
import { type JsonAnswer, post, reasonOf } from '../../clients/post.ts';
import { type FailedCall, ReachLog } from '../../clients/reach-log.ts';
import { chatOf, fieldsOf, placeOf, type SendFile, type SendMessage, sendBody } from './send-body.ts';

/** The result of a call to the platform. */
export type CallResult<Result> =
  | { outcome: 'ok'; result: Result }
  | { outcome: 'refused'; status: number; reason: string; migrateToChatId?: string | undefined }
  | { outcome: 'limited'; retryAfterMs: number }
  | (FailedCall & { isTooLarge?: boolean });

export interface WebhookInfo {
  url: string;
  pendingUpdates: number;
  lastError: string | undefined;
  lastErrorAt: Date | undefined;
}

/** The parts of the messenger's Bot API that are used. No method throws, and no reason contains the token. */
export interface MessengerClient {
  /** The bot of a token; `undefined` if the answer describes none. */
  getMe(token: Secret, signal: AbortSignal): Promise<CallResult<z.output<typeof PlatformBot>>>;
  sendMessage(token: Secret, message: SendMessage, signal?: AbortSignal): Promise<CallResult<Sent>>;
  sendFile(token: Secret, file: SendFile, signal?: AbortSignal): Promise<CallResult<Sent>>;
  sendTyping(token: Secret, chat: { platformChatId: string; threadId: string | undefined }): Promise<void>;
  /** Stops the client of a person who pressed a button from waiting. */
  answerCallback(token: Secret, callbackQueryId: string): Promise<CallResult<unknown>>;
  getFile(token: Secret, fileId: string): Promise<CallResult<z.output<typeof PlatformFile>>>;
  getWebhookInfo(token: Secret): Promise<CallResult<WebhookInfo>>;
  /** Without a secret token the platform sends none. */
  setWebhook(token: Secret, webhook: { url: string; secretToken: string }): Promise<CallResult<unknown>>;
  deleteWebhook(token: Secret): Promise<CallResult<unknown>>;
  /**
   * Waits some seconds for updates from `offset` on, by default from the first pending one, and confirms earlier ones.
   * Refused with 409 while a webhook is set, or when another program polls, too.
   */
  getUpdates(
    token: Secret,
    asked: { offset: number | undefined; limit: number },
    signal: AbortSignal,
  ): Promise<CallResult<readonly PlatformUpdate[]>>;
  setCommands(
    token: Secret,
    commands: readonly { command: string; description: string }[],
    /** For people whose app uses this language; two letters of ISO 639-1. Without it, for all others. */
    language?: string,
  ): Promise<CallResult<unknown>>;
}

const Answer = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number().optional(),
    description: z.string().default('no description'),
    parameters: z
      .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
      .optional(),
  }),
]);
/** A message counts as sent even if the answer has no id. */
const SentMessage = z
  .object({ message_id: z.number().int().optional() })
  .catch({})
  .transform(({ message_id: id }) => ({ platformMessageId: id?.toString() }));
type Sent = z.output<typeof SentMessage>;
/** A bot as the platform knows it. */
const PlatformBot = z
  .object({ id: z.number().int(), is_bot: z.literal(true), username: z.string().min(1) })
  .transform(({ id, username }) => ({ platformBotId: String(id), username }))
  .optional()
  .catch(undefined);
/** A file of the platform, for downloading. Its path is as the platform states it, unchecked. */
const PlatformFile = z
  .object({ file_path: z.string().optional(), file_size: z.number().int().nonnegative().optional() })
  .catch({})
  .transform(({ file_path: filePath, file_size: sizeBytes }) => ({ filePath, sizeBytes }));
const Info = z.object({
  url: z.string(),
  pending_update_count: z.number().int().default(0),
  last_error_message: z.string().optional(),
  last_error_date: z.number().int().optional(),
});

const Updates = z.array(z.looseObject({ update_id: z.int() }));
/** An update as the platform sends it. Its kind is not known here. */
type PlatformUpdate = z.output<typeof Updates>[number];

/** The kinds of updates that are used. Without an explicit list the platform keeps an earlier one. */
const allowedUpdates = ['message', 'edited_message', 'callback_query', 'my_chat_member', 'message_reaction'];
/** Limits of one call, with its answer. */
const bounds = { timeoutMs: 6000, maxAnswerBytes: 1024 * 1024 };
/**
 * How long the platform waits for updates before it answers with none. A network that drops its answer is then noticed
 * within 10 s.
 */
const pollSeconds = 5;
/** Limits of an answer with updates, which may be a hundred of the longest messages. */
const pollBounds = { timeoutMs: (pollSeconds + 3) * 1000, maxAnswerBytes: 4 * 1024 * 1024 };
/** A platform under load takes many seconds to accept a message: a shorter wait may send it twice. */
const sendTimeoutMs = 30_000;
/** With the upload of the largest file. */
const sendFileTimeoutMs = 120_000;

export function createMessengerClient(
  baseUrl: string,
  log: Log,
  problems?: Pick<Problems, 'note' | 'clear'>,
): MessengerClient {
  const call = createCall(baseUrl, new ReachLog('messenger', log), problems);
  return {
    getMe: (token, signal) => call(token, 'getMe', {}, PlatformBot, { ...bounds, signal }),
    sendMessage: (token, message, signal) =>
      call(token, 'sendMessage', sendBody(message), SentMessage, { timeoutMs: sendTimeoutMs, signal }),
    sendFile: (token, { isPhoto, file, ...place }, signal) =>
      call(
        token,
        isPhoto ? 'sendPhoto' : 'sendDocument',
        fileForm(fieldsOf(placeOf(place)), isPhoto ? 'photo' : 'document', file),
        SentMessage,
        { timeoutMs: sendFileTimeoutMs, signal },
      ),
    sendTyping: async (token, { platformChatId, threadId }) => {
      const body = { ...chatOf(platformChatId, threadId), action: 'typing' };
      await call(token, 'sendChatAction', body, z.unknown());
    },
    answerCallback: (token, callbackQueryId) =>
      call(token, 'answerCallbackQuery', { callback_query_id: callbackQueryId }, z.unknown()),
    getFile: (token, fileId) => call(token, 'getFile', { file_id: fileId }, PlatformFile),
    getWebhookInfo: (token) => {
      const shape = Info.transform((info) => ({
        url: info.url,
        pendingUpdates: info.pending_update_count,
        lastError: info.last_error_message && reasonOf(token, info.last_error_message),
        lastErrorAt: info.last_error_date === undefined ? undefined : new Date(info.last_error_date * 1000),
      }));
      return call(token, 'getWebhookInfo', {}, shape);
    },
    setWebhook: (token, { url, secretToken }) => {
      const secret = secretToken ? { secret_token: secretToken } : {};
      const body = { url, ...secret, allowed_updates: allowedUpdates, max_connections: 40 };
      return call(token, 'setWebhook', body, z.unknown());
    },
    deleteWebhook: (token) => call(token, 'deleteWebhook', {}, z.unknown()),
    getUpdates: (token, { offset, limit }, signal) =>
      call(
        token,
        'getUpdates',
        { offset, limit, timeout: pollSeconds, allowed_updates: allowedUpdates },
        Updates,
        { ...pollBounds, signal },
      ),
    setCommands: (token, commands, language) => {
      const body = { commands, ...(language === undefined ? {} : { language_code: language }) };
      return call(token, 'setMyCommands', body, z.unknown());
    },
  };
}

type Call = <Result>(
  token: Secret,
  method: string,
  /** A form, or an object to be sent as JSON. */
  body: object | FileForm,
  shape: z.ZodType<Result>,
  how?: { timeoutMs: number; maxAnswerBytes?: number; signal: AbortSignal | undefined },
) => Promise<CallResult<Result>>;

function createCall(baseUrl: string, reach: ReachLog, problems?: Pick<Problems, 'note' | 'clear'>): Call {
  return async (token, method, body, shape, how) => {
    try {
      const url = new URL(`${baseUrl}/bot${token.reveal()}/${method}`);
      const content = 'body' in body ? body : { type: 'application/json', body: JSON.stringify(body) };
      const answer = await post(url, content, { ...bounds, ...how });
      reach.answered();
      const problem = messengerProblem(baseUrl, answer);
      if (problem) problems?.note(problem);
      else if (answer.status === 200) problems?.clear('MESSENGER_API_URL');
      return readAnswer(token, answer, shape);
    } catch (error) {
      return { ...reach.noAnswer(error, how?.signal), isTooLarge: error instanceof AnswerTooLargeError };
    }
  };
}

function readAnswer<Result>(
  token: Secret,
  { status, retryAfter: wait, body }: JsonAnswer,
  shape: z.ZodType<Result>,
): CallResult<Result> {
  const answer = Answer.safeParse(body);
  if (answer.success && answer.data.ok) return { outcome: 'ok', result: shape.parse(answer.data.result) };
  const refusal = answer.success && !answer.data.ok ? answer.data : undefined;
  const code = refusal?.error_code ?? status;
  if (code === 429) {
    const retryAfter = refusal?.parameters?.retry_after ?? Number(wait);
    return { outcome: 'limited', retryAfterMs: waitMsOf(retryAfter) };
  }
  const reason = refusal ? reasonOf(token, refusal.description) : `unusable answer (${status})`;
  // Only a proxy that timed out leaves the outcome of the call open. Any other answer, such as a page or an error
  // without a code, means that it was not carried out.
  if (isOfWaiting(status)) return { outcome: 'failed', reason, unclear: true };
  if (code >= 500 || code < 400 || !refusal) return { outcome: 'failed', reason, unclear: false };
  const migrateToChatId = refusal.parameters?.migrate_to_chat_id?.toString();
  return { outcome: 'refused', status: code, reason, migrateToChatId };
}

/** At least a second. A wait without a sensible end is longer than any reply is worth. */
const waitMsOf = (seconds: number): number => (Number.isFinite(seconds) ? Math.max(1, seconds) * 1000 : 1000);

const isOfWaiting = (status: number): boolean => status === 408 || status === 504;
