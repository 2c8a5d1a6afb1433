/** Converts Mermaid fences to SVG when the site is built. The drawings have the colors of the page. */

import { renderMermaidSVG } from 'beautiful-mermaid';

const colours = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-text-2)',
  muted: 'var(--vp-c-text-2)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-divider)',
};

/**
 * Matches the stylesheet in an SVG. It is removed, because it would load a font from another host; the theme has the
 * same rules.
 */
const STYLE = /<style>[\s\S]*?<\/style>/;

export function drawing(source: string): string {
  const svg = renderMermaidSVG(source, { ...colours, transparent: true, padding: 8 });
  // Remove blank lines, because one would end the HTML block. `v-pre` stops Vue from reading the drawing as a
  // template.
  const clean = svg.replace(STYLE, '').replace(/\n\s*\n/g, '\n');
  return `<figure class="drawing" v-pre>${clean}</figure>\n`;
}
