import type { Say } from '@botyard/words/words';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { requestersOf } from '../../external-tools/domain/calls/call.ts';
import { granteeOf } from '../../external-tools/domain/calls/own-account.ts';
import { confirmAccount, disconnectAccounts } from '../../mcp/domain/own-accounts.ts';
import type { Deps } from '../deps.ts';

/** An answer with the links by which its person connects accounts. The model never sees their addresses before. */
export const withLinks = (text: string, links: ReadonlyMap<string, string>, say: Say): string =>
  [text, ...[...links].map(([server, url]) => say('account_link', { server, url }))].join('\n\n');

/**
 * Runs the commands by which a person confirms, with the code of the sign-in, that an account is theirs, and
 * disconnects their accounts. Resolves with the reply; `undefined` for another command, and for people who may have no
 * account here.
 */
export async function runAccountCommand(
  deps: Deps,
  { tenantId, platform, place }: ClaimedConversation,
  { turn, say }: { turn: readonly SaidRow[]; say: Say },
): Promise<string | undefined> {
  const command = turn[0]?.command;
  if (!deps.config.TOOL_INTEGRATIONS_ENABLED || !command) return undefined;
  if (command.name !== 'connect' && command.name !== 'disconnect') return undefined;
  const requesters = requestersOf(platform, turn);
  const grantee = granteeOf({ requesters, isPrivate: place.kind === 'private' });
  if ('reason' in grantee) return undefined;
  const person = { tenantId, personId: grantee.personId };
  if (command.name === 'disconnect') {
    await disconnectAccounts(deps, person);
    return say('accounts_disconnected');
  }
  const server = await confirmAccount(deps, person, command.argument.trim());
  return server === undefined ? say('account_code_wrong') : say('account_connected', { server });
}
