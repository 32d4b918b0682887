import type { ToolRequester } from '@botyard/contracts/http/integrations-tickets';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { serverOfToolkit } from '@botyard/contracts/http/tools';
import { withTenant } from '@botyard/shared/db/database';
import { isOfErased } from '../../../conversations/domain/said-by-erased.ts';
import { makeLink } from '../../../mcp/domain/links.ts';
import type { Grantee } from '../../../mcp/domain/usable-tool.ts';
import { getServer } from '../../../mcp/store/servers.ts';
import type { Deps } from '../../deps.ts';
import { peopleOf } from '../owners.ts';
import { permissionFor } from '../permission.ts';
import type { ExternalCall } from './call.ts';

/** The people that a call is made for, and whether somebody else is in their chat. */
interface AskedFor {
  requesters: readonly ToolRequester[];
  isPrivate: boolean;
}

const why = {
  group: 'it uses an account of a single person, and works in a private chat only',
  several: 'it uses an account of a single person, and these messages are from several',
  unproven: 'it uses an account of the person, and nothing proves who wrote this message',
  mail: 'it uses an account of the person, which they can connect in a chat, and not by mail',
};

/** The person whose own account a call may use: the proven and only sender in a private chat. */
export function granteeOf({ requesters, isPrivate }: AskedFor): Grantee {
  const [requester, another] = requesters;
  if (!isPrivate) return { reason: why.group };
  if (another) return { reason: why.several };
  if (!requester?.isProven) return { reason: why.unproven };
  if (platformCapabilities[requester.platform].usesAddresses) return { reason: why.mail };
  return { personId: requester.userId };
}

const sent =
  'it needs the account of the person, who has not connected it. A link for that is sent with your answer: ask them to ' +
  'open it, and to ask you again afterwards';

/** Sends the person a link, unless they may not make the call. Returns the words for the model. */
export async function offerLink(deps: Deps, { scene, tool }: ExternalCall): Promise<string> {
  const { tenantId, botId, agentId, requesters, links, said } = scene;
  const { toolkit, tool: name } = tool.settings;
  const [requester] = requesters;
  const serverId = serverOfToolkit(toolkit);
  if (!requester || !serverId) return why.unproven;
  const people = await peopleOf(deps, requesters);
  return await withTenant(deps.database, [tenantId], async (tx) => {
    if (await isOfErased(tx, said)) return 'the data of this person was erased';
    const permission = await permissionFor(tx, tenantId, { people, botId, agentId, toolkit, tool: name });
    if (permission.effect === 'deny') return permission.reason ?? 'the rules here do not allow it';
    const server = await getServer(tx, { tenantId, serverId });
    if (!server) return 'the server of this tool no longer exists';
    if (links.has(server.name)) return sent;
    const { userId: personId, platform, platformUserId, name: personName } = requester;
    const person = { personId, platform, platformUserId, name: personName };
    links.set(server.name, await makeLink(deps, tx, { tenantId, serverId, botId, person }));
    return sent;
  });
}
