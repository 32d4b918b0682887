/** The page's API for Slack, under `/slack`. */
import type { Answer } from '@botyard/testing/fake/fake-server';
import type { FakeSlack } from '@botyard/testing/fake-slack';
import { buttonsUnder } from '@botyard/testing/slack/events';
import type { Installation, SlackChannel, SlackPerson } from '@botyard/testing/slack/types';
import { Refusal } from '../chats/actions.ts';
import type { ApiRequest } from '../chats/routes.ts';
import { connectTo } from './demo-workspace.ts';

/** Resolves with `undefined` if the path is not one of Slack. */
export async function answerSlack(
  slack: FakeSlack | undefined,
  { method, path, body }: ApiRequest,
): Promise<Answer | undefined> {
  if (path !== '/slack' && !path.startsWith('/slack/')) return undefined;
  const installation = slack?.apps.installations[0];
  if (!slack || !installation) return { status: 404, body: { error: 'the sandbox Slack is not running' } };
  try {
    if (path === '/slack' && method === 'GET') return { status: 200, body: workspace(slack, installation) };
    const action = method === 'POST' ? actions[path.slice('/slack/'.length)] : undefined;
    if (!action) return { status: 404, body: { error: 'not found' } };
    await action(slack, installation, body);
    return { status: 201, body: {} };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { error: error.message } };
    throw error;
  }
}

type Body = ApiRequest['body'];
type Action = (slack: FakeSlack, installation: Installation, body: Body) => void | Promise<void>;

const actions: Readonly<Record<string, Action>> = {
  /** Verifies the address, as the app's page does it. */
  address: async (slack, installation, { url }) => {
    if (typeof url !== 'string' || !URL.canParse(url)) throw new Refusal(400, 'send { url }');
    try {
      await slack.apps.setRequestUrl(installation.app, url);
    } catch (error) {
      throw new Refusal(422, (error as Error).message);
    }
    connectTo(slack.apps, installation, url);
    slack.world.changed();
  },
  messages: (slack, installation, body) => {
    const { channel, person } = placeOf(slack, body);
    checkConnected(installation);
    const { text, threadTs } = body;
    if (typeof text !== 'string' || text.trim() === '')
      throw new Refusal(400, 'send { channelId, personId, text }');
    slack.say({ channel, person, text, ...(typeof threadTs === 'string' ? { threadTs } : {}) });
  },
  commands: (slack, installation, body) => {
    const { channel, person } = placeOf(slack, body);
    checkConnected(installation);
    slack.command(installation, { channel, person, command: '/botyard', text: String(body.text ?? '') });
  },
  presses: (slack, installation, body) => {
    const { channel, person } = placeOf(slack, body);
    checkConnected(installation);
    const message = channel.messages.find(({ ts }) => ts === body.ts);
    const label = String(body.label);
    if (!message || !buttonsUnder(message).includes(label))
      throw new Refusal(404, 'there is no such button under this message');
    slack.press(installation, { channel, person, message, label });
  },
  reactions: (slack, installation, body) => {
    const { channel, person } = placeOf(slack, body);
    checkConnected(installation);
    const message = channel.messages.find(({ ts }) => ts === body.ts);
    const { reaction, isAdded } = body;
    if (!message || (reaction !== '+1' && reaction !== '-1') || typeof isAdded !== 'boolean')
      throw new Refusal(400, 'send { channelId, personId, ts, reaction: "+1" or "-1", isAdded }');
    slack.react({ channel, person, message, reaction }, isAdded);
  },
  uninstall: (slack, installation) => {
    checkConnected(installation);
    slack.uninstall(installation, ['tokens_revoked', 'app_uninstalled']);
    slack.world.changed();
  },
  install: (slack, installation) => {
    installation.isRevoked = false;
    slack.world.changed();
  },
};

function checkConnected({ app, isRevoked }: Installation): void {
  if (app.requestUrl === undefined) throw new Refusal(409, 'the app has no verified address yet');
  if (isRevoked) throw new Refusal(409, 'the app was removed from the workspace');
}

function placeOf(
  { world }: FakeSlack,
  { channelId, personId }: Body,
): { channel: SlackChannel; person: SlackPerson } {
  const channel = world.channels.get(String(channelId));
  const person = world.people.get(String(personId));
  if (!channel || !person || !channel.members.has(person.id))
    throw new Refusal(404, 'there is no such person in this channel');
  return { channel, person };
}

const maxShown = 200;

function workspace(
  { world }: FakeSlack,
  { app, token, botUserId, isRevoked }: Installation,
): Record<string, unknown> {
  const isBot = ({ id }: SlackPerson) => id === botUserId;
  return {
    app: {
      botToken: token,
      signingSecret: app.signingSecret,
      requestUrl: app.requestUrl ?? null,
      botUserId,
      isRevoked,
    },
    people: [...world.people.values()]
      .filter((person) => !isBot(person))
      .map(({ id, displayName }) => ({ id, name: displayName })),
    channels: [...world.channels.values()].map(({ id, name, kind, members, messages }) => ({
      id,
      name,
      kind,
      members: [...members],
      messages: messages.slice(-maxShown).map(({ ts, user, text, threadTs, blocks, reactions = {} }) => ({
        ts,
        user,
        threadTs,
        text: markdownOf(blocks) ?? text,
        buttons: buttonsUnder({ blocks }),
        reactions,
      })),
    })),
  };
}

const markdownOf = (blocks: unknown): string | undefined =>
  Array.isArray(blocks) ? blocks.flatMap(({ text }: { text?: unknown }) => text ?? []).join('\n') : undefined;
