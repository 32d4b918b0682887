import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether a delivery contains the endpoint's secret (REQ-HOOK-1). The neutral and the platform's own header are both
 * accepted; if both are present, both must match. Hashes are compared, so that the secret's length isn't revealed.
 */
export function showsSecret(
  presented: readonly (string | undefined)[],
  accepted: readonly Buffer[],
  options: { isProduction: boolean },
): boolean {
  if (accepted.length === 0) return !options.isProduction;
  const presentedSecrets = presented.filter((secret) => secret !== undefined);
  return presentedSecrets.length > 0 && presentedSecrets.every((secret) => matchesOne(secret, accepted));
}

function matchesOne(secret: string, accepted: readonly Buffer[]): boolean {
  const hash = createHash('sha256').update(secret).digest();
  let matches = false;
  for (const expected of accepted) matches = timingSafeEqual(hash, expected) || matches;
  return matches;
}
