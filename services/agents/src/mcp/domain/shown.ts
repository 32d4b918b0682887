import { withMoments } from '@botyard/contracts/http/common';
import type { ToolServer } from '@botyard/contracts/http/integrations-servers';
import type { ServerRow } from '../store/servers.ts';

/** A server for clients, without the value of its header. */
export const toServer = ({ headerName, sealedValue: _, ...row }: ServerRow): ToolServer =>
  withMoments({
    ...row,
    authorization:
      headerName === null ? ({ type: 'none' } as const) : ({ type: 'header', header: headerName } as const),
    grantOf: 'tenant' as const,
  });
