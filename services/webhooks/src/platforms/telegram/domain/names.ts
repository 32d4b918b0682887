import { cutText } from '../../../text/domain/clean-text.ts';

type Maybe = string | null | undefined;
interface Named {
  first_name?: Maybe;
  last_name?: Maybe;
}

const maxUnits = 300;

/** First and last name; empty for a deleted account. */
export function personName(person: Named | null | undefined): string {
  return cutText(fullName(person), maxUnits);
}

/** A group's or channel's title; for a private chat, the person's name. */
export function chatTitle(chat: Named & { title?: Maybe; username?: Maybe }): string {
  return cutText(chat.title || fullName(chat) || chat.username || '', maxUnits);
}

/** Names are cut before they are joined, to one unit more than fits, so that a character at the end stays whole. */
const fullName = (person: Named | null | undefined): string =>
  [person?.first_name, person?.last_name]
    .map((name) => name?.slice(0, maxUnits + 1))
    .filter(Boolean)
    .join(' ');
