import { inRemark, remark } from '../../../text/domain/remarks.ts';
import { type Fields, numberOf, record, records, textOf } from '../../domain/fields.ts';

/** Content of a message that is neither the person's text nor a file, in words for an agent. */
const wordsOfKind: Readonly<Record<string, (content: Fields) => string | undefined>> = {
  location: ({ name, address, latitude, longitude }) =>
    remark('place', textOf(name), textOf(address), numberOf(latitude), numberOf(longitude)),
  reaction: ({ emoji }) => remark('reaction', textOf(emoji)),
  order: orderWords,
};

/** The most contacts of a message that are shown. */
const maxContacts = 20;

/** The words of a message's content that is no text; `undefined` if it has none. */
export function contentWords(type: string, message: Fields): string | undefined {
  if (type === 'contacts') return contactsWords(message.contacts);
  if (type === 'interactive') return formWords(record(message.interactive));
  const content = record(message[type]);
  return content && wordsOfKind[type]?.(content);
}

/** The words of the person: their text, the label of the button that they pressed, or the caption of their file. */
export function saidIn(type: string, message: Fields): string {
  if (type === 'text') return textOf(record(message.text)?.body);
  if (type === 'button') return textOf(record(message.button)?.text);
  if (type !== 'interactive') return textOf(record(message[type])?.caption);
  const interactive = record(message.interactive);
  return textOf(record(interactive?.button_reply)?.title) || wordsOfRow(record(interactive?.list_reply));
}

/** The title of a row in a list, or the whole of it from below if it was cut. */
function wordsOfRow(row: Fields | undefined): string {
  const title = textOf(row?.title);
  const whole = textOf(row?.description);
  const isCut = title.endsWith('…') && whole.startsWith(title.slice(0, -1));
  return isCut ? whole : title;
}

function contactsWords(contacts: unknown): string | undefined {
  const shown = records(contacts)
    .slice(0, maxContacts)
    .map(({ name, phones, emails, org }) =>
      remark(
        'contact',
        textOf(record(name)?.formatted_name) || textOf(record(name)?.first_name),
        textOf(record(org)?.company),
        ...records(phones).map(({ phone, wa_id: digits }) => textOf(phone) || textOf(digits)),
        ...records(emails).map(({ email }) => textOf(email)),
      ),
    );
  return shown.length === 0 ? undefined : shown.join('\n');
}

/** The answer to a form (a "flow"), which the platform gives as JSON. */
function formWords(interactive: Fields | undefined): string | undefined {
  const form = record(interactive?.nfm_reply);
  if (!form) return undefined;
  const said = inRemark(textOf(form.response_json) || textOf(form.body), maxFormUnits);
  return `[form: ${said.replaceAll(/[[\]]/g, ' ')}]`;
}

const maxFormUnits = 4000;

function orderWords({ text, product_items: items }: Fields): string {
  const products = records(items)
    .slice(0, maxContacts)
    .map(
      ({ product_retailer_id: id, quantity, item_price: price, currency }) =>
        `${numberOf(quantity) ?? '?'} × ${textOf(id)} at ${numberOf(price) ?? '?'} ${textOf(currency)}`,
    );
  return remark('order', ...products, textOf(text));
}

/** Remarks about where a message comes from and what it refers to, one a line. */
export function referencesOf(type: string, { context, referral, from }: Fields): string[] {
  const quoted = record(context);
  const product = record(quoted?.referred_product);
  return [
    forwardedWords(quoted),
    // A pressed button or a product names its message, too, and says what it is about.
    isReply(type) && !product && quoted ? replyWords(quoted, textOf(from)) : undefined,
    product && remark('about the product', textOf(product.product_retailer_id)),
    referralWords(record(referral)),
  ].filter((one) => one !== undefined);
}

function forwardedWords(context: Fields | undefined): string | undefined {
  if (context?.frequently_forwarded === true) return '[forwarded many times]';
  return context?.forwarded === true ? '[forwarded]' : undefined;
}

const isReply = (type: string): boolean => type !== 'interactive' && type !== 'button';

/** The platform tells the identifier and the author of the message that was replied to, but not its words. */
function replyWords({ id, from }: Fields, senderPhone: string): string | undefined {
  if (textOf(id) === '') return undefined;
  const isOwn = senderPhone !== '' && textOf(from) === senderPhone;
  return isOwn ? '[in reply to an earlier message of their own]' : '[in reply to an earlier message]';
}

function referralWords(referral: Fields | undefined): string | undefined {
  if (!referral) return undefined;
  const kind = textOf(referral.source_type) === 'post' ? 'came from the post' : 'came from the ad';
  return remark(kind, textOf(referral.headline), textOf(referral.body), textOf(referral.source_url));
}
