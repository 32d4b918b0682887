import type { Case } from './attack.ts';
import { approvals } from './cases/approvals.ts';
import { locks, reads } from './cases/connections.ts';
import { documents } from './cases/documents.ts';
import { json } from './cases/json.ts';
import { mail } from './cases/mail.ts';
import { speakers } from './cases/speakers.ts';
import { strangers } from './cases/strangers.ts';
import { streams, trials } from './cases/streams.ts';
import type { CaseName } from './options.ts';

export const cases: Readonly<Record<CaseName, Case>> = {
  approvals,
  documents,
  json,
  locks,
  mail,
  reads,
  speakers,
  strangers,
  streams,
  trials,
};
