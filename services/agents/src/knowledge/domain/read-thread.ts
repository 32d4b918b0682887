/** A thread of its own for one document: see `read-apart.ts`. */
import type { SourceType } from '@botyard/contracts/http/context-sources';
import { serveTasks } from '@botyard/shared/work/thread-tasks';
import { readDocument } from './read-document.ts';

serveTasks({
  read: ({ type, bytes }: { type: SourceType; bytes: Uint8Array }) => readDocument(type, bytes),
});
