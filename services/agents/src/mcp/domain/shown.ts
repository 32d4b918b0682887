import { withMoments } from '@botyard/contracts/http/common';
import type { ToolServer } from '@botyard/contracts/http/integrations-servers';
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
    grantOf: 'tenant' as const,
  });
