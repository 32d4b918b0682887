import { createHmac } from 'node:crypto';
import { createEgress, type Egress } from '@botyard/shared/http/egress/egress';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { z } from 'zod';
import { type FileToPost, fileForm } from '../../clients/file-form.ts';
import { type Content, type JsonAnswer, post } from '../../clients/post.ts';
import { ReachLog } from '../../clients/reach-log.ts';
import { type CallResult, readAnswer } from './answers.ts';
import {
  BusinessNumber,
  CallbackUrls,
  NumberIds,
  PlatformMedia,
  SentMessage,
  Success,
  TemplatePage,
  UploadedMedia,
} from './results.ts';

/** The secrets of a call. */
export interface Access {
  accessToken: Secret;
  appSecret: Secret;
}

/** The parts of the Graph API that are used. No method throws, and no reason contains a secret. */
export interface GraphClient {
  /** `message` is the platform's own, without the fields that all messages share. */
  sendMessage(
    access: Access,
    phoneNumberId: string,
    message: object,
    signal?: AbortSignal,
  ): Promise<CallResult<{ platformMessageId: string | undefined }>>;
  /** Marks a message as read, and shows for at most 25 s that an answer to it is being written. */
  sendTyping(access: Access, phoneNumberId: string, messageId: string): Promise<CallResult<true>>;
  getNumber(access: Access, phoneNumberId: string): Promise<CallResult<BusinessNumber>>;
  listNumberIds(access: Access, businessAccountId: string): Promise<CallResult<string[]>>;
  listCallbackUrls(access: Access, businessAccountId: string): Promise<CallResult<string[]>>;
  /** The platform calls the address during this call, with the token. */
  subscribeApp(access: Access, businessAccountId: string, callback: Callback): Promise<CallResult<true>>;
  /** Deliveries for this one number go to the address. Without one, to the account's. */
  setNumberCallback(
    access: Access,
    phoneNumberId: string,
    callback: Callback | undefined,
  ): Promise<CallResult<true>>;
  listTemplates(
    access: Access,
    businessAccountId: string,
    page?: { after?: string | undefined; signal?: AbortSignal },
  ): Promise<CallResult<z.output<typeof TemplatePage>>>;
  /** Uploads a file, which a message can then name for 30 days. */
  uploadMedia(
    access: Access,
    phoneNumberId: string,
    file: FileToPost,
    signal?: AbortSignal,
  ): Promise<CallResult<{ mediaId: string }>>;
  getMedia(
    access: Access,
    mediaId: string,
    phoneNumberId: string,
  ): Promise<CallResult<z.output<typeof PlatformMedia>>>;
}

export interface Callback {
  url: string;
  verifyToken: string;
}

/** Limits of one call, with its answer. */
const bounds = { timeoutMs: 10_000, maxAnswerBytes: 1024 * 1024 };
/** The platform under load takes many seconds to accept a message: a shorter wait may send it twice. */
const sendTimeoutMs = 30_000;
/** With the largest file. */
const uploadTimeoutMs = 120_000;
const templateFields = 'id,name,language,status,category,components,parameter_format';
const numberFields = 'id,display_phone_number,quality_rating,webhook_configuration';

export function createGraphClient(baseUrl: string, log: Log): GraphClient {
  const call = createCall(baseUrl, new ReachLog('whatsapp', log));
  const callbackOf = ({ url, verifyToken }: Callback) => ({
    override_callback_uri: url,
    verify_token: verifyToken,
  });
  return {
    sendMessage: (access, phoneNumberId, message, signal) => {
      const content = json({ messaging_product: 'whatsapp', recipient_type: 'individual', ...message });
      const path = `${phoneNumberId}/messages`;
      return call({ access, path, content, timeoutMs: sendTimeoutMs, signal }, SentMessage);
    },
    sendTyping: (access, phoneNumberId, messageId) => {
      const typing = { status: 'read', message_id: messageId, typing_indicator: { type: 'text' } };
      const content = json({ messaging_product: 'whatsapp', ...typing });
      return call({ access, path: `${phoneNumberId}/messages`, content }, Success);
    },
    getNumber: (access, phoneNumberId) =>
      call({ access, path: phoneNumberId, query: { fields: numberFields } }, BusinessNumber),
    listNumberIds: (access, businessAccountId) => {
      const query = { fields: 'id', limit: '500' };
      return call({ access, path: `${businessAccountId}/phone_numbers`, query }, NumberIds);
    },
    listCallbackUrls: (access, businessAccountId) =>
      call({ access, path: `${businessAccountId}/subscribed_apps` }, CallbackUrls),
    subscribeApp: (access, businessAccountId, callback) => {
      const content = json(callbackOf(callback));
      return call({ access, path: `${businessAccountId}/subscribed_apps`, content }, Success);
    },
    setNumberCallback: (access, phoneNumberId, callback) => {
      const configuration = callback ? callbackOf(callback) : { override_callback_uri: '' };
      return call(
        { access, path: phoneNumberId, content: json({ webhook_configuration: configuration }) },
        Success,
      );
    },
    listTemplates: (access, businessAccountId, { after, signal } = {}) => {
      const query = { fields: templateFields, limit: '100', ...(after ? { after } : {}) };
      return call({ access, path: `${businessAccountId}/message_templates`, query, signal }, TemplatePage);
    },
    uploadMedia: (access, phoneNumberId, file, signal) => {
      const fields = [
        ['messaging_product', 'whatsapp'],
        ['type', file.mediaType],
      ] as const;
      const content = fileForm(fields, 'file', file);
      const path = `${phoneNumberId}/media`;
      return call({ access, path, content, timeoutMs: uploadTimeoutMs, signal }, UploadedMedia);
    },
    getMedia: (access, mediaId, phoneNumberId) =>
      call({ access, path: mediaId, query: { phone_number_id: phoneNumberId } }, PlatformMedia),
  };
}

const json = (body: object) => ({ type: 'application/json', body: JSON.stringify(body) });

interface Request {
  access: Access;
  /** Below the address with the version. */
  path: string;
  query?: Record<string, string>;
  /** Posted. Without it, the call only reads. */
  content?: Omit<Content, 'authorization'>;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

type Call = <Result>(request: Request, shape: z.ZodType<Result>) => Promise<CallResult<Result>>;

function createCall(baseUrl: string, reach: ReachLog): Call {
  const egress = createEgress({ allowedHosts: [new URL(baseUrl).host] });
  return async (request, shape) => {
    const { accessToken, appSecret } = request.access;
    try {
      const answer = await ask(egress, urlOf(baseUrl, request), request);
      reach.answered();
      return readAnswer(answer, shape, [accessToken, appSecret]);
    } catch (error) {
      return reach.noAnswer(error, request.signal);
    }
  };
}

async function ask(egress: Egress, url: URL, request: Request): Promise<JsonAnswer> {
  const { access, content, timeoutMs = bounds.timeoutMs, signal } = request;
  const authorization = `Bearer ${access.accessToken.reveal()}`;
  if (content) return await post(url, { ...content, authorization }, { ...bounds, timeoutMs, signal });
  const { status, headers, body } = await egress.request(url.href, {
    headers: { authorization, accept: 'application/json' },
    maxBytes: bounds.maxAnswerBytes,
    timeoutMs,
    ...(signal ? { signal } : {}),
  });
  return { status, headers, retryAfter: headers['retry-after'], body: tryParseForeignJson(body) };
}

/** Every call proves that its sender knows the app's secret, too: apps may require that. */
function urlOf(baseUrl: string, { access, path, query }: Request): URL {
  const url = new URL(`${baseUrl}/${path}`);
  const { accessToken, appSecret } = access;
  const proof = createHmac('sha256', appSecret.reveal()).update(accessToken.reveal()).digest('hex');
  for (const [name, value] of Object.entries({ ...query, appsecret_proof: proof }))
    url.searchParams.set(name, value);
  return url;
}
