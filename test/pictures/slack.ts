/**
 * Draws rendered answers for visual inspection: `node test/pictures/slack.ts out.html` writes a page with the texts of
 * the render tests, where blocks look roughly as in Slack. `--picture slack.png --dark` takes a picture of one answer
 * instead; with `--form`, the picture shows the form in which an answer is corrected.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ModalView } from '@slack/types';
import createMarkdownIt from 'markdown-it';
import { chromium } from 'playwright-core';
import { correctionForm } from '../../adapters/slack/interactions/correct.ts';
import { slackMarkdown } from '../../adapters/slack/render/emit.ts';
import { messageOf } from '../../adapters/slack/render/message.ts';
import type { RenderContext } from '../../adapters/slack/render/render-context.ts';
import { agentName } from '../../src/kit/ladder.ts';
import type { ReplyDocument } from '../../src/kit.ts';
import { blank } from '../unit/reply/markdown/documents.ts';
import { plausibleText } from '../unit/reply/markdown/long-text.ts';
import { correction, visitor } from './teams-scenes.ts';

const { ranges } = slackMarkdown;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    picture: { type: 'string' },
    form: { type: 'boolean', default: false },
    dark: { type: 'boolean', default: false },
  },
});

const parser = createMarkdownIt('default', { html: false, linkify: true, breaks: true });
const agents = ['knowledge', 'sales'].map((name) => ({
  name: agentName(name),
  description: name,
  seesImages: false,
}));
const context: RenderContext = {
  reply: { question: 'C1/1793491200.000100', room: 'C1', key: '1793491200.000100', kind: 'room' },
  images: { m1: 'F1' },
  footer: true,
  agents,
  isPrivate: false,
  offersAsSelf: true,
  offersCorrection: false,
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

/** Returns HTML that resembles how Slack shows a block, for any kind of block. */
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
    if (type === 'feedback_buttons') return `<button>${said(good)}</button> <button>${said(bad)}</button>`;
    if (type === 'overflow') return `<details open><summary>⋯</summary>${said(options)}</details>`;
    const own = typeof text === 'string' ? safe(text) : said(text);
    const inner = `${own}${said(elements)}${said(placeholder)}`;
    return type === 'button' || type === 'static_select' ? `<button>${inner}</button>` : inner;
  };
  const { type, text, rows, alt_text: alt, label, element } = block as Record<string, unknown>;
  if (type === 'input') {
    const { initial_value: value, multiline } = element as Record<string, unknown>;
    const lines = multiline === true ? 6 : 1;
    return `<label><b>${said(label)}</b><textarea rows="${lines}">${safe(String(value ?? ''))}</textarea></label>`;
  }
  if (type === 'markdown') return parser.render(String(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>'));
  if (type === 'image') return `<div class="image">${safe(String(alt))}</div>`;
  if (type === 'table' && Array.isArray(rows))
    return `<table>${rows.map((row: unknown[]) => `<tr>${row.map((cell) => `<td>${said(cell)}</td>`).join('')}</tr>`).join('')}</table>`;
  return `<div class="${String(type)}">${said(block)}</div>`;
}

const style =
  'body{font:15px sans-serif;max-width:720px;margin:2em auto}article{border-left:3px solid #ddd;padding:0 1em;margin:1em 0}td,th{border:1px solid #ccc;padding:2px 8px}.context{color:#666;font-size:12px}.image{background:#eee;padding:2em;text-align:center}pre{background:#f6f6f6;padding:8px}';
const articles = (document: ReplyDocument): string =>
  ranges(document.text, 11_000)
    .map(({ begin, to }, at, all) =>
      messageOf(document, at === all.length - 1 ? { begin } : { begin, to }, context, 'rich'),
    )
    .map(({ blocks }) => `<article>${blocks.map(html).join('')}</article>`)
    .join('');

const colours = values.dark
  ? { page: '#1a1d21', text: '#d1d2d3', subtle: '#9a9b9e', link: '#1d9bd1', edge: '#565856' }
  : { page: '#fff', text: '#1d1c1d', subtle: '#616061', link: '#1264a3', edge: '#bbbabb' };
const messageStyle = `
  body { margin: 0; padding: 16px 20px; width: 560px; font: 15px/1.46 Lato, sans-serif; background: ${colours.page}; color: ${colours.text}; }
  main { display: grid; grid-template-columns: 36px 1fr; gap: 8px 10px; } .avatar { width: 36px; height: 36px; border-radius: 8px; background: #0b5f54; color: #f6f3ea; font: 700 20px/36px sans-serif; text-align: center; }
  .app { font-size: 10px; background: ${colours.edge}; color: ${colours.page}; border-radius: 2px; padding: 1px 3px; } article { border: 0; margin: 0; padding: 0; }
  article > * { margin: 0 0 8px; } ol { padding-left: 22px; } a { color: ${colours.link}; } .context, time { color: ${colours.subtle}; font-size: 12px; }
  .view { border: 1px solid ${colours.edge}; border-radius: 10px; padding: 0 20px; } .view h1 { font-size: 18px; margin: 14px 0; } .view .context { margin: 0 0 10px; }
  .view label { display: block; margin: 0 0 14px; } textarea { box-sizing: border-box; width: 100%; margin-top: 6px; padding: 8px 10px; border: 1px solid ${colours.edge}; border-radius: 8px; background: none; color: inherit; font: inherit; resize: none; field-sizing: content; }
  footer { text-align: right; margin: 0 0 10px; } footer button:last-child { background: #007a5a; border-color: #007a5a; color: #fff; }
  button, summary { display: inline-block; margin: 0 2px 6px 0; padding: 4px 12px; border: 1px solid ${colours.edge}; border-radius: 8px; background: none; color: ${colours.text}; font: 700 13px Lato, sans-serif; } details { display: inline; }`;

if (values.picture === undefined) {
  const page = Object.entries(documents).map(([name, document]) => `<h2>${name}</h2>${articles(document)}`);
  writeFileSync(
    positionals[0] ?? 'slack.html',
    `<!doctype html><meta charset="utf-8"><style>${style}</style>${page.join('')}`,
  );
} else {
  await takePicture(values.picture);
}

async function takePicture(path: string): Promise<void> {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    existsSync,
  );
  if (executablePath === undefined) throw new Error('No Chromium was found in /usr/bin.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width: 600, height: 200 } });
  // In Slack, a closed menu shows only its symbol.
  const message = articles(visitor).replaceAll('<details open>', '<details>');
  const drawn = values.form
    ? viewOf(correctionForm(correction, ''))
    : `<main><div class="avatar">P</div><div><b>Parley</b> <span class="app">APP</span> <time>16:50</time>${message}</div></main>`;
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${messageStyle}</style>${drawn}`);
  await page.screenshot({ path, fullPage: true });
  await browser.close();
}

function viewOf({ title, blocks, close, submit }: ModalView): string {
  const ends = [close, submit].map((each) => `<button>${safe(each?.text ?? '')}</button>`);
  return `<div class="view"><h1>${safe(title.text)}</h1>${blocks.map(html).join('')}<footer>${ends.join('')}</footer></div>`;
}
