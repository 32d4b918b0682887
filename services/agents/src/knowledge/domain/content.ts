import { createHash } from 'node:crypto';
import type { SourceType } from '@botyard/contracts/http/context-sources';
import type { Upload } from '@botyard/contracts/http/upload';
import { HttpError, unprocessable } from '@botyard/shared/http/errors';
import type { Content } from '../store/context-sources.ts';

const unitsLookedAt = 1024;

/** A given text in the form in which it is stored until it is read. */
export function contentOfText(type: SourceType, text: string): Content {
  const bytes = Buffer.from(text.toWellFormed(), 'utf8');
  return { type, bytes, sizeBytes: bytes.length, sha256: hashOf(bytes) };
}

/**
 * A file in the form in which it is stored until it is read. Its content determines the type, and the declared type
 * decides among kinds of text. @throws HttpError 415 for anything except text or PDF, 422 for content that differs from
 * the declared type.
 */
export function contentOfFile({ bytes: given, contentType }: Upload): Content {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const fingerprint = { sizeBytes: bytes.length, sha256: hashOf(bytes) };
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  // PDF readers accept the mark anywhere within the first kilobyte.
  if (bytes.subarray(0, unitsLookedAt).includes('%PDF-')) return { ...fingerprint, type: 'pdf', bytes };
  if (mediaType === 'application/pdf')
    throw unprocessable('the file is not a PDF, as its Content-Type claims');
  const text = decode(bytes, charsetOf(bytes, parameters));
  return { ...fingerprint, type: typeOfText(mediaType, text), bytes: Buffer.from(text, 'utf8') };
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A byte order mark overrides the declared charset. */
function charsetOf(bytes: Buffer, parameters: readonly string[]): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset?.slice('charset='.length).replaceAll('"', '') ?? 'utf-8';
}

function decode(bytes: Buffer, charset: string): string {
  let text: string;
  try {
    text = new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    if (bytes.includes(0)) throw unknownKind(cause);
    if (cause instanceof RangeError)
      throw new HttpError(415, 'the charset in the Content-Type is not supported', { cause });
    throw unprocessable('the text is not in UTF-8, or in the charset that the Content-Type names', { cause });
  }
  if (text.includes('\0')) throw unknownKind();
  return text;
}

const unknownKind = (cause?: unknown): HttpError =>
  new HttpError(415, 'only text, Markdown, HTML and PDF can be read', { cause });

function typeOfText(mediaType: string, text: string): SourceType {
  if (mediaType === 'text/markdown' || mediaType === 'text/x-markdown') return 'markdown';
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  return /^\s*(<!doctype html|<html[\s>])/i.test(text.slice(0, unitsLookedAt)) ? 'html' : 'text';
}
