/** The methods of the Web API that bots call, with their scopes, limits and refusals. */
import type { Call } from '../fake/fake-server.ts';
import type { RecordLog } from '../fake/record-log.ts';
import type { SlackApps } from './apps.ts';
import type { Fields } from './events.ts';
import { issue, useRefreshToken } from './rotation.ts';
import { type Installation, type SlackChannel, SlackError, type SlackMessage } from './types.ts';
import { newId, type SlackWorld } from './world.ts';

/** The platform, as far as its methods use it. */
interface Host {
  readonly world: SlackWorld;
  readonly statuses: RecordLog<{ channel: string; threadTs: string; status: string }>;
  readonly filesUrl: string;
  refusalOf(channelId: string): string | undefined;
  posted(installation: Installation, channel: SlackChannel, message: SlackMessage): void;
}

interface Request {
  fake: Host;
  call: Call;
  installation: Installation;
}

interface Method {
  scopes: readonly string[];
  /** Calls a minute, for each workspace. */
  perMinute: number;
  /** It takes a JSON body, too. */
  takesJson?: boolean;
  run(request: Request): Fields;
}

const maxBlockText = 12_000;
const maxText = 40_000;

export const methods: Readonly<Record<string, Method>> = {
  'auth.test': {
    scopes: [],
    perMinute: 600,
    run: ({ fake, installation: { teamId, enterpriseId, botUserId, botId } }) => ({
      url: 'https://workspace.slack.com/',
      team: 'Workspace',
      user: 'botyard',
      team_id: teamId ?? [...fake.world.enterprises.keys()][0],
      user_id: botUserId,
      bot_id: botId,
      ...(enterpriseId ? { enterprise_id: enterpriseId } : {}),
      is_enterprise_install: teamId === null,
    }),
  },
  'bots.info': {
    scopes: ['users:read'],
    perMinute: 50,
    run: ({ call, installation }) => {
      if (call.params.bot !== installation.botId) throw new SlackError('bot_not_found');
      return { bot: { id: installation.botId, app_id: installation.app.appId, name: 'botyard' } };
    },
  },
  'users.info': {
    scopes: ['users:read'],
    perMinute: 100,
    run: ({ fake, call }) => {
      const person = fake.world.people.get(String(call.params.user));
      if (!person) throw new SlackError('user_not_found');
      const { id, name, displayName, locale, teamId } = person;
      return {
        user: {
          id,
          team_id: teamId,
          name,
          real_name: displayName,
          profile: { display_name: displayName, real_name: displayName },
          ...(call.params.include_locale === 'true' ? { locale } : {}),
        },
      };
    },
  },
  'conversations.info': {
    scopes: ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
    perMinute: 50,
    run: ({ fake, call }) => {
      const { id, name, kind, isArchived } = fake.world.channel(call.params.channel);
      return { channel: { id, ...(kind === 'im' ? {} : { name }), is_archived: isArchived } };
    },
  },
  'chat.postMessage': {
    scopes: ['chat:write'],
    perMinute: 300,
    takesJson: true,
    run: postMessage,
  },
  'assistant.threads.setStatus': {
    scopes: ['assistant:write', 'chat:write'],
    perMinute: 600,
    takesJson: true,
    run: ({ fake, call }) => {
      const { channel_id: channel, thread_ts: threadTs, status } = call.params;
      fake.world.channel(channel);
      if (typeof threadTs !== 'string') throw new SlackError('invalid_arguments');
      fake.statuses.add({ channel: String(channel), threadTs, status: String(status) });
      return {};
    },
  },
  'files.getUploadURLExternal': {
    scopes: ['files:write'],
    perMinute: 100,
    run: ({ fake, call, installation }) => {
      const { filename, length } = call.params;
      const sizeBytes = Number(length);
      if (typeof filename !== 'string' || filename === '') throw new SlackError('invalid_arguments');
      if (!Number.isInteger(sizeBytes) || sizeBytes < 1) throw new SlackError('file_uploads_disabled');
      const upload = fake.world.beginUpload({ name: filename, sizeBytes, token: installation.token });
      return { upload_url: `${fake.filesUrl}/upload/v1/${upload.key}`, file_id: upload.fileId };
    },
  },
  'files.completeUploadExternal': {
    scopes: ['files:write'],
    perMinute: 100,
    takesJson: true,
    run: completeUpload,
  },
  'files.info': {
    scopes: ['files:read'],
    perMinute: 100,
    run: ({ fake, call }) => {
      const file = fake.world.files.get(String(call.params.file));
      if (!file) throw new SlackError('file_not_found');
      const { id, name, mimetype, content, teamId } = file;
      const url = `${fake.filesUrl}/files-pri/${teamId}-${id}/download/${encodeURIComponent(name)}`;
      return {
        file: { id, name, mimetype, size: content.length, url_private: url, url_private_download: url },
      };
    },
  },
};

function postMessage({ fake, call, installation }: Request): Fields {
  const { channel: channelId, text = '', blocks, thread_ts: threadTs } = call.params;
  const channel = fake.world.channel(channelId);
  const refusal = fake.refusalOf(channel.id);
  if (refusal) throw new SlackError(refusal);
  if (channel.isArchived) throw new SlackError('is_archived');
  const isIn = channel.members.has(installation.botUserId);
  const isPublic = channel.kind === 'channel' && installation.scopes.has('chat:write.public');
  if (!isIn && !isPublic)
    throw new SlackError(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
  if (threadTs !== undefined && !channel.messages.some(({ ts }) => ts === threadTs))
    throw new SlackError('thread_not_found');
  checkContent(String(text), blocks);
  const message = fake.world.addMessage(channel, {
    user: installation.botUserId,
    botId: installation.botId,
    text: String(text),
    ...(blocks === undefined ? {} : { blocks }),
    ...(typeof threadTs === 'string' ? { threadTs } : {}),
  });
  fake.posted(installation, channel, message);
  return { channel: channel.id, ts: message.ts, message: { type: 'message', text, ts: message.ts } };
}

/** Shares an uploaded file: only now people see it. */
function completeUpload({ fake, call, installation }: Request): Fields {
  const { files, channel_id: channelId, thread_ts: threadTs } = call.params;
  const [asked, ...others] = (Array.isArray(files) ? files : []) as { id?: unknown; title?: unknown }[];
  if (!asked || others.length > 0) throw new SlackError('invalid_arguments');
  const file = fake.world.takeUpload(String(asked.id), installation.token);
  const channel = fake.world.channel(channelId);
  const refusal = fake.refusalOf(channel.id);
  if (refusal) throw new SlackError(refusal);
  if (!channel.members.has(installation.botUserId)) throw new SlackError('channel_not_found');
  const message = fake.world.addMessage(channel, {
    user: installation.botUserId,
    botId: installation.botId,
    text: '',
    files: [fake.world.addFile(channel.teamId, file)],
    ...(typeof threadTs === 'string' ? { threadTs } : {}),
  });
  fake.posted(installation, channel, message);
  return { files: [{ id: asked.id, title: String(asked.title ?? '') }] };
}

function checkContent(text: string, blocks: unknown): void {
  if (text.length > maxText) throw new SlackError('msg_too_long');
  if (blocks === undefined) {
    if (text.trim() === '') throw new SlackError('no_text');
    return;
  }
  if (!Array.isArray(blocks)) throw new SlackError('invalid_blocks_format');
  const texts = blocks.map((block: { type?: unknown; text?: unknown; elements?: unknown }) => {
    const { type, text: words } = block;
    if (type === 'actions') return checkActions(block.elements);
    if (type !== 'markdown' || typeof words !== 'string' || words === '')
      throw new SlackError('invalid_blocks');
    return words.length;
  });
  if (texts.reduce((sum, units) => sum + units, 0) > maxBlockText)
    throw new SlackError('msg_blocks_too_long');
}

const maxElements = 25;
const maxButtonText = 75;
const maxButtonValue = 2000;
const maxActionId = 255;

/** The buttons of a block. They count nothing for the length of a message. */
function checkActions(elements: unknown): number {
  if (!Array.isArray(elements) || elements.length === 0 || elements.length > maxElements)
    throw new SlackError('invalid_blocks');
  for (const element of elements as Fields[]) {
    const { type, text } = (element.text ?? {}) as { type?: unknown; text?: unknown };
    const isFitting =
      element.type === 'button' &&
      type === 'plain_text' &&
      isWithin(text, maxButtonText) &&
      isWithin(element.action_id, maxActionId) &&
      (element.value === undefined || isWithin(element.value, maxButtonValue));
    if (!isFitting) throw new SlackError('invalid_blocks');
  }
  if (new Set(elements.map(({ action_id: id }: Fields) => id)).size < elements.length)
    throw new SlackError('invalid_blocks');
  return 0;
}

const isWithin = (text: unknown, most: number): boolean =>
  typeof text === 'string' && text !== '' && text.length <= most;

/** Exchanges the code of an approved installation, or a refresh token, for a token. */
export function exchange(apps: SlackApps, call: Call): Fields {
  const [clientId, clientSecret] = basicOf(call.headers.authorization);
  const { code, redirect_uri: redirectUri, grant_type: grantType, refresh_token: refreshToken } = call.params;
  if (grantType === 'refresh_token') {
    const app = [...apps.apps.values()].find((one) => one.clientId === clientId);
    if (!app) throw new SlackError('invalid_client_id');
    if (clientSecret !== app.clientSecret) throw new SlackError('bad_client_secret');
    const ofApp = apps.installations.filter((one) => one.app === app);
    return answerFor(useRefreshToken(ofApp, refreshToken));
  }
  const approval = apps.takeApproval(String(code));
  if (approval === 'used') throw new SlackError('code_already_used');
  if (!approval) throw new SlackError('invalid_code');
  const { installation } = approval;
  const { app } = installation;
  if (clientId !== app.clientId) throw new SlackError('invalid_client_id');
  if (clientSecret !== app.clientSecret) throw new SlackError('bad_client_secret');
  if (redirectUri !== approval.redirectUri) throw new SlackError('bad_redirect_uri');
  return answerFor(installation);
}

function answerFor(installation: Installation): Fields {
  const { app, teamId, enterpriseId, botUserId, scopes } = installation;
  return {
    app_id: app.appId,
    authed_user: { id: newId('U') },
    scope: [...scopes].join(','),
    token_type: 'bot',
    ...issue(installation),
    bot_user_id: botUserId,
    team: teamId === null ? null : { id: teamId, name: 'Workspace' },
    enterprise: enterpriseId === null ? null : { id: enterpriseId, name: 'Organization' },
    is_enterprise_install: teamId === null,
  };
}

const basicOf = (header: string | undefined): string[] =>
  Buffer.from((header ?? '').replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')
    .map(decodeURIComponent);
