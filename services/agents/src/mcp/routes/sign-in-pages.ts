import type { ReturnWords } from '@botyard/shared/http/return-page';
import type { Ending } from '../domain/complete-sign-in.ts';

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
    case 'unknown':
      return {
        status: 403,
        title: "This sign-in can't be completed",
        text:
          'It was begun in another browser or under another address, more than ten minutes ago, or it is over ' +
          'already. Open the server in the console, in this browser, and sign in again.',
      };
    case 'unreadable':
      return {
        status: 400,
        title: "This address isn't complete",
        text: 'It is not an address to which an authorization server sends people. Begin again in the console.',
      };
  }
}

/** The page of the console to which it leads. */
export const pathOf = (ending: Ending): string =>
  'serverId' in ending ? `/agents/servers/${ending.serverId}` : '/agents/servers';
