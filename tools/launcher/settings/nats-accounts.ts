import { natsAccounts, operator } from '@botyard/shared/bus/accounts';
import type { Secrets } from './secrets.ts';

/** The accounts of an installation's nats-server with their passwords, and the operator's login. */
export function accountsOf(
  namespace: string,
  { nats }: Pick<Secrets, 'nats'>,
  limits: { filesMaxBytes: number; replicas: number },
): { config: Record<string, object>; login: { user: string; password: string } } {
  const passwordOf = (user: string) => nats[user] ?? '';
  return {
    config: natsAccounts({ namespace, passwordOf, ...limits }),
    login: { user: operator, password: passwordOf(operator) },
  };
}
