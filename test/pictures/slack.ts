/**
 * Shows rendered answers: `node test/pictures/slack.ts out.html` writes a page that draws Slack's blocks roughly as
 * Slack does. The texts are those of the render tests.
 */

import { writeFileSync } from 'node:fs';
import createMarkdownIt from 'markdown-it';
import { ranges } from '../../adapters/slack/render/emit.ts';
import type { Look } from '../../adapters/slack/render/look.ts';
import { messageOf } from '../../adapters/slack/render/message.ts';
import { agentName, type ReplyDocument } from '../../src/kit.ts';
import { blank } from '../unit/reply/markdown/documents.ts';
import { plausibleText } from '../unit/reply/markdown/long-text.ts';

const parser = createMarkdownIt('default', { html: false, linkify: true, breaks: true });
const agents = ['knowledge', 'sales'].map((name) => ({
  name: agentName(name),
  description: name,
  seesImages: false,
}));
const look: Look = {
  reply: { question: 'C1/1793491200.000100', room: 'C1', key: '1793491200.000100', kind: 'room' },
  images: { m1: 'F1' },
  footer: true,
  agents,
  isPrivate: false,
  offersAsSelf: true,
  named: false,
  showsTasks: false,
};
const source = (mark: number) => ({
  key: `k${mark}`,
  title: `Manual, chapter ${mark}`,
  kind: 'document' as const,
  mark,
  link: `https://docs.example/${mark}`,
  fragments: [],
});
const steps = [
  { id: '1', name: 'Search the manual', state: 'done' as const, elapsedMs: 1_200 },
  { id: '2', name: 'Read', state: 'running' as const },
];
const ref = { kind: 'file-id' as const, id: 'm1' };
const media = [{ id: 'm1', kind: 'image' as const, name: 'A chart', ref }];

const documents: Readonly<Record<string, ReplyDocument>> = {
  'while it runs': { ...blank, state: 'writing', text: 'The **first words', steps },
  'an answer': {
    ...blank,
    text: plausibleText(4_500),
    steps,
    media,
    sources: [source(3), source(1)],
    suggestions: ['And then?'],
    editions: { shown: 2, count: 3 },
  },
  hostile: {
    ...blank,
    text: 'Hey <!here>, see ![x](https://evil.example/i.png) and [good.example](https://evil.example/).',
  },
  'a failure': {
    ...blank,
    state: 'failed',
    retry: true,
    notices: [{ tone: 'error', text: 'The agent broke off.' }],
  },
};

const safe = (text: string): string => parser.utils.escapeHtml(text);

/** Draws a block of any kind, roughly. */
function html(block: object): string {
  const said = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return '';
    if (Array.isArray(value)) return value.map(said).join(' ');
    const {
      type,
      text,
      elements,
      placeholder,
      positive_button: good,
      negative_button: bad,
      options,
    } = value as Record<string, unknown>;
    if (type === 'overflow') return `<details open><summary>⋯</summary>${said(options)}</details>`;
    const own = typeof text === 'string' ? safe(text) : said(text);
    const inner = `${own}${said(elements)}${said(placeholder)}${said(good)}${said(bad)}`;
    return type === 'button' || type === 'static_select' || type === 'feedback_buttons'
      ? `<button>${inner}</button>`
      : inner;
  };
  const { type, text, rows, alt_text: alt } = block as Record<string, unknown>;
  if (type === 'markdown') return parser.render(String(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>'));
  if (type === 'image') return `<div class="image">${safe(String(alt))}</div>`;
  if (type === 'table' && Array.isArray(rows))
    return `<table>${rows.map((row: unknown[]) => `<tr>${row.map((cell) => `<td>${said(cell)}</td>`).join('')}</tr>`).join('')}</table>`;
  return `<p class="${String(type)}">${said(block)}</p>`;
}

const style =
  'body{font:15px sans-serif;max-width:720px;margin:2em auto}article{border-left:3px solid #ddd;padding:0 1em;margin:1em 0}td,th{border:1px solid #ccc;padding:2px 8px}.context{color:#666;font-size:12px}.image{background:#eee;padding:2em;text-align:center}pre{background:#f6f6f6;padding:8px}';
const page = Object.entries(documents).map(([name, document]) => {
  const parts = ranges(document.text, 11_000).map(({ begin, to }, at, all) =>
    messageOf(document, at === all.length - 1 ? { begin } : { begin, to }, look, 'rich'),
  );
  return `<h2>${name}</h2>${parts.map(({ blocks }) => `<article>${blocks.map(html).join('')}</article>`).join('')}`;
});
writeFileSync(
  process.argv[2] ?? 'slack.html',
  `<!doctype html><meta charset="utf-8"><style>${style}</style>${page.join('')}`,
);
