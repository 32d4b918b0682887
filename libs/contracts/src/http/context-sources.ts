import { z } from 'zod';
import { maxDocumentBytes } from '../document-limits.ts';
import { id, moment, name } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { PageQuery, pageQueryBy } from './page.ts';
import { Upload } from './upload.ts';

export const SourceType = z.enum(['text', 'markdown', 'html', 'pdf']);
export type SourceType = z.output<typeof SourceType>;

/** `processing` until the document can be searched; `failed` if its content could not be read. */
export const SourceStatus = z.enum(['processing', 'ready', 'failed']);
export type SourceStatus = z.output<typeof SourceStatus>;

const count = z.int();

const ContextSource = z
  .object({
    sourceId: id,
    title: z.string(),
    type: SourceType,
    sizeBytes: count,
    sha256: z.string().describe('SHA-256 hash of the uploaded bytes, in hexadecimal.'),
    status: SourceStatus,
    lastError: z
      .string()
      .nullable()
      .describe('Why the content could not be read; `null` unless `status` is `failed`.'),
    chunkCount: count.describe(
      'The number of searchable passages. While new content is being processed, or if it could not be read, ' +
        'these are the passages of the previous content.',
    ),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'ContextSource', description: 'A document that agents can search.' });

const ContextChunk = z
  .object({
    chunkId: id,
    position: count.describe('Position of the passage in the document, starting at 0.'),
    heading: z.string().describe('The headings above the passage, or the page for a PDF.'),
    text: z.string(),
  })
  .meta({ id: 'ContextChunk', description: 'A searchable passage of a document.' });

const FoundPassage = ContextChunk.extend({
  sourceId: id,
  title: z.string().describe('The title of the document.'),
  score: z
    .number()
    .describe('Relevance of the passage. Higher is better; comparable only within one search.'),
}).meta({ id: 'FoundPassage', description: 'A passage found by a search, with its document.' });

const textType = SourceType.exclude(['pdf']);
const text = z.string().min(1).max(1_000_000);
const maxJsonBytes = 512 * 1024;

const CreateSourceBody = z.object({ title: name, type: textType.default('text'), text });

export const UpdateSourceBody = z
  .object({ title: name.optional(), type: textType.optional(), text: text.optional() })
  .superRefine((body, ctx) => {
    if (body.type !== undefined && body.text === undefined)
      ctx.addIssue({ code: 'custom', path: ['type'], message: 'requires a new text' });
  });
export type UpdateSourceBody = z.output<typeof UpdateSourceBody>;

const SearchBody = z.object({
  query: z.string().trim().min(1).max(2000).describe('The words or question to search for.'),
  limit: z.int().min(1).max(50).default(10).describe('Maximum number of passages to return.'),
  sourceIds: z
    .array(id)
    .min(1)
    .max(100)
    .optional()
    .describe('The documents to search. Defaults to all documents.'),
});

const aboutFiles =
  'The body is the file itself, up to 10 MB: a PDF, plain text, Markdown or HTML. A PDF is detected by its ' +
  'content. Text is treated as Markdown or HTML if the Content-Type says so, and as UTF-8 unless it names ' +
  'another charset.';

export const contextSourcesRouter = defineRouter({
  basePath: '/api/context-sources',
  service: 'agents',
  description: 'Documents of the active tenant that its agents can search.',
  routes: {
    listSources: admin.list('/', {
      summary: 'List documents.',
      query: PageQuery.extend({ status: SourceStatus.optional() }),
      response: z.array(ContextSource),
    }),
    createSource: admin.post('/', {
      summary: 'Add a document from text.',
      description:
        'The body has at most 512 kB; longer texts go to `/upload`. ' +
        'The document can be searched once its `status` is `ready`. A tenant can have at most 1,000 documents ' +
        'with `TENANT_DOCUMENT_BYTES` (200 MB) and 20,000 passages in total. Returns 409 with the `sourceId` of ' +
        'the existing document if the tenant already has the same content.',
      body: CreateSourceBody,
      maxBodyBytes: maxJsonBytes,
      whenTooLarge: 'send longer texts as a file to POST /api/context-sources/upload',
      response: ContextSource,
      status: 202,
      errors: [409],
    }),
    uploadSource: admin.post('/upload', {
      summary: 'Add a document from a file.',
      description: aboutFiles,
      query: z.object({ title: name }),
      body: Upload,
      maxBodyBytes: maxDocumentBytes,
      response: ContextSource,
      status: 202,
      errors: [409, 415, 422, 503],
    }),
    searchSources: admin.post('/search', {
      summary: 'Search the documents in the same way as an agent does.',
      body: SearchBody,
      response: z.array(FoundPassage).describe('The passages found, best first.'),
    }),
    getSource: admin.get('/:sourceId', {
      summary: 'Get the details and status of a document.',
      response: ContextSource,
    }),
    updateSource: admin.put('/:sourceId', {
      summary: 'Update the title or the text of a document.',
      description: 'Searches find the old text until the new one has been processed.',
      body: UpdateSourceBody,
      maxBodyBytes: maxJsonBytes,
      whenTooLarge: 'send longer texts as a file to PUT /api/context-sources/:sourceId/upload',
      response: ContextSource,
      errors: [409],
    }),
    replaceSource: admin.put('/:sourceId/upload', {
      summary: 'Replace the content of a document with a file.',
      description: `${aboutFiles} Searches find the old content until the file has been processed.`,
      body: Upload,
      maxBodyBytes: maxDocumentBytes,
      response: ContextSource,
      status: 202,
      errors: [409, 415, 422, 503],
    }),
    deleteSource: admin.delete('/:sourceId', { summary: 'Delete a document with its passages.' }),
    listChunks: admin.list('/:sourceId/chunks', {
      summary: 'List the passages of a document, in order.',
      description: 'As in every list, pass the cursor of the next page as `before`.',
      query: pageQueryBy(z.string().regex(/^\d{1,6}$/)),
      response: z.array(ContextChunk),
    }),
  },
});
