import { z } from 'zod';
import { maxDocumentBytes } from '../document-limits.ts';
import { id, moment, name } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery, pageQueryBy } from './page.ts';
import { Upload } from './upload.ts';

export const SourceType = z.enum(['text', 'markdown', 'html', 'pdf']);
export type SourceType = z.output<typeof SourceType>;

/** `processing` until it can be searched; `failed` when nothing could be read from it. */
export const SourceStatus = z.enum(['processing', 'ready', 'failed']);
export type SourceStatus = z.output<typeof SourceStatus>;

const count = z.number().int();

export const ContextSource = z
  .object({
    sourceId: id,
    title: z.string(),
    type: SourceType,
    sizeBytes: count,
    sha256: z.string().describe('Of the bytes that were given, in hexadecimal.'),
    status: SourceStatus,
    lastError: z.string().nullable().describe('Why nothing could be read; only while it is `failed`.'),
    chunkCount: count.describe(
      'Passages that are searched: of the text before this one while a new text is processed, or could not be read.',
    ),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'ContextSource', description: 'A document that agents look things up in.' });
export type ContextSource = z.output<typeof ContextSource>;

const ContextChunk = z
  .object({
    chunkId: id,
    position: count.describe('Place in the document: 0, 1, 2, …'),
    heading: z.string().describe('The headings above it; the page of a PDF.'),
    text: z.string(),
  })
  .meta({ id: 'ContextChunk', description: 'A passage of a document, as it is searched.' });

export const FoundPassage = ContextChunk.extend({
  sourceId: id,
  title: z.string().describe('Of the document.'),
  score: z.number().describe('The higher, the better; comparable within one search only.'),
}).meta({ id: 'FoundPassage', description: 'A passage that a search has found, with its document.' });

const textType = SourceType.exclude(['pdf']);
const text = z.string().min(1).max(1_000_000);
const maxJsonBytes = 6 * 1024 * 1024;

const CreateSourceBody = z.object({ title: name, type: textType.default('text'), text });

export const UpdateSourceBody = z
  .object({ title: name.optional(), type: textType.optional(), text: text.optional() })
  .superRefine((body, ctx) => {
    if (body.type !== undefined && body.text === undefined)
      ctx.addIssue({ code: 'custom', path: ['type'], message: 'only a new text has a type' });
  });
export type UpdateSourceBody = z.output<typeof UpdateSourceBody>;

const SearchBody = z.object({
  query: z.string().trim().min(1).max(2000).describe('The words or the question to look for.'),
  limit: z.number().int().min(1).max(50).default(10).describe('How many passages to answer with.'),
  sourceIds: z.array(id).min(1).max(100).optional().describe('Only in these documents; by default in all.'),
});

const aboutFiles =
  'The body is the file itself, up to 10 MB: a PDF, or text, Markdown or HTML. A PDF is known by its content; text is Markdown or ' +
  'HTML where the Content-Type says so, and UTF-8 unless that names another charset.';

export const contextSourcesRouter = defineRouter({
  basePath: '/api/context-sources',
  service: 'agents',
  description: "Documents that the active tenant's agents look things up in.",
  routes: {
    listSources: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'List documents.',
      query: PageQuery.extend({ status: SourceStatus.optional() }),
      response: z.array(ContextSource),
      paged: true,
    }),
    createSource: route({
      method: 'post',
      path: '/',
      access: 'admin',
      summary: 'Add a document from a text.',
      description:
        'It can be searched when its `status` is `ready`. A tenant has at most 1,000 documents of `TENANT_DOCUMENT_BYTES` (200 MB) and 20,000 passages in all; ' +
        'the same content twice is 409 with the `sourceId` of the one that is there.',
      body: CreateSourceBody,
      maxBodyBytes: maxJsonBytes,
      response: ContextSource,
      status: 202,
      errors: [409],
    }),
    uploadSource: route({
      method: 'post',
      path: '/upload',
      access: 'admin',
      summary: 'Add a document from a file.',
      description: aboutFiles,
      query: z.object({ title: name }),
      body: Upload,
      maxBodyBytes: maxDocumentBytes,
      response: ContextSource,
      status: 202,
      errors: [409, 415, 422, 503],
    }),
    searchSources: route({
      method: 'post',
      path: '/search',
      access: 'admin',
      summary: 'Search the documents as an agent does.',
      body: SearchBody,
      response: z.array(FoundPassage).describe('Best first.'),
    }),
    getSource: route({
      method: 'get',
      path: '/:sourceId',
      access: 'admin',
      summary: 'Get a document: what is known of it, and whether it can be searched.',
      response: ContextSource,
    }),
    updateSource: route({
      method: 'put',
      path: '/:sourceId',
      access: 'admin',
      summary: 'Give a document another title, or another text.',
      description: 'Until the new text is read, searches find the old one.',
      body: UpdateSourceBody,
      maxBodyBytes: maxJsonBytes,
      response: ContextSource,
      errors: [409],
    }),
    replaceSource: route({
      method: 'put',
      path: '/:sourceId/upload',
      access: 'admin',
      summary: "Give a document a file's content.",
      description: `${aboutFiles} Until it is read, searches find the old content.`,
      body: Upload,
      maxBodyBytes: maxDocumentBytes,
      response: ContextSource,
      status: 202,
      errors: [409, 415, 422, 503],
    }),
    deleteSource: route({
      method: 'delete',
      path: '/:sourceId',
      access: 'admin',
      summary: 'Delete a document with its passages.',
    }),
    listChunks: route({
      method: 'get',
      path: '/:sourceId/chunks',
      access: 'admin',
      summary: "List a document's passages, in its order.",
      description: 'The cursor of the next page goes into `before`, as in every list.',
      query: pageQueryBy(z.string().regex(/^\d{1,6}$/)),
      response: z.array(ContextChunk),
      paged: true,
    }),
  },
});
