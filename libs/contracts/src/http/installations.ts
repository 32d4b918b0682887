import { z } from 'zod';
import { moment } from './common.ts';

/**
 * Names of the cookie with the browser's secret of an installation. With https the name begins with `__Host-`, so that
 * no other host can set the cookie.
 */
export const installCookies = { secure: '__Host-botyard-install', local: 'botyard-install' } as const;

/** The time for allowing an installation at the platform. */
export const installSeconds = 600;

/** The address at which people come back from the platform. */
export const installPath = (platform: string): string => `/webhooks/${platform}/oauth`;

/** A name of no platform is not found, like any other missing thing in a path. */
export const InstallablePlatform = z.string().min(1).max(40).describe('The platform whose app is installed.');

export const Authorization = z
  .object({
    url: z
      .url()
      .describe(
        "The platform's page on which a person allows the installation. It has to be opened in the browser that " +
          'sent this request.',
      ),
    expiresAt: moment.describe('The time until which it has to be allowed.'),
  })
  .meta({
    id: 'Authorization',
    description: "An installation of Botyard's app at a platform that has begun.",
  });
