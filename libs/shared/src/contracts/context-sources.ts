import { z } from 'zod';

export const SourceType = z.enum(['text', 'markdown', 'html', 'pdf']);
export type SourceType = z.output<typeof SourceType>;

/** `processing` until it can be searched; `failed` when nothing could be read from it. */
export const SourceStatus = z.enum(['processing', 'ready', 'failed']);
export type SourceStatus = z.output<typeof SourceStatus>;
