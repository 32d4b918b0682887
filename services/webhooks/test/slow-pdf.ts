import { deflateSync } from 'node:zlib';
import { makePdf } from '../../agents/test/knowledge/domain/pdf.ts';

/** A PDF of 260 kB that takes longer to read than any limit. */
export const slowPdf = (() => {
  const page = { content: deflateSync(Buffer.alloc(1024 * 1024, 'q Q ')), filter: '/FlateDecode' };
  return makePdf(Array.from({ length: 200 }, () => page));
})();
