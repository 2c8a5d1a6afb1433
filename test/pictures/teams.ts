/**
 * Draws pictures of messages and cards: `node test/pictures/teams.ts folder --width 360 --dark`. Uses Microsoft's
 * renderer of Adaptive Cards in Chromium, which resembles Teams, and writes one file for each scene. `--scene visitor
 * --as teams` draws one scene and saves it under another name.
 */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import createMarkdownIt from 'markdown-it';
import { chromium } from 'playwright-core';
import { plains } from '../../src/kit/json.ts';
import { CHART, type Scene, scenes } from './teams-scenes.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string', default: '720' },
    dark: { type: 'boolean', default: false },
    scene: { type: 'string' },
    as: { type: 'string' },
  },
});
const [folder = 'teams-pictures'] = positionals;
const width = Number(values.width);
const renderer = createRequire(import.meta.url).resolve('adaptivecards/dist/adaptivecards.min.js');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Markdown as Teams' messages show it: without headings, tables and images, and with `<` only as an entity. */
const plainMarkdown = createMarkdownIt('commonmark', { html: false }).disable([
  'heading',
  'lheading',
  'image',
  'hr',
]);
plainMarkdown.enable('strikethrough');
const extended = createMarkdownIt('default', { html: false });
const markdown = { markdown: plainMarkdown, extendedmarkdown: extended, plain: undefined };

const light = {
  ...{ page: '#f5f5f5', paper: '#fff', line: '#e0e0e0', code: '#f0f0f0', button: '#fff', edge: '#d1d1d1' },
  ...{ text: '#242424', subtle: '#616161', accent: '#0f548c' },
};
const dark: typeof light = {
  ...{ page: '#1f1f1f', paper: '#292929', line: '#3d3d3d', code: '#1f1f1f', button: '#292929', edge: '#666' },
  ...{ text: '#fff', subtle: '#adadad', accent: '#77b7f7' },
};
const look = values.dark ? dark : light;

const style = `
  body { font: 14px/1.45 "Segoe UI", sans-serif; background: ${look.page}; color: ${look.text}; padding: 16px; width: ${width}px; }
  a { color: ${look.accent}; } input, select, textarea { background: ${look.paper}; color: ${look.text}; }
  .ac-input { box-sizing: border-box; border: 1px solid ${look.edge}; border-radius: 4px; padding: 5px 10px; font: inherit; resize: none; } textarea.ac-input { field-sizing: content; }
  .message { background: ${look.paper}; border-radius: 6px; padding: 10px 16px; box-shadow: 0 1px 2px #0002; }
  .label { color: ${look.subtle}; font-size: 12px; background: ${look.code}; border-radius: 3px; padding: 0 6px; }
  .card { background: ${look.paper}; border: 1px solid ${look.line}; border-radius: 6px; margin-top: 8px; padding: 4px; }
  .foot { color: ${look.subtle}; font-size: 12px; margin-top: 6px; }
  pre { background: ${look.code}; padding: 8px; overflow: auto; } code { background: ${look.code}; }
  blockquote { border-left: 3px solid #c8c6c4; margin: 4px 0; padding-left: 10px; }
  table { border-collapse: collapse; } td, th { border: 1px solid ${look.line}; padding: 3px 8px; }
  .ac-pushButton { border: 1px solid ${look.edge}; background: ${look.button}; color: ${look.text}; border-radius: 4px; padding: 5px 12px; font: 600 13px "Segoe UI", sans-serif; }`;

const hostConfig = {
  fontFamily: '"Segoe UI", sans-serif',
  fontTypes: {
    default: { fontFamily: '"Segoe UI", sans-serif' },
    monospace: { fontFamily: 'Consolas, monospace' },
  },
  fontSizes: { small: 12, default: 14, medium: 16, large: 18, extraLarge: 24 },
  spacing: { small: 8, default: 12, medium: 16, large: 20, extraLarge: 24, padding: 12 },
  actions: {
    maxActions: 6,
    spacing: 'default',
    buttonSpacing: 8,
    actionsOrientation: 'horizontal',
    actionAlignment: 'left',
    showCard: { actionMode: 'inline', inlineTopMargin: 8 },
  },
  separator: { lineThickness: 1, lineColor: look.line },
  supportsInteractivity: true,
  containerStyles: {
    default: {
      backgroundColor: look.paper,
      foregroundColors: {
        default: { default: look.text, subtle: look.subtle },
        accent: { default: look.accent, subtle: look.accent },
      },
    },
  },
};

const escaped = createMarkdownIt().utils.escapeHtml;

function wordsOf(scene: Scene): string {
  if (!('message' in scene)) return '';
  const { text, textFormat, entities, channelData, suggestedActions } = scene.message;
  const body = markdown[textFormat]?.render(text) ?? `<p>${escaped(text)}</p>`;
  const citations = plains(entities[0]?.citation).map(({ position }) => `[${position}]`);
  const label = entities.length > 0 ? '<span class="label">AI generated</span>' : '';
  const foot = [
    citations.join(' '),
    channelData === undefined ? '' : 'feedback',
    suggestedActions && 'chips',
  ];
  return `<div class="message"><b>Parley</b> ${label}${body}<div class="foot">${foot.filter(Boolean).join(' ')}</div></div>`;
}

const cardOf = (scene: Scene): unknown =>
  'card' in scene ? scene.card : scene.message.attachments[0]?.content;

/** Script for the page: draws a card. */
const draw = `(({ card, hostConfig }) => {
  const drawn = new AdaptiveCards.AdaptiveCard();
  drawn.hostConfig = new AdaptiveCards.HostConfig(hostConfig);
  drawn.parse(card);
  const place = document.createElement('div');
  place.className = 'card';
  place.append(drawn.render());
  document.body.append(place);
})`;

if (executablePath === undefined) throw new Error('No Chromium was found in /usr/bin.');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: width + 32, height: 200 } });
const picture = new URL('../../sandbox/corpus/images/escalation.png', import.meta.url);
await page.route('**/*', (route) => route.abort());
await page.route(CHART, (route) => route.fulfill({ contentType: 'image/png', body: readFileSync(picture) }));
const drawn = Object.entries(scenes).filter(([name]) => values.scene === undefined || name === values.scene);
for (const [name, scene] of drawn) {
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${style}</style>${wordsOf(scene)}`);
  await page.addScriptTag({ content: readFileSync(renderer, 'utf8') });
  const card = cardOf(scene);
  if (card !== undefined) await page.evaluate(`${draw}(${JSON.stringify({ card, hostConfig })})`);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(folder, `${values.as ?? name}.png`), fullPage: true });
}
await browser.close();
process.stdout.write(`${drawn.length} pictures in ${folder}\n`);
