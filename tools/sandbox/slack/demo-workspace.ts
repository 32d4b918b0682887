/** The sandbox's workspace: two people, two channels, and one app, whose credentials stay the same. */
import type { FakeSlack } from '@botyard/testing/fake-slack';
import type { Installation, SlackMessage } from '@botyard/testing/slack/types';

const teamId = 'T0SANDBOX';
const bot = { botUserId: 'U0BOTYARD', botId: 'B0BOTYARD' };
const people = [
  { id: 'U0ANNA', name: 'anna', displayName: 'Anna', locale: 'en-US' },
  { id: 'U0BENEDIKT', name: 'ben', displayName: 'Benedikt', locale: 'de-DE' },
];

/** Adds the workspace to a fresh fake, with the app installed and the bot in its channels. */
export function addWorkspace(slack: FakeSlack): Installation {
  const { world, apps } = slack;
  world.addTeam(teamId);
  const app = apps.add({
    appId: 'A0SANDBOX',
    clientId: '0.sandbox',
    clientSecret: 'sandbox-client-secret',
    signingSecret: 'sandbox-signing-secret',
    // Any address: who installs it by OAuth is on this machine.
    redirectUrls: ['http://', 'https://'],
  });
  const installation = apps.install(app, { teamId }, { ...bot, token: 'xoxb-sandbox' });
  for (const person of people) {
    world.addPerson(teamId, person);
    world.addChannel(teamId, {
      id: person.id.replace('U', 'D'),
      name: 'directmessage',
      kind: 'im',
      members: [person.id, bot.botUserId],
    });
  }
  // The sandbox plays the operator as well, who would enter the app's address on its page.
  apps.onApproved = (one, redirectUri) => {
    connectTo(apps, one, new URL('/webhooks/slack', redirectUri).href);
    world.changed();
  };
  const members = [...people.map(({ id }) => id), bot.botUserId];
  for (const name of ['general', 'support'])
    world.addChannel(teamId, { id: `C0${name.toUpperCase()}`, name, members });
  return installation;
}

/** The part of the workspace that a sandbox keeps. */
export interface SlackState {
  requestUrl: string | undefined;
  isRevoked: boolean;
  messages: Record<string, SlackMessage[]>;
}

const maxKept = 500;

export function exportSlack({ world, apps }: FakeSlack): SlackState {
  const [installation] = apps.installations;
  return {
    requestUrl: installation?.app.requestUrl,
    isRevoked: installation?.isRevoked ?? false,
    messages: Object.fromEntries(
      [...world.channels.values()].map(({ id, messages }) => [
        id,
        // Files are not kept.
        messages.slice(-maxKept).map(({ files: _files, ...message }) => message),
      ]),
    ),
  };
}

export function importSlack({ world, apps }: FakeSlack, state: SlackState): void {
  const [installation] = apps.installations;
  if (installation && typeof state.requestUrl === 'string') {
    connectTo(apps, installation, state.requestUrl);
    installation.isRevoked = state.isRevoked === true;
  }
  for (const [id, messages] of Object.entries(state.messages ?? {}))
    if (Array.isArray(messages)) world.channels.get(id)?.messages.push(...messages);
}

/** The app's one address is for events, commands and presses. */
export function connectTo(apps: FakeSlack['apps'], { app }: Installation, url: string): void {
  app.requestUrl = url;
  app.interactivityUrl = url;
  apps.subscribe(app);
}
