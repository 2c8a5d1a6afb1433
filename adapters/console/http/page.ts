import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import express, { type RequestHandler } from 'express';

/** Content security policy: the page loads from its own origin only, and no other site may show the page in a frame. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const unbuilt =
  'The page of the console is not built yet. Build it with: npx vite build adapters/console/page\n';

/** Serves the built page's files. */
export function servePage(folder: string): readonly RequestHandler[] {
  const assets = join(folder, 'assets') + sep;
  const files = express.static(folder, {
    dotfiles: 'ignore',
    redirect: false,
    setHeaders: (response, path) => {
      // A file's name under assets/ contains a hash of its content, so the file never changes.
      const cache = path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache';
      response.setHeader('cache-control', cache);
    },
  });
  return [
    (_request, response, next) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      next();
    },
    files,
    (_request, response) => {
      const built = existsSync(join(folder, 'index.html'));
      response
        .status(built ? 404 : 503)
        .type('text/plain')
        .send(built ? 'There is nothing at this address.\n' : unbuilt);
    },
  ];
}
