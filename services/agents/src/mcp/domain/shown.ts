import { withMoments } from '@botyard/contracts/http/common';
import type { ToolServer, ToolServerPerson } from '@botyard/contracts/http/integrations-servers';
import type { z } from 'zod';
import type { GrantRow } from '../store/server-grants.ts';
import type { ServerRow } from '../store/servers.ts';

/** A server for clients, without its secrets. */
export const toServer = ({
  headerName,
  clientId,
  usesOauth,
  sealedValue: _value,
  sealedClientSecret: _secret,
  issuer: _issuer,
  listTtlMs: _ttl,
  ...row
}: ServerRow): ToolServer =>
  withMoments({
    ...row,
    authorization: usesOauth
      ? { type: 'oauth' as const, ...(clientId === null ? {} : { clientId }) }
      : headerName === null
        ? { type: 'none' as const }
        : { type: 'header' as const, header: headerName },
  });

/** The account of a person, who has a name and a platform there. */
export const toServerPerson = ({
  personId,
  personName,
  platform,
  updatedAt,
}: GrantRow): z.input<typeof ToolServerPerson> => ({
  personId: personId!,
  name: personName!,
  platform: platform!,
  connectedAt: updatedAt.toISOString(),
});
