import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/**
 * Builds the page into `dist`. File names contain hashes. Nothing is inlined, because the content security policy
 * forbids inline scripts and styles.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    target: 'es2023',
    reportCompressedSize: false,
    // The licenses of the bundled packages demand that their notices go with them.
    license: { fileName: 'licenses.md' },
  },
});
