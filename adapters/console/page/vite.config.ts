import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Everything the page needs lands in `dist` under hashed names; nothing is inlined, so a strict policy holds. */
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
  },
});
