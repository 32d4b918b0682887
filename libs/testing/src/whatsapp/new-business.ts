import { randomBytes } from 'node:crypto';
import type { Account, App, PhoneNumber, Template } from './types.ts';

/** A business: its app, token, account and number. */
export type Business = { app: App; token: string; account: Account; number: PhoneNumber };

export type NewBusiness = {
  account?: Account;
  app?: App;
  number?: Partial<PhoneNumber>;
  token?: string;
  templates?: Template[];
};

export function newBusiness(change: NewBusiness, newId: () => string): Business {
  const app = change.app ?? {
    id: newId(),
    secret: randomBytes(16).toString('hex'),
    fields: new Set<string>(['messages', 'user_id_update']),
  };
  const account = change.account ?? { id: newId(), subscribed: new Map(), templates: change.templates ?? [] };
  const id = newId();
  const number: PhoneNumber = {
    id,
    accountId: account.id,
    display: `+49 30 ${id.slice(-7)}`,
    name: 'Acme',
    quality: 'GREEN',
    ...change.number,
  };
  return { app, account, number, token: change.token ?? `EAAG${randomBytes(24).toString('hex')}` };
}
