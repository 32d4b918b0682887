/** The Graph API's paths. */

import { createHmac } from 'node:crypto';
import type { Answer, Call } from '../fake/fake-server.ts';
import type { RecordLog } from '../fake/record-log.ts';
import type { MediaShelf } from './media.ts';
import { readOutgoing } from './outgoing.ts';
import type { Paces } from './pace.ts';
import {
  type AccessToken,
  type Account,
  type App,
  type Callback,
  GraphError,
  type Permission,
  type PhoneNumber,
  type SentMessage,
  type WaPerson,
} from './types.ts';

const windowMs = 24 * 3600 * 1000;
const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const done: Answer = { status: 200, body: { success: true } };

/** The state behind the paths, and what calls change in it. */
interface World {
  url: string;
  apps: ReadonlyMap<string, App>;
  tokens: ReadonlyMap<string, AccessToken>;
  accounts: ReadonlyMap<string, Account>;
  numbers: ReadonlyMap<string, PhoneNumber>;
  blocked: ReadonlySet<string>;
  wroteAt: ReadonlyMap<string, number>;
  media: MediaShelf;
  paces: Paces;
  typing: RecordLog<{ phoneNumberId: string; messageId: string }>;
  personOf(identifier: string): WaPerson | undefined;
  checkCallback(callback: Callback): Promise<void>;
  newMessageId(): string;
  accepted(message: SentMessage): void;
}

/** Proves that a caller knows the app's secret. */
const proofOf = (token: string, appSecret: string): string =>
  createHmac('sha256', appSecret).update(token).digest('hex');

export class GraphRoutes {
  readonly #fake: World;

  constructor(fake: World) {
    this.#fake = fake;
  }

  operationOf(method: string, path: string): string {
    const [id = '', edge] = partsOf(path);
    if (id === 'file') return 'downloadMedia';
    if (edge === 'messages') return 'sendMessage';
    if (edge === 'media') return 'uploadMedia';
    if (edge === 'phone_numbers') return 'listNumbers';
    if (edge === 'message_templates') return 'listTemplates';
    if (edge === 'subscribed_apps')
      return method === 'GET' ? 'listApps' : method === 'POST' ? 'subscribeApp' : 'unsubscribeApp';
    if (this.#fake.numbers.has(id)) return method === 'GET' ? 'getNumber' : 'setNumber';
    return this.#fake.media.get(id) ? 'getMedia' : 'unknown';
  }

  async answer(call: Call): Promise<Answer> {
    const [id = '', edge = ''] = partsOf(call.path);
    const token = this.#tokenOf(call);
    if (id === 'file') return this.#download(edge);
    const media = this.#fake.media.get(id);
    if (media && edge === '') return this.#locate(media.id);
    const number = this.#fake.numbers.get(id);
    if (number) return await this.#ofNumber(call, token, number, edge);
    const account = this.#fake.accounts.get(id);
    if (account) return await this.#ofAccount(call, token, account, edge);
    throw new GraphError(
      100,
      `Unsupported ${call.method.toLowerCase()} request. Object with ID '${id}' does not exist`,
    );
  }

  #tokenOf({ headers, query }: Call): AccessToken {
    const value = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    const token = value === undefined ? undefined : this.#fake.tokens.get(value);
    if (!token)
      throw new GraphError(190, 'Error validating access token: Session has expired', { status: 401 });
    const proof = query.get('appsecret_proof');
    const app = this.#fake.apps.get(token.appId);
    if (proof !== null && (!app || proof !== proofOf(token.value, app.secret)))
      throw new GraphError(100, 'Invalid appsecret_proof provided in the API argument');
    return token;
  }

  async #ofNumber(call: Call, token: AccessToken, number: PhoneNumber, edge: string): Promise<Answer> {
    if (edge === 'messages') return this.#send(call, token, number);
    if (edge === 'media') return this.#upload(call, token);
    if (call.method === 'GET') {
      demand(token, 'whatsapp_business_management');
      return { status: 200, body: this.#shown(number, token) };
    }
    demand(token, 'whatsapp_business_management');
    const { override_callback_uri: url, verify_token: verifyToken } = fieldsOf(
      call.params.webhook_configuration,
    );
    if (url === '') delete number.callback;
    else {
      const callback = { url: String(url), verifyToken: String(verifyToken) };
      await this.#fake.checkCallback(callback);
      number.callback = callback;
    }
    return done;
  }

  #shown(number: PhoneNumber, token: AccessToken): Record<string, unknown> {
    const account = this.#fake.accounts.get(number.accountId);
    const own = account?.subscribed.get(token.appId)?.url;
    const application = this.#fake.apps.get(token.appId)?.callback?.url;
    return {
      id: number.id,
      display_phone_number: number.display,
      verified_name: number.name,
      quality_rating: number.quality,
      webhook_configuration: {
        ...(number.callback ? { phone_number: number.callback.url } : {}),
        ...(own ? { whatsapp_business_account: own } : {}),
        ...(application ? { application } : {}),
      },
    };
  }

  async #ofAccount(call: Call, token: AccessToken, account: Account, edge: string): Promise<Answer> {
    demand(token, 'whatsapp_business_management');
    if (edge === 'phone_numbers') {
      const numbers = [...this.#fake.numbers.values()].filter(({ accountId }) => accountId === account.id);
      return { status: 200, body: { data: numbers.map((number) => ({ id: number.id })) } };
    }
    if (edge === 'message_templates') return { status: 200, body: pageOf(account.templates, call) };
    if (edge !== 'subscribed_apps') throw new GraphError(100, `Unknown path components: /${edge}`);
    if (call.method === 'GET') return { status: 200, body: { data: listed(account) } };
    if (call.method === 'DELETE') {
      account.subscribed.delete(token.appId);
      return done;
    }
    const { override_callback_uri: url, verify_token: verifyToken } = call.params;
    const callback = typeof url === 'string' ? { url, verifyToken: String(verifyToken) } : undefined;
    if (callback) await this.#fake.checkCallback(callback);
    account.subscribed.set(token.appId, callback);
    return done;
  }

  #send({ params }: Call, token: AccessToken, number: PhoneNumber): Answer {
    demand(token, 'whatsapp_business_messaging');
    if (params.messaging_product !== 'whatsapp')
      throw new GraphError(100, 'The parameter messaging_product is required.');
    if (params.status === 'read') return this.#read(params, number);
    const addressedBy = params.to === undefined ? 'recipient' : 'to';
    const person = this.#fake.personOf(String(params[addressedBy] ?? ''));
    const account = this.#fake.accounts.get(number.accountId)!;
    const shown = readOutgoing(params, account.templates);
    if (!person) throw undeliverable();
    const isOwnField = addressedBy === 'to' ? params.to === person.phone : params.recipient === person.userId;
    if (!isOwnField) throw undeliverable();
    this.#fake.paces.take(number.id, person.phone);
    const wroteAt = this.#fake.wroteAt.get(`${number.id}/${person.phone}`) ?? 0;
    if (params.type !== 'template' && Date.now() - wroteAt > windowMs) throw closed();
    if (this.#fake.blocked.has(`${number.id}/${person.phone}`)) throw undeliverable();
    const id = this.#fake.newMessageId();
    const type = String(params.type ?? 'text');
    const { phone } = person;
    this.#fake.accepted({
      ...shown,
      id,
      phoneNumberId: number.id,
      phone,
      addressedBy,
      type,
      message: params,
    });
    return {
      status: 200,
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: params[addressedBy], wa_id: person.phone, user_id: person.userId }],
        messages: [{ id }],
      },
    };
  }

  #read(params: Record<string, unknown>, number: PhoneNumber): Answer {
    const messageId = String(params.message_id ?? '');
    if (!messageId.startsWith('wamid.')) throw new GraphError(131009, 'Parameter value is not valid');
    if (params.typing_indicator) this.#fake.typing.add({ phoneNumberId: number.id, messageId });
    return done;
  }

  #upload({ params, body }: Call, token: AccessToken): Answer {
    demand(token, 'whatsapp_business_messaging');
    const file = fieldsOf(params.file);
    const mimeType = String(params.type ?? file.contentType ?? 'application/octet-stream');
    const bytes = Buffer.isBuffer(file.bytes) ? file.bytes : body;
    if (params.messaging_product !== 'whatsapp')
      throw new GraphError(100, '(#100) The parameter messaging_product is required.');
    if (!this.#fake.media.isWithinCap({ bytes, mimeType }))
      throw new GraphError(131052, 'Media upload error', { details: 'File size is too large' });
    const fileName = typeof file.fileName === 'string' ? { fileName: file.fileName } : {};
    return { status: 200, body: { id: this.#fake.media.add({ bytes, mimeType, ...fileName }).id } };
  }

  #locate(mediaId: string): Answer {
    const media = this.#fake.media.get(mediaId)!;
    const origin = new URL(this.#fake.url).href.replace(/\/$/, '');
    return {
      status: 200,
      body: {
        messaging_product: 'whatsapp',
        url: `${origin}/file/${this.#fake.media.newAddress(mediaId)}`,
        mime_type: media.mimeType,
        file_size: media.bytes.length,
        id: media.id,
      },
    };
  }

  #download(key: string): Answer {
    const media = this.#fake.media.open(key);
    if (!media) return { status: 404, body: 'URL signature expired' };
    return { status: 200, body: media.bytes, headers: { 'content-type': media.mimeType } };
  }
}

/** The parts of a path behind the version. */
const partsOf = (path: string): string[] =>
  path
    .replace(/^\/v\d+\.\d+/, '')
    .split('/')
    .filter(Boolean);

function demand(token: AccessToken, permission: Permission): void {
  if (!token.permissions.includes(permission))
    throw new GraphError(200, `Requires ${permission} permission to manage the object`, { status: 403 });
}

const undeliverable = () =>
  new GraphError(131026, 'Message undeliverable', { details: 'Message Undeliverable.' });

const closed = () =>
  new GraphError(131047, 'Re-engagement message', {
    details:
      'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  });

const listed = (account: Account) =>
  [...account.subscribed].map(([id, callback]) => ({
    whatsapp_business_api_data: { id, name: 'Botyard', link: 'https://example.com' },
    ...(callback ? { override_callback_uri: callback.url } : {}),
  }));

/** Two templates on a page, so that a client has to turn pages. */
const pageSize = 2;

function pageOf(templates: readonly unknown[], { query }: Call): Record<string, unknown> {
  const from = Number(query.get('after') ?? 0);
  const end = from + pageSize;
  const hasMore = end < templates.length;
  return {
    data: templates.slice(from, end),
    paging: {
      cursors: { before: String(from), after: String(end) },
      ...(hasMore ? { next: 'https://graph.invalid/next' } : {}),
    },
  };
}
