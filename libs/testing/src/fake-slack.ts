/**
 * Slack: workspaces with people and channels, apps that are installed there, the Web API with its scopes and limits,
 * and the delivery of events with its retries. It enforces each step of connecting an app.
 */
import { type Answer, type Call, FakePlatform } from './fake/fake-server.ts';
import { RecordLog } from './fake/record-log.ts';
import { eventScopes, SlackApps } from './slack/apps.ts';
import { consent } from './slack/consent.ts';
import { deliver } from './slack/delivery.ts';
import {
  commandForm,
  envelope,
  type Fields,
  messageEvent,
  messageFields,
  pressForm,
  type Reacting,
  reactionEvent,
} from './slack/events.ts';
import { downloadFile, uploadFile } from './slack/file-answers.ts';
import { exchange, methods } from './slack/methods.ts';
import { findByToken } from './slack/rotation.ts';
import {
  type Installation,
  type SlackChannel,
  type SlackDelivery,
  SlackError,
  type SlackFile,
  type SlackMessage,
  type SlackPerson,
} from './slack/types.ts';
import { SlackWorld } from './slack/world.ts';

interface FakeSlackOptions {
  port?: number;
  /** Multiplies the delays before an event is sent again. Defaults to 1: immediately, a minute, five minutes. */
  retryScale?: number;
  /** Messages in a channel within a second, before the platform asks to wait. */
  burst?: number;
}

/** A message that a bot sent. */
interface SentMessage {
  channel: string;
  token: string;
  message: SlackMessage;
}

interface Saying {
  channel: SlackChannel;
  person: SlackPerson;
  text: string;
  threadTs?: string;
  files?: SlackFile[];
}

const messageEvents = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
};

export class FakeSlack extends FakePlatform {
  readonly world = new SlackWorld();
  readonly sent = new RecordLog<SentMessage>();
  readonly deliveries = new RecordLog<SlackDelivery>();
  readonly statuses = new RecordLog<{ channel: string; threadTs: string; status: string }>();
  readonly apps = new SlackApps(this.world);
  readonly #options: FakeSlackOptions;
  readonly #refusals = new Map<string, string>();
  readonly #calls = new Map<string, number[]>();

  constructor(options: FakeSlackOptions = {}) {
    super();
    this.#options = options;
  }

  start(): Promise<this> {
    return this.listen({ port: this.#options.port, basePath: '/api' });
  }

  get filesUrl(): string {
    return this.url.replace(/\/api$/, '');
  }

  /** Removes the app from its workspace. Both events come, in the order that is given. */
  uninstall(installation: Installation, order: readonly ('app_uninstalled' | 'tokens_revoked')[]): void {
    installation.isRevoked = true;
    for (const type of order) {
      const tokens = { tokens: { oauth: [], bot: [installation.botUserId] } };
      this.send(installation, { type, ...(type === 'tokens_revoked' ? tokens : {}) });
    }
  }

  /** A person writes. All apps that may see the message get its events. */
  say({ channel, person, text, threadTs, files }: Saying): SlackMessage {
    const message = this.world.addMessage(channel, {
      user: person.id,
      text,
      ...(threadTs ? { threadTs } : {}),
      ...(files ? { files } : {}),
    });
    const root = channel.messages.find(({ ts }) => ts === threadTs);
    const parent = root?.user === undefined ? {} : { parent_user_id: root.user };
    this.#tellAll(channel, { ...messageEvent(channel, message), ...parent });
    return message;
  }

  edit(channel: SlackChannel, message: SlackMessage, text: string): void {
    const previous = messageFields(message);
    const ts = this.world.newTs();
    // The platform's time of an edit has whole seconds.
    Object.assign(message, { text, editedTs: `${ts.split('.')[0]}.000000` });
    this.#tellAll(channel, {
      type: 'message',
      subtype: 'message_changed',
      hidden: true,
      message: { type: 'message', ...messageFields(message) },
      previous_message: { type: 'message', ...previous },
      channel: channel.id,
      channel_type: channel.kind,
      ts,
      event_ts: ts,
    });
  }

  remove(channel: SlackChannel, message: SlackMessage): void {
    channel.messages = channel.messages.filter((one) => one !== message);
    const ts = this.world.newTs();
    this.#tellAll(channel, {
      type: 'message',
      subtype: 'message_deleted',
      hidden: true,
      deleted_ts: message.ts,
      previous_message: { type: 'message', ...messageFields(message) },
      channel: channel.id,
      channel_type: channel.kind,
      ts,
      event_ts: ts,
    });
  }

  /** A person adds a reaction to a message, or takes it back. Apps hear of it in the channels that they are in. */
  react(reacting: Reacting, isAdded = true): void {
    const { channel, message } = reacting;
    if (!this.world.react(message, reacting, isAdded)) return;
    const type = isAdded ? 'reaction_added' : 'reaction_removed';
    const event = reactionEvent(type, { ...reacting, eventTs: this.world.newTs() });
    for (const one of this.apps.installations)
      if (!one.isRevoked && channel.members.has(one.botUserId) && one.scopes.has(eventScopes[type]!))
        this.send(one, event, { ofTeam: channel.teamId });
  }

  command(installation: Installation, asked: Parameters<typeof commandForm>[1]): SlackDelivery {
    return this.#post(installation, 'command', asked.command, commandForm(installation, asked));
  }

  press(installation: Installation, pressed: Parameters<typeof pressForm>[1]): SlackDelivery {
    return this.#post(installation, 'press', 'block_actions', pressForm(installation, pressed));
  }

  /** Sends an event to one app, if it has subscribed to it; by default under the name of its type. */
  send(
    installation: Installation,
    event: Fields,
    how: { eventId?: string; ofTeam?: string; name?: string } = {},
  ): void {
    const name = how.name ?? String(event.type);
    if (installation.app.events.has(name)) this.#sendBody(installation, name, event, how);
  }

  /** Posting in this channel is refused from now on, with this word. */
  refuse(channelId: string, error: string | undefined): void {
    if (error === undefined) this.#refusals.delete(channelId);
    else this.#refusals.set(channelId, error);
  }

  refusalOf(channelId: string): string | undefined {
    return this.#refusals.get(channelId);
  }

  posted({ token }: Installation, channel: SlackChannel, message: SlackMessage): void {
    this.sent.add({ channel: channel.id, token, message });
    this.#tellAll(channel, messageEvent(channel, message));
  }

  protected operationOf(_method: string, path: string): string {
    if (path.startsWith('/files-pri/')) return 'downloadFile';
    return path.startsWith('/upload/v1/') ? 'uploadFile' : path.replace(/^\/(?:api\/)?/, '');
  }

  protected async answer(call: Call): Promise<Answer> {
    if (call.operation === 'downloadFile') return downloadFile(this, call);
    if (call.operation === 'uploadFile') return uploadFile(this.world, call);
    if (call.operation === 'oauth/v2/authorize') return consent(this, call);
    try {
      if (call.operation === 'oauth.v2.access')
        return { status: 200, body: { ok: true, ...exchange(this.apps, call) } };
      const installation = this.#authenticated(call);
      const wait = this.#waitOf(call, installation);
      if (wait > 0)
        return {
          status: 429,
          headers: { 'retry-after': String(wait) },
          body: { ok: false, error: 'ratelimited' },
        };
      const method = methods[call.operation];
      if (!method) throw new SlackError('unknown_method');
      const isJson = call.headers['content-type']?.startsWith('application/json');
      if (isJson && !method.takesJson) throw new SlackError('invalid_arguments');
      if (method.scopes.length > 0 && !method.scopes.some((scope) => installation.scopes.has(scope)))
        throw new SlackError('missing_scope', method.scopes.join(','));
      const result = method.run({ fake: this, call, installation });
      const headers = { 'x-oauth-scopes': [...installation.scopes].join(',') };
      return { status: 200, headers, body: { ok: true, ...result } };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      const needed = error.needed === undefined ? {} : { needed: error.needed };
      return { status: 200, body: { ok: false, error: error.message, ...needed } };
    }
  }

  #authenticated({ headers, params }: Call): Installation {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? params.token;
    if (token === undefined) throw new SlackError('not_authed');
    return findByToken(this.apps.installations, String(token));
  }

  /** Seconds to wait. Messages are limited in each channel, all methods in each workspace. */
  #waitOf({ operation, params, receivedAt }: Call, { token }: Installation): number {
    const isMessage = operation === 'chat.postMessage';
    const limits = [
      { key: `${token} ${operation}`, ms: 60_000, most: methods[operation]?.perMinute ?? 20 },
      ...(isMessage
        ? [{ key: `${token} ${String(params.channel)}`, ms: 1000, most: this.#options.burst ?? 3 }]
        : []),
    ];
    for (const { key, ms, most } of limits) {
      const recent = (this.#calls.get(key) ?? []).filter((at) => at > receivedAt - ms);
      if (recent.length >= most) return Math.ceil(((recent[0] ?? 0) + ms - receivedAt) / 1000) || 1;
      this.#calls.set(key, [...recent, receivedAt]);
    }
    return 0;
  }

  #tellAll(channel: SlackChannel, event: Fields): void {
    for (const installation of this.apps.installations) {
      const { app, botUserId, isRevoked, scopes } = installation;
      if (isRevoked || !channel.members.has(botUserId)) continue;
      const name = messageEvents[channel.kind];
      const how = { ofTeam: channel.teamId };
      if (app.events.has(name) && scopes.has(eventScopes[name] ?? ''))
        this.#sendBody(installation, name, event, how);
      const isMention = event.subtype === undefined && String(event.text).includes(`<@${botUserId}>`);
      // The same message comes a second time, as another event.
      if (isMention && channel.kind !== 'im' && app.events.has('app_mention'))
        this.#sendBody(installation, 'app_mention', { ...event, type: 'app_mention' }, how);
    }
  }

  #sendBody(
    installation: Installation,
    type: string,
    event: Fields,
    { eventId, ofTeam }: { eventId?: string; ofTeam?: string },
  ): void {
    const team = ofTeam ?? installation.teamId ?? [...this.world.enterprises.keys()][0] ?? '';
    const how = { ofTeam: team, ...(eventId === undefined ? {} : { eventId }) };
    this.#post(installation, 'event', type, JSON.stringify(envelope(installation, event, how)));
  }

  #post({ app }: Installation, kind: SlackDelivery['kind'], type: string, body: string): SlackDelivery {
    const url = kind === 'event' ? app.requestUrl : app.interactivityUrl;
    if (url === undefined) throw new Error(`the app has no address for a ${kind}`);
    const isForm = kind !== 'event';
    const delivery: SlackDelivery = {
      url,
      kind,
      type,
      body,
      contentType: isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      attempts: [],
      state: 'sending',
    };
    this.deliveries.add(delivery);
    void deliver(delivery, {
      signingSecret: app.signingSecret,
      closing: this.closing,
      retryScale: this.#options.retryScale ?? 1,
      onChange: (changed) => this.deliveries.touch(changed),
    });
    return delivery;
  }
}

/** Listens on its own port; `url` is what `SLACK_API_URL` needs. */
export const startFakeSlack = (options: FakeSlackOptions = {}): Promise<FakeSlack> =>
  new FakeSlack(options).start();
