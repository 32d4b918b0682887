/** Payloads as the platform sends them. */
import type { Installation, SlackChannel, SlackFile, SlackMessage, SlackPerson } from './types.ts';
import { newId } from './world.ts';

export type Fields = Record<string, unknown>;

/** The body of an event for one installation. */
export function envelope(
  { app, teamId, enterpriseId, botUserId }: Installation,
  event: Fields,
  {
    ofTeam,
    eventId = newId('Ev'),
    isShared = false,
  }: { ofTeam: string; eventId?: string; isShared?: boolean },
): Fields {
  return {
    token: 'deprecated',
    team_id: ofTeam,
    context_team_id: ofTeam,
    context_enterprise_id: enterpriseId,
    api_app_id: app.appId,
    event,
    type: 'event_callback',
    event_id: eventId,
    event_time: Math.floor(Date.now() / 1000),
    authorizations: [
      {
        enterprise_id: enterpriseId,
        team_id: teamId ?? ofTeam,
        user_id: botUserId,
        is_bot: true,
        is_enterprise_install: teamId === null,
      },
    ],
    is_ext_shared_channel: isShared,
    event_context: `4-${newId('X')}`,
  };
}

export const messageEvent = (channel: SlackChannel, message: SlackMessage): Fields => ({
  type: 'message',
  ...messageFields(message),
  channel: channel.id,
  channel_type: channel.kind,
  event_ts: message.ts,
});

/** A reaction that was added or taken back. It names the message, but not its thread. */
export const reactionEvent = (
  type: 'reaction_added' | 'reaction_removed',
  { channel, person, message, reaction, eventTs }: Reacting & { eventTs: string },
): Fields => ({
  type,
  user: person.id,
  reaction,
  ...(message.user ? { item_user: message.user } : {}),
  item: { type: 'message', channel: channel.id, ts: message.ts },
  event_ts: eventTs,
});

export interface Reacting {
  channel: SlackChannel;
  person: Pick<SlackPerson, 'id'>;
  message: SlackMessage;
  /** Such as `+1` or `+1::skin-tone-3`. */
  reaction: string;
}

export function messageFields(message: SlackMessage): Fields {
  const { user, botId, text, ts, threadTs, files, editedTs, blocks } = message;
  return {
    ...(user ? { user } : {}),
    ...(botId ? { bot_id: botId, subtype: 'bot_message' } : { client_msg_id: clientIdOf(message) }),
    ...(files ? { subtype: 'file_share', files: files.map(fileFields) } : {}),
    ...(blocks ? { blocks } : {}),
    ...(threadTs ? { thread_ts: threadTs } : {}),
    ...(editedTs ? { edited: { user, ts: editedTs } } : {}),
    text,
    ts,
  };
}

/** Made by the app of the person, and the same when it sends a message again. */
export const clientIdOf = ({ ts }: SlackMessage): string => {
  const digits = ts.replace('.', '').padStart(20, '0');
  return `00000000-0000-4000-${digits.slice(4, 8)}-${digits.slice(8)}`;
};

const fileFields = (file: SlackFile): Fields =>
  file.isOfAnother
    ? { id: file.id, file_access: 'check_file_info', mode: 'file_access' }
    : {
        id: file.id,
        name: file.name,
        title: file.name,
        mimetype: file.mimetype,
        size: file.content.length,
        mode: 'hosted',
        ...(file.subtype ? { subtype: file.subtype } : {}),
      };

/** The form of a slash command. */
export const commandForm = (
  { app, teamId, enterpriseId }: Installation,
  {
    channel,
    person,
    command,
    text,
  }: { channel: SlackChannel; person: SlackPerson; command: string; text: string },
): string =>
  new URLSearchParams({
    token: 'deprecated',
    team_id: channel.teamId,
    ...(enterpriseId ? { enterprise_id: enterpriseId } : {}),
    channel_id: channel.id,
    channel_name: channel.kind === 'im' ? 'directmessage' : channel.name,
    user_id: person.id,
    user_name: person.name,
    command,
    text,
    api_app_id: app.appId,
    is_enterprise_install: String(teamId === null),
    response_url: 'https://hooks.slack.com/commands/unused',
    trigger_id: triggerId(),
  }).toString();

const triggerId = (): string => `${Date.now()}.${newId('').slice(1)}.${newId('').slice(1).toLowerCase()}`;

/** The labels of the buttons under a message. */
export const buttonsUnder = ({ blocks }: Pick<SlackMessage, 'blocks'>): string[] =>
  ((blocks ?? []) as { elements?: { text: { text: string } }[] }[])
    .flatMap(({ elements = [] }) => elements)
    .map(({ text }) => text.text);

/** The form of a press of a button. */
export const pressForm = (
  { app, teamId, enterpriseId, botId }: Installation,
  {
    channel,
    person,
    message,
    label,
  }: { channel: SlackChannel; person: SlackPerson; message: SlackMessage; label: string },
): string =>
  new URLSearchParams({
    payload: JSON.stringify({
      type: 'block_actions',
      user: { id: person.id, username: person.name, team_id: person.teamId },
      api_app_id: app.appId,
      container: {
        type: 'message',
        message_ts: message.ts,
        channel_id: channel.id,
        is_ephemeral: false,
        ...(message.threadTs ? { thread_ts: message.threadTs } : {}),
      },
      trigger_id: triggerId(),
      team: { id: channel.teamId },
      enterprise: enterpriseId ? { id: enterpriseId } : null,
      is_enterprise_install: teamId === null,
      channel: { id: channel.id, name: channel.name },
      message: { type: 'message', bot_id: botId, text: message.text, ts: message.ts },
      actions: [
        {
          action_id: 'choice',
          block_id: 'b',
          text: { type: 'plain_text', text: label },
          value: label,
          type: 'button',
          action_ts: message.ts,
        },
      ],
    }),
  }).toString();
