import type { ErrorStatus } from '@botyard/contracts/http/errors';
/** The thread of `TextWorker`. */

import type { Upload } from '@botyard/contracts/http/upload';
import { HttpError } from '@botyard/shared/http/errors';
import { serveTasks } from '@botyard/shared/work/thread-tasks';
import type { Content } from '../../store/context-sources.ts';
import { contentOfFile } from '../content.ts';
import { readPage } from './page-text.ts';

type FileContent = { content: Content } | { refused: { status: ErrorStatus; message: string } };

export const tasks = {
  readPage: ({ body, contentType }: { body: Uint8Array; contentType: string }) =>
    readPage(Buffer.from(body.buffer, body.byteOffset, body.length), contentType),
  contentOfFile: (upload: Upload): FileContent => {
    try {
      return { content: contentOfFile(upload) };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { refused: { status: error.status, message: error.message } };
    }
  },
};

serveTasks(tasks);
