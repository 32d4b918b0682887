/** Maximum size of a file that is accepted as a document. */
export const maxDocumentBytes = 10 * 1024 * 1024;
