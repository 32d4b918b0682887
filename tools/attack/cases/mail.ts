import { type Case, inTurn, isAtLeast } from '../attack.ts';
import { type HeldPost, holdPosts } from '../load/held-posts.ts';
import { createMailbox, postMail } from '../mailbox.ts';

const bytesPerSecond = 8_500_000;

/** Sizes that fill 256 MB to the last kilobyte: large posts first, then smaller ones in what they leave. */
const sizes = [
  ...Array.from({ length: 34 }, () => 7_600_000),
  ...Array.from({ length: 22 }, (_, number) => Math.max(1000, Math.round(6_000_000 / 2 ** (number / 1.5)))),
];
const urlencoded = { type: 'application/x-www-form-urlencoded', begin: 'body-html=' };
const multipart = {
  type: 'multipart/form-data; boundary=x',
  begin: '--x\r\ncontent-disposition: form-data; name="body-html"\r\n\r\n',
};

/** Somebody without a login holds posts to the reception of mail open. */
export const mail: Case = {
  about: `${sizes.length} posts of mail with one field of junk that never end, renewed at ${bytesPerSecond / 1e6} MB/s`,
  canSpread: true,
  habit: async (installation) => {
    const mailbox = await createMailbox(installation);
    const file = { name: 'note.txt', bytes: Buffer.alloc(100_000, 'a') };
    let number = 0;
    const perform = () => {
      number += 1;
      return postMail(installation, mailbox, number % 2 === 0 ? [file] : []);
    };
    return { name: 'mails', everyMs: 500, perform };
  },
  begin: async ({ system }, { addresses }) => {
    const posts = sizes.map(
      (bytes, number): HeldPost => ({
        ...inTurn([urlencoded, multipart], number),
        bytes,
        localAddress: inTurn(addresses, number),
      }),
    );
    const thread = holdPosts({ url: `${system.gatewayUrl}/webhooks/email`, posts, bytesPerSecond });
    let begun = 0;
    return {
      stop: async () => {
        ({ begun } = await thread.stop());
      },
      checks: () => [isAtLeast('posts begun', sizes.length, begun)],
    };
  },
};
