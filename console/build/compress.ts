import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compressed = /\.(js|css|svg)$/;

/** Puts a Brotli and a gzip file beside every file of a folder. */
export async function compressFolder(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => compressed.test(one))) {
    const content = await readFile(join(folder, name));
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content, quality));
    await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
  }
}
