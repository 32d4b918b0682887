import type { HttpError } from '@botyard/shared/http/errors';
import type { NextStep, ReturnWords } from '@botyard/shared/http/return-page';
import type { Ending } from '../domain/ending.ts';
import type { LinkView } from '../domain/links.ts';

const again = 'Nothing was stored. Open the server in the console and sign in again.';

/** Each ending in words, with what to do next. */
export function wordsOf(ending: Ending): ReturnWords {
  switch (ending.ending) {
    case 'signed in':
      return {
        status: 200,
        title: 'Signed in',
        text: 'Go back to the console and read the tools of the server.',
      };
    case 'cancelled':
      return {
        status: 200,
        title: 'Nothing was stored',
        text: 'The sign-in was cancelled. You can begin again.',
      };
    case 'changed':
      return { status: 409, title: 'The server was changed meanwhile', text: again };
    case 'not allowed':
      return {
        status: 403,
        title: 'You may not sign in to this server',
        text: 'You are no longer an admin of the tenant. Nothing was stored.',
      };
    case 'refused':
      return {
        status: 422,
        title: 'The sign-in was refused',
        text: `${again} The reason: ${ending.reason}.`,
      };
    case 'no answer':
      return {
        status: 503,
        title: 'There is no usable answer',
        text: `${again} The reason: ${ending.reason}.`,
      };
    case 'to confirm': {
      const { bot, person, server } = ending;
      const text = [
        `You have signed in to ${server}. It is not connected yet: send the following to ${bot}, in the chat in which ` +
          `${person} got the link, within ten minutes.`,
        `Are you not ${person}, or did somebody send you the link? Then close this page. Give the code to nobody: ` +
          'whoever sends it lets the bot use the account with which you have just signed in.',
      ];
      return { status: 200, title: 'One more step', text: text.join('\n') };
    }
    case 'link over':
      return linkOver;
    case 'link refused':
      return { status: 422, title: 'The sign-in was not completed', text: `${ending.reason} ${askAgain}` };
    case 'unknown':
      return {
        status: 403,
        title: "This sign-in can't be completed",
        text:
          'It was begun in another browser or under another address, more than ten minutes ago, or it is over ' +
          'already. Begin again in this browser: in the console, or by another link that the bot sends you.',
      };
    case 'unreadable':
      return {
        status: 400,
        title: "This address isn't complete",
        text: 'It is not an address to which an authorization server sends people. Begin again.',
      };
  }
}

/** The next step: an admin goes back to the console, and a person to their chat. */
export function nextStepOf(ending: Ending): NextStep {
  if (ending.ending === 'to confirm') return { type: 'text', words: `/connect ${ending.code}` };
  if (ending.ending === 'link over' || ending.ending === 'link refused') return undefined;
  const href = 'serverId' in ending ? `/agents/servers/${ending.serverId}` : '/agents/servers';
  return { type: 'link', words: 'Back to the console', href };
}

const askAgain = 'Nothing was connected. Ask the bot again, and it sends you another link.';

/** The page of a link before its person signs in. */
export function wordsOfLink({ bot, person, server, host }: LinkView): ReturnWords {
  const text = [
    `The bot ${bot} asks for access to the account of ${person} at ${server}, which is ` +
      `at ${host}. It then uses the account for ${person} alone, when they ask for it.`,
    `Go on only if you are ${person} and have asked ${bot} for this yourself. After you have signed in, you get a code ` +
      'to send in your chat with the bot.',
  ];
  return { status: 200, title: `Connect your account at ${server}`, text: text.join('\n') };
}

export const linkOver: ReturnWords = {
  status: 410,
  title: 'This link is over',
  text: 'It works once, and for ten minutes. Ask the bot again, and it sends you another link.',
};

export const linkFailed = ({ status, message }: HttpError): ReturnWords => ({
  status,
  title: 'The sign-in could not begin',
  text: `${askAgain}\nThe reason: ${message}.`,
});
