import { fileURLToPath } from 'node:url';
import { HttpError } from '@botyard/shared/http/errors';
import type { RequestHandler } from 'express';

const base = '/docs';
const ours = (name: string) => fileURLToPath(new URL(`../reference/${name}`, import.meta.url));
const generated = (name: string) => fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url));
const library = (name: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));

/** The page, its parts, and the documents: only these files. */
const files: ReadonlyMap<string, string> = new Map([
  [base, ours('index.html')],
  ...['reference.css', 'reference.js'].map((name) => [`${base}/${name}`, ours(name)] as const),
  ...['openapi.json', 'asyncapi.json'].map((name) => [`${base}/${name}`, generated(name)] as const),
  ...['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'].map(
    (name) => [`${base}/${name}`, library(name)] as const,
  ),
]);

/**
 * Swagger UI writes its own styles and has its icons as data. Nothing else is loaded, and no other host is contacted.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `GET /docs`: the reference of the API for people. It needs no other server. */
export const answerReference = (): RequestHandler => (req, res, next) => {
  const file = files.get(res.locals.path);
  if (!file) return next();
  req.route = { path: base };
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD');
    throw new HttpError(405, 'this path can only be read');
  }
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('Referrer-Policy', 'no-referrer');
  // The name of a parent directory doesn't matter: it may begin with a dot.
  res.sendFile(
    file,
    { dotfiles: 'allow', maxAge: '5m', lastModified: true },
    (error) => error && next(error),
  );
};
