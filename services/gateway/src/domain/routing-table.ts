import type { Router, ServiceName } from '@botyard/contracts/http/contract';
import { installCookies } from '@botyard/contracts/http/installations';
import { oauthCallbackPath, oauthConnectPath, signInCookies } from '@botyard/contracts/http/oauth-client';
import { isPlatformPage } from './platform-pages.ts';
import { isUnder } from './request-target.ts';

/** The services behind the gateway. */
export const upstreamNames = [
  'tenancy',
  'keys',
  'usage',
  'webhooks',
  'agents',
] as const satisfies ServiceName[];
/** One of them. */
export type UpstreamName = (typeof upstreamNames)[number];

/** The destination of requests below a base path. */
export interface Destination {
  readonly basePath: string;
  readonly service: UpstreamName;
  /** Cookies that its routes may see. */
  readonly cookies: readonly string[];
}

/** Finds the destination with the longest base path that contains a path; `null` when no service serves it. */
export type RoutingTable = (path: string) => Destination | null;

const webhooks: Destination = {
  basePath: '/webhooks',
  service: 'webhooks',
  cookies: Object.values(installCookies),
};

/** People come here by links, and come back from the authorization servers of MCP servers. */
const signIns: Destination[] = [oauthCallbackPath, oauthConnectPath].map((basePath) => ({
  basePath,
  service: 'agents',
  cookies: Object.values(signInCookies),
}));

/** Derived from the contracts. Only webhooks and the pages of platforms, which have no router, are added. */
export function createRoutingTable(routers: readonly Router[]): RoutingTable {
  const destinations: Destination[] = [webhooks, ...signIns];
  for (const { basePath, service, cookies = [] } of routers) {
    if (service !== 'gateway') destinations.push({ basePath: basePath.toLowerCase(), service, cookies });
  }
  destinations.sort((a, b) => b.basePath.length - a.basePath.length);
  return (path) =>
    destinations.find(({ basePath }) => isUnder(path, basePath)) ?? (isPlatformPage(path) ? webhooks : null);
}
