import { remark, withoutRemarks } from '../../../text/domain/remarks.ts';
import { type Fields, record, records, textOf } from '../../domain/fields.ts';
import { textOfBlocks } from './blocks.ts';

/** Names of people and channels, by their identifiers. */
export interface Names {
  person(userId: string): string;
  channel(channelId: string): string;
  /** The details of the sender of a message. */
  details(userId: string): PersonDetails;
}

export interface PersonDetails {
  name: string;
  username?: string;
  /** The language of the person's app, such as `en-US`. */
  language?: string;
}

/** The platform allows 40,000 characters. */
const maxUnits = 16_384;
const maxUnitsOfShared = 4000;

/** A reference in a text: a person, a channel, a group, a date or an address, with an optional label. */
const references = /<([@#!])?([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>/g;

/**
 * A person's text as people read it: names instead of identifiers, links as `words (address)`, and the three characters
 * that the platform escapes. Lines in square brackets begin with a backslash, so that nobody can fake a remark.
 */
export const plainText = (mrkdwn: string, names: Names): string =>
  withoutRemarks(
    withoutEscapes(
      mrkdwn
        .slice(0, maxUnits)
        .replace(references, (_whole, mark: string | undefined, target: string, label: string | undefined) =>
          wordsOf({ mark, target, label }, names),
        ),
    ),
  );

interface Reference {
  mark: string | undefined;
  target: string;
  label: string | undefined;
}

function wordsOf({ mark, target, label }: Reference, names: Names): string {
  switch (mark) {
    case '@':
      return `@${label || names.person(target)}`;
    case '#':
      return `#${label || names.channel(target)}`;
    case '!':
      return special(target, label);
    default:
      return link(target, label);
  }
}

/** `here`, `subteam^S1`, `date^1392734382^{date}^https://…`. */
function special(target: string, label: string | undefined): string {
  if (target.startsWith('subteam^') || target.startsWith('date^')) return label ?? target;
  return `@${label ?? target}`;
}

function link(target: string, label: string | undefined): string {
  const address = target.replace(/^(?:mailto|tel):/, '');
  return label === undefined || label === address || label === target ? address : `${label} (${address})`;
}

const withoutEscapes = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Messages that the person shares with theirs, each with its author. Previews of links are left out. */
export const sharedMessages = (attachments: unknown, names: Names): string[] =>
  records(attachments, 10)
    .filter(isShared)
    .map((shared) =>
      [remark('forwarded from', textOf(shared.author_name)), sharedText(sourceOf(shared), names)]
        .filter((line) => line !== '')
        .join('\n'),
    );

/** Messages of apps may have words in their blocks only. */
const sourceOf = ({ text, message_blocks: messages, fallback }: Fields): string =>
  textOf(text) ||
  records(messages, 10)
    .map(({ message }) => textOfBlocks(record(message)?.blocks))
    .filter((words) => words !== '')
    .join('\n') ||
  textOf(fallback);

const isShared = ({ is_share: isShare, is_msg_unfurl: isMessage }: Fields): boolean =>
  isShare === true || isMessage === true;

const sharedText = (text: string, names: Names): string => plainText(text.slice(0, maxUnitsOfShared), names);
