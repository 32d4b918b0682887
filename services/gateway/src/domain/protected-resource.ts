import { type GatewayConfig, publicUrlOf } from '../config.ts';
import { scopes } from './access-token.ts';

/** The path that RFC 9728 derives from the resource's own, `/api/mcp`. */
export const metadataPath = '/.well-known/oauth-protected-resource/api/mcp';

/** Where the MCP server's clients get access tokens (RFC 9728). */
export interface ProtectedResource {
  metadataUrl: string;
  metadata: Readonly<Record<string, unknown>>;
}

export function protectedResourceOf(config: GatewayConfig): ProtectedResource | null {
  if (!config.IDP_ACCESS_TOKENS || !config.IDP_ISSUER) return null;
  const publicUrl = publicUrlOf(config);
  return {
    metadataUrl: `${publicUrl}${metadataPath}`,
    metadata: {
      resource: `${publicUrl}/api/mcp`,
      authorization_servers: [config.IDP_ISSUER],
      scopes_supported: Object.values(scopes),
      bearer_methods_supported: ['header'],
      resource_name: 'Botyard',
    },
  };
}
