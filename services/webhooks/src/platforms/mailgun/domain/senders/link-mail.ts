/** What a link mail is made of. Nothing of the mail that it answers is in it: a stranger wrote that. */
export interface LinkParts {
  /** The bot's address, which its tenant has chosen. */
  mailbox: string;
  link: string;
}

/** The mail that an unknown sender gets. */
export function createLinkMail({ mailbox, link }: LinkParts): {
  subject: string;
  text: string;
  html: string;
} {
  const paragraphs = [
    'Hello,',
    `a mail that names you as its sender has come to ${mailbox}. Mail there is answered only for people who have confirmed their address, so yours waits.`,
    'If it is from you, open this page and allow it. It is answered at once then, and you are not asked again:',
  ];
  const end = [
    'The link is for you alone, and works for 24 hours. Please do not forward it.',
    'If you have not written, there is nothing to do: without you, nothing happens.',
  ];
  return {
    subject: `Please confirm your mail to ${mailbox}`,
    text: [...paragraphs, link, ...end].join('\n\n'),
    html: [
      '<div style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;max-width:36em">',
      ...paragraphs.map(paragraph),
      `<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="background:#1f5fbf;color:#fff;padding:12px 20px;border-radius:8px;text-decoration:none;display:inline-block">Confirm my address</a></p>`,
      `<p style="font-size:13px;color:#666;word-break:break-all">${escapeHtml(link)}</p>`,
      ...end.map(paragraph),
      '</div>',
    ].join('\n'),
  };
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
