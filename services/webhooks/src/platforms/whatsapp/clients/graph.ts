import { createHmac } from 'node:crypto';
import { createEgress, type Egress } from '@botyard/shared/http/egress/egress';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import { type FileForm, type FileToPost, fileForm } from '../../clients/file-form.ts';
import { type Content, post } from '../../clients/post.ts';
import { ReachLog } from '../../clients/reach-log.ts';
import { type CallResult, readAnswer } from './answers.ts';
import {
  type BusinessNumber,
  type PlatformMedia,
  readApps,
  readId,
  readMedia,
  readNumber,
  readSuccess,
  readTemplates,
  readUploaded,
  type SubscribedApp,
  type TemplatePage,
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
  listApps(access: Access, businessAccountId: string): Promise<CallResult<SubscribedApp[]>>;
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
  ): Promise<CallResult<TemplatePage>>;
  /** Uploads a file, which a message can then name for 30 days. */
  uploadMedia(
    access: Access,
    phoneNumberId: string,
    file: FileToPost,
    signal?: AbortSignal,
  ): Promise<CallResult<{ mediaId: string }>>;
  getMedia(access: Access, mediaId: string, phoneNumberId: string): Promise<CallResult<PlatformMedia>>;
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
const numberFields = 'id,display_phone_number,verified_name,quality_rating,webhook_configuration';

export function createGraphClient(baseUrl: string, log: Log): GraphClient {
  const calls = createCalls(baseUrl, new ReachLog('whatsapp', log));
  const callbackOf = ({ url, verifyToken }: Callback) => ({
    override_callback_uri: url,
    verify_token: verifyToken,
  });
  return {
    sendMessage: (access, phoneNumberId, message, signal) =>
      calls.post(
        { access, path: `${phoneNumberId}/messages`, timeoutMs: sendTimeoutMs, signal },
        { messaging_product: 'whatsapp', recipient_type: 'individual', ...message },
        readId,
      ),
    sendTyping: (access, phoneNumberId, messageId) =>
      calls.post(
        { access, path: `${phoneNumberId}/messages` },
        {
          messaging_product: 'whatsapp',
          status: 'read',
          message_id: messageId,
          typing_indicator: { type: 'text' },
        },
        readSuccess,
      ),
    getNumber: (access, phoneNumberId) =>
      calls.get({ access, path: phoneNumberId, query: { fields: numberFields } }, readNumber),
    listNumberIds: (access, businessAccountId) =>
      calls.get(
        { access, path: `${businessAccountId}/phone_numbers`, query: { fields: 'id', limit: '500' } },
        (body) => readApps(body)?.map(({ id }) => id),
      ),
    listApps: (access, businessAccountId) =>
      calls.get({ access, path: `${businessAccountId}/subscribed_apps` }, readApps),
    subscribeApp: (access, businessAccountId, callback) =>
      calls.post({ access, path: `${businessAccountId}/subscribed_apps` }, callbackOf(callback), readSuccess),
    setNumberCallback: (access, phoneNumberId, callback) =>
      calls.post(
        { access, path: phoneNumberId },
        { webhook_configuration: callback ? callbackOf(callback) : { override_callback_uri: '' } },
        readSuccess,
      ),
    listTemplates: (access, businessAccountId, { after, signal } = {}) =>
      calls.get(
        {
          access,
          path: `${businessAccountId}/message_templates`,
          query: { fields: templateFields, limit: '100', ...(after ? { after } : {}) },
          signal,
        },
        readTemplates,
      ),
    uploadMedia: (access, phoneNumberId, file, signal) =>
      calls.postForm(
        { access, path: `${phoneNumberId}/media`, timeoutMs: uploadTimeoutMs, signal },
        fileForm(
          [
            ['messaging_product', 'whatsapp'],
            ['type', file.mediaType],
          ],
          'file',
          file,
        ),
        readUploaded,
      ),
    getMedia: (access, mediaId, phoneNumberId) =>
      calls.get({ access, path: mediaId, query: { phone_number_id: phoneNumberId } }, readMedia),
  };
}

interface Request {
  access: Access;
  /** Below the address with the version. */
  path: string;
  query?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

type Read<Result> = (body: unknown) => Result | undefined;

interface Calls {
  get<Result>(request: Request, read: Read<Result>): Promise<CallResult<Result>>;
  post<Result>(request: Request, body: object, read: Read<Result>): Promise<CallResult<Result>>;
  postForm<Result>(request: Request, form: FileForm, read: Read<Result>): Promise<CallResult<Result>>;
}

function createCalls(baseUrl: string, reach: ReachLog): Calls {
  const egress = createEgress({ allowedHosts: [new URL(baseUrl).host] });
  const answered = async <Result>(request: Request, call: () => Promise<CallResult<Result>>) => {
    try {
      const result = await call();
      reach.answered();
      return result;
    } catch (error) {
      return reach.noAnswer(error, request.signal);
    }
  };
  return {
    get: (request, read) =>
      answered(request, async () => {
        const { status, headers, body } = await getOnce(egress, urlOf(baseUrl, request), request);
        const retryAfter = headers['retry-after'];
        return readAnswer(
          { status, headers, retryAfter, body: tryParseForeignJson(body) },
          read,
          secretsOf(request),
        );
      }),
    post: (request, body, read) =>
      answered(request, () =>
        postContent(baseUrl, request, { type: 'application/json', body: JSON.stringify(body) }, read),
      ),
    postForm: (request, form, read) => answered(request, () => postContent(baseUrl, request, form, read)),
  };
}

async function postContent<Result>(
  baseUrl: string,
  request: Request,
  content: Omit<Content, 'authorization'>,
  read: Read<Result>,
): Promise<CallResult<Result>> {
  const { access, timeoutMs = bounds.timeoutMs, signal } = request;
  const authorization = `Bearer ${access.accessToken.reveal()}`;
  const limits = { ...bounds, timeoutMs, signal };
  const answer = await post(urlOf(baseUrl, request), { ...content, authorization }, limits);
  return readAnswer(answer, read, secretsOf(request));
}

const getOnce = (egress: Egress, url: URL, { access, signal }: Request) =>
  egress.request(url.href, {
    headers: { authorization: `Bearer ${access.accessToken.reveal()}`, accept: 'application/json' },
    maxBytes: bounds.maxAnswerBytes,
    timeoutMs: bounds.timeoutMs,
    ...(signal ? { signal } : {}),
  });

const secretsOf = ({ access }: Request): Secret[] => [access.accessToken, access.appSecret];

/** Every call proves that its sender knows the app's secret, too: apps may require that. */
function urlOf(baseUrl: string, { access, path, query }: Request): URL {
  const url = new URL(`${baseUrl}/${path}`);
  const { accessToken, appSecret } = access;
  const proof = createHmac('sha256', appSecret.reveal()).update(accessToken.reveal()).digest('hex');
  for (const [name, value] of Object.entries({ ...query, appsecret_proof: proof }))
    url.searchParams.set(name, value);
  return url;
}
