import { inRemark } from '../../../text/domain/remarks.ts';
import { type Fields, record, records, textOf } from '../../domain/fields.ts';

/** News of an account, of a number or of a template. */
export type AccountContent = AccountNews | { templates: true } | { ignored: string };

interface AccountNews {
  account: { state: 'removed' | 'restricted' | 'active'; reason: string };
  displayNumber?: string;
}

const maxUnits = 200;

/** Readers of the fields of a notification besides messages. */
export const accountFields: Readonly<Record<string, (value: Fields) => AccountContent>> = {
  account_update: readAccountUpdate,
  account_review_update: readReview,
  account_alerts: readAlert,
  phone_number_quality_update: readQuality,
  message_template_status_update: () => ({ templates: true }),
  message_template_components_update: () => ({ templates: true }),
  message_template_quality_update: () => ({ ignored: 'quality of a template' }),
  template_category_update: () => ({ templates: true }),
};

const removed = (reason: string): AccountNews => ({ account: { state: 'removed', reason } });
const restricted = (reason: string): AccountNews => ({ account: { state: 'restricted', reason } });
const active = (reason: string): AccountNews => ({ account: { state: 'active', reason } });

/** The events that say all by their name. */
const eventNews: Readonly<Record<string, AccountNews>> = {
  ACCOUNT_DELETED: removed('the WhatsApp Business account was deleted'),
  ACCOUNT_OFFBOARDED: removed('the number was disconnected from the Cloud API'),
  PARTNER_REMOVED: removed('the app was removed from the WhatsApp Business account'),
  PARTNER_APP_UNINSTALLED: removed('the app was removed from the WhatsApp Business account'),
  ACCOUNT_RECONNECTED: active('the number was connected again'),
  PARTNER_ADDED: active('the app was added to the WhatsApp Business account'),
};

function readAccountUpdate(value: Fields): AccountContent {
  const event = textOf(value.event);
  const news = eventNews[event];
  if (news !== undefined) return news;
  if (event === 'DISABLED_UPDATE') return readBan(record(value.ban_info));
  if (event === 'ACCOUNT_VIOLATION') {
    const kind = inRemark(textOf(record(value.violation_info)?.violation_type), maxUnits);
    return restricted(`WhatsApp reports a violation of its policy${kind ? `: ${kind}` : ''}`);
  }
  if (event !== 'ACCOUNT_RESTRICTION') return { ignored: 'news of the account' };
  const kinds = records(value.restriction_info).map(({ restriction_type: kind }) =>
    inRemark(textOf(kind), maxUnits),
  );
  return restricted(`WhatsApp restricts the account${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}`);
}

function readBan(ban: Fields | undefined): AccountContent {
  const state = textOf(ban?.waba_ban_state);
  if (state === 'REINSTATE') return active('WhatsApp lifted the ban of the account');
  const date = inRemark(textOf(ban?.waba_ban_date), maxUnits);
  return restricted(
    state === 'SCHEDULE_FOR_DISABLE'
      ? `WhatsApp will ban the account${date ? ` on ${date}` : ''}`
      : 'WhatsApp has banned the account',
  );
}

function readReview({ decision }: Fields): AccountContent {
  if (decision === 'APPROVED') return active('WhatsApp approved the account');
  return decision === 'REJECTED'
    ? restricted('WhatsApp rejected the account')
    : { ignored: 'news of the account' };
}

function readAlert(value: Fields): AccountContent {
  const alert = record(value.alert_info) ?? value;
  if (textOf(alert.alert_severity) !== 'CRITICAL' || textOf(alert.alert_status) === 'NONE')
    return { ignored: 'alert of the account' };
  return restricted(
    inRemark(textOf(alert.alert_description) || textOf(alert.alert_type), maxUnits) || 'alert',
  );
}

/** The quality of one number, which is named as people read it. */
function readQuality({ event, current_limit: limit, display_phone_number: number }: Fields): AccountContent {
  const tier = inRemark(textOf(limit), maxUnits);
  const suffix = tier ? ` (limit ${tier})` : '';
  const displayNumber = textOf(number).replace(/\D/g, '');
  switch (event) {
    case 'FLAGGED':
      return { ...restricted(`the quality of the number is low${suffix}`), displayNumber };
    case 'DOWNGRADE':
      return { ...restricted(`WhatsApp lowered the number's messaging limit${suffix}`), displayNumber };
    case 'UNFLAGGED':
    case 'UPGRADE':
      return { ...active(`the quality of the number is fine${suffix}`), displayNumber };
    default:
      return { ignored: 'news of the number' };
  }
}
