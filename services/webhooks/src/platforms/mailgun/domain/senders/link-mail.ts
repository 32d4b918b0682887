import { escapeHtml } from '@botyard/shared/http/escape-html';
import { speaking, spokenLanguageOf } from '@botyard/words/words';

/** The parts of a link mail. It contains nothing that a stranger wrote. */
interface LinkParts {
  /** The bot's address, which its tenant has chosen. */
  mailbox: string;
  link: string;
  /** The language of its reader, if known. */
  language: string | null;
}

interface LinkMail {
  subject: string;
  text: string;
  html: string;
  /** The language in which it is written. */
  language: string;
}

/** The mail that an unknown sender receives. */
export function createLinkMail(parts: LinkParts): LinkMail {
  const { mailbox, language } = parts;
  const say = speaking(language);
  const paragraphs = [say('mail_hello'), say('mail_came', { mailbox }), say('mail_allow')];
  return writeLinkMail(parts, { subject: say('mail_subject', { mailbox }), paragraphs });
}

/** The mail to an address that somebody has named in a chat. */
export function createChatLinkMail(parts: LinkParts): LinkMail {
  const { mailbox, language } = parts;
  const say = speaking(language);
  const paragraphs = [say('mail_hello'), say('chat_mail_came', { mailbox }), say('chat_mail_allow')];
  return writeLinkMail(parts, { subject: say('chat_mail_subject', { mailbox }), paragraphs });
}

function writeLinkMail(
  { link, language }: LinkParts,
  { subject, paragraphs }: { subject: string; paragraphs: readonly string[] },
): LinkMail {
  const say = speaking(language);
  const end = [say('mail_alone'), say('mail_not_you')];
  return {
    language: spokenLanguageOf(language),
    subject,
    text: [...paragraphs, link, ...end].join('\n\n'),
    html: [
      '<div dir="auto" style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;max-width:36em">',
      ...paragraphs.map(paragraph),
      `<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="background:#1f5fbf;color:#fff;padding:12px 20px;border-radius:8px;text-decoration:none;display:inline-block">${escapeHtml(say('mail_button'))}</a></p>`,
      `<p style="font-size:13px;color:#666;word-break:break-all">${escapeHtml(link)}</p>`,
      ...end.map(paragraph),
      '</div>',
    ].join('\n'),
  };
}

const paragraph = (text: string): string => `<p dir="auto">${escapeHtml(text)}</p>`;
