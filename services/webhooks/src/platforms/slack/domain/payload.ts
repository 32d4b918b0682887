import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { type Fields, record, records, textOf } from '../../domain/fields.ts';

/**
 * A delivery: what the platform sends to the one address for events (JSON), slash commands and presses of buttons (both
 * as forms).
 */
export type Payload =
  | { kind: 'challenge'; challenge: string }
  /** The platform checks the certificate of the address. */
  | { kind: 'check' }
  | { kind: 'event'; envelope: Fields; event: Fields }
  | { kind: 'command'; form: Fields }
  | { kind: 'press'; payload: Fields }
  | { kind: 'other'; name: string };

/** `null` if it isn't a body of the platform. Never throws. */
export function readPayload(bytes: Uint8Array): Payload | null {
  return bytes[0] === openingBrace ? readJson(bytes) : readForm(bytes);
}

const openingBrace = '{'.charCodeAt(0);
const maxFields = 100;

function readJson(bytes: Uint8Array): Payload | null {
  const body = record(tryParseForeignJson(bytes));
  if (!body) return null;
  const type = textOf(body.type);
  if (type === 'url_verification') return { kind: 'challenge', challenge: textOf(body.challenge) };
  if (type !== 'event_callback') return { kind: 'other', name: nameOf(type) };
  const event = record(body.event);
  return event ? { kind: 'event', envelope: body, event } : null;
}

function readForm(bytes: Uint8Array): Payload | null {
  const fields = new URLSearchParams(new TextDecoder().decode(bytes));
  const form = Object.fromEntries([...fields].slice(0, maxFields));
  if (form.payload !== undefined) {
    const payload = record(tryParseForeignJson(form.payload));
    if (!payload) return null;
    const type = textOf(payload.type);
    return type === 'block_actions' ? { kind: 'press', payload } : { kind: 'other', name: nameOf(type) };
  }
  if (form.command !== undefined) return { kind: 'command', form };
  return form.ssl_check === '1' ? { kind: 'check' } : null;
}

/** A kind as it may be counted: the platform's words, and nothing that a stranger can choose. */
const nameOf = (type: string): string => (/^[a-z_]{1,40}$/.test(type) ? type : 'unknown');

/**
 * The accounts that a delivery is for, as `appId/teamId` or `appId/enterpriseId`. An event says in `authorizations`
 * through which installation it is visible.
 */
export function accountIdsOf(payload: Payload): string[] {
  if (payload.kind === 'event') return accountsOfEvent(payload.envelope);
  const isFromForm = payload.kind === 'command';
  if (!isFromForm && payload.kind !== 'press') return [];
  const fields = isFromForm ? payload.form : payload.payload;
  const isOrgWide = String(fields.is_enterprise_install) === 'true';
  const teamId = isFromForm ? fields.team_id : record(fields.team)?.id;
  const enterpriseId = isFromForm ? fields.enterprise_id : record(fields.enterprise)?.id;
  return accounts(textOf(fields.api_app_id), [isOrgWide ? enterpriseId : teamId]);
}

function accountsOfEvent(envelope: Fields): string[] {
  const appId = textOf(envelope.api_app_id);
  const authorizations = records(envelope.authorizations, 100);
  const owners = authorizations.map(({ is_enterprise_install: isOrgWide, enterprise_id, team_id }) =>
    isOrgWide === true ? enterprise_id : team_id,
  );
  // An uninstalled app has no authorization any more.
  return accounts(appId, owners.length > 0 ? owners : [envelope.team_id, envelope.enterprise_id]);
}

const accounts = (appId: string, owners: readonly unknown[]): string[] => [
  ...new Set(
    owners
      .map(textOf)
      .filter((owner) => owner !== '' && appId !== '')
      .map((owner) => `${appId}/${owner}`),
  ),
];
