import type { Case } from './attack.ts';
import { locks, reads } from './cases/connections.ts';
import { json } from './cases/json.ts';
import { mail } from './cases/mail.ts';
import { strangers } from './cases/strangers.ts';
import { streams, trials } from './cases/streams.ts';
import type { CaseName } from './options.ts';

export const cases: Readonly<Record<CaseName, Case>> = {
  json,
  locks,
  mail,
  reads,
  strangers,
  streams,
  trials,
};
