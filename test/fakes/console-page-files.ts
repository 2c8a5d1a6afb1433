import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The real server's content security policy; the page must work under it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Serves the built page under `/console/`. */
export async function servePage(folder: string, path: string, response: ServerResponse): Promise<void> {
  if (path === '/' || path === '/console') {
    response.writeHead(302, { location: '/console/' }).end();
    return;
  }
  const name = normalize(path.replace(/^\/console\//, '')) || '.';
  const file = join(folder, name === '.' ? 'index.html' : name);
  try {
    const bytes = await readFile(file);
    response.writeHead(200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}
