import type { Schema } from '@botyard/client/client';

/** The name of a message's author, with what they are. */
export function writerOf(author: Schema<'MessageAuthor'>): string {
  if (author.kind === 'staff') return `${author.name ?? 'A colleague'} (staff)`;
  if (author.kind === 'bot') return author.name ? `Bot (${author.name})` : 'Bot';
  return author.name ?? 'Person';
}
