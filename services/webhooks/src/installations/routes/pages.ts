import type { ReturnWords } from '@botyard/shared/http/return-page';
import type { Ending } from '../domain/complete-installation.ts';

type Write = (platform: string, reason: string) => ReturnWords;

/** Each ending in words, with what to do next. No page says whose account it is. */
const writers: Readonly<Record<Ending['ending'], Write>> = {
  connected: (platform) => ({
    status: 200,
    title: 'Connected',
    text: `The bot is connected to ${platform}. Its page shows the new channel.`,
  }),
  cancelled: (platform) => ({
    status: 200,
    title: 'Nothing was connected',
    text: `The installation was cancelled at ${platform}. You can begin again on the bot's page.`,
  }),
  'account in use': (platform) => ({
    status: 409,
    title: 'This account is already in use',
    text: `What you chose at ${platform} is connected to another bot. Disconnect it there first, or choose another one.`,
  }),
  'bot not found': () => ({
    status: 404,
    title: 'The bot is gone',
    text: 'The bot was deleted in the meantime. Nothing was connected.',
  }),
  'not allowed': () => ({
    status: 403,
    title: 'You may not connect this bot',
    text: 'You no longer administer this bot. Nothing was connected. Ask an admin of the tenant.',
  }),
  refused: (platform, reason) => ({
    status: 422,
    title: `${platform} refused the installation`,
    text: `Nothing was connected. Begin again on the bot's page. The reason, for the operator: ${reason}.`,
  }),
  'platform failed': (platform, reason) => ({
    status: 503,
    title: `${platform} does not answer`,
    text: `Nothing was connected. Begin again on the bot's page in a few minutes. The reason: ${reason}.`,
  }),
  'not saved': () => ({
    status: 503,
    title: 'The connection may not be saved',
    text: "Look at the bot's page in a minute. If the channel isn't there, begin again.",
  }),
  unknown: () => ({
    status: 403,
    title: "This installation can't be completed",
    text:
      'It was begun in another browser or under another address, more than ten minutes ago, or it is over ' +
      'already. Open the bot in the console, in this browser, and begin again there.',
  }),
  unreadable: (platform) => ({
    status: 400,
    title: "This address isn't complete",
    text: `It is not an address to which ${platform} sends people. Open the bot in the console and begin again.`,
  }),
};

export const wordsOf = (ending: Ending, platform: string): ReturnWords =>
  writers[ending.ending](platform, 'reason' in ending ? ending.reason : '');

/** The page of the console to which it leads. */
export const pathOf = (ending: Ending): string =>
  'botId' in ending && ending.ending !== 'bot not found' ? `/bots/${ending.botId}` : '/bots';
