/** The largest file that is taken as a document. */
export const maxDocumentBytes = 10 * 1024 * 1024;
