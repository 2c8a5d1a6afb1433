/** Implements `npm run reference`: writes docs/platform from the operations' descriptors. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';
import { referencePages } from './pages.ts';

const folder = new URL('../../docs/platform/', import.meta.url).pathname;
mkdirSync(folder, { recursive: true });
for (const { path, text } of referencePages()) writeFileSync(folder + path, text);
writeFileSync(`${folder}openapi.json`, `${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
