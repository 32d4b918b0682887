import { randomBytes } from 'node:crypto';
import type { beginInstallation as request } from '@botyard/contracts/events/webhook-accounts';
import { installPath, installSeconds } from '@botyard/contracts/http/installations';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { insertInstallation } from '../store/installations.ts';
import { hashOf } from './hash.ts';

type Answer = z.input<(typeof request)['response']>;

/**
 * Begins an installation: its state comes back from the platform, once, within ten minutes, and in the browser that
 * the hash names.
 */
export async function beginInstallation(
  { database, platforms, publicBaseUrl }: Pick<Deps, 'database' | 'platforms' | 'publicBaseUrl'>,
  { tenantId, botId, platform, identity, browserHash }: z.output<(typeof request)['request']>,
): Promise<Answer> {
  const { installer } = platforms[platform];
  if (!installer) return { outcome: 'refused', reason: withoutApp(platformDefinitions[platform].title) };
  const state = randomBytes(32).toString('base64url');
  const expiresAt = await withTenant(database, [tenantId], (tx) =>
    insertInstallation(tx, {
      tenantId,
      stateHash: hashOf(state),
      browserHash,
      botId,
      platform,
      identity,
      seconds: installSeconds,
    }),
  );
  const url = installer.authorizeUrl(`${publicBaseUrl}${installPath(platform)}`, state);
  return { outcome: 'begun', url, expiresAt: expiresAt.toISOString() };
}

const withoutApp = (title: string): string =>
  `no app for ${title} is set up here: the operator can add one, and the credentials of an app of your own work as well`;
