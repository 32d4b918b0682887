/** Mails that are hard to answer, ready to be written. */
import type { MailFile, WrittenMail } from '@botyard/shared/testing/mailer/types';

export type Piece = { name: string; shows: string };

const pieces: Record<string, Piece & { change: (mail: WrittenMail) => WrittenMail }> = {
  'html-only': {
    name: 'Only HTML',
    shows: 'No plain text at all: the bot has to read the HTML',
    change: ({ text = '', ...mail }) => ({
      ...mail,
      html: `<div><p>${text.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'))}</p><p><b>Sent from my phone</b></p></div>`,
    }),
  },
  list: {
    name: 'From a mailing list',
    shows: 'Gets no answer',
    change: (mail) => ({
      ...mail,
      headers: [
        ['List-Id', '<news.harbour.test>'],
        ['Precedence', 'bulk'],
      ],
    }),
  },
  'eleven-files': {
    name: 'Eleven attachments',
    shows: 'One more than is taken: refused',
    change: (mail) => ({
      ...mail,
      files: Array.from({ length: 11 }, (_, index) => fileOf(`${index + 1}.txt`, 5)),
    }),
  },
  'big-file': {
    name: 'A file of 26 MB',
    shows: 'More than is taken: refused',
    change: (mail) => ({ ...mail, files: [fileOf('big.bin', 26 * 1024 * 1024)] }),
  },
};

export const listOfPieces = Object.entries(pieces).map(([piece, { name, shows }]) => ({
  piece,
  name,
  shows,
}));

/** `undefined` when there is none of this name. */
export function asPiece(piece: string, mail: WrittenMail): WrittenMail | undefined {
  return Object.hasOwn(pieces, piece) ? pieces[piece]?.change(mail) : undefined;
}

function fileOf(name: string, sizeBytes: number): MailFile {
  return { name, contentType: 'application/octet-stream', content: Buffer.alloc(sizeBytes, 'x') };
}
