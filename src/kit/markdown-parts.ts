/** Writes the parts of a received message as Markdown. Code keeps its line breaks and spaces, which other text loses. */

/** Placeholders for the line breaks and spaces of code until the text is complete. */
const BREAK = '\ufdd2';
const SPACE = '\ufdd3';

/** Removes the noncharacters that serve as placeholders while a text is read. */
export const cleaned = (received: string): string => received.replace(/[\ufdd0-\ufddf]/g, '');

/** True if a text consists of spaces and placeholders only. */
export const isBlankText = (text: string): boolean => cleaned(text).trim() === '';

export const rawCode = (text: string): string =>
  text.replace(/\r\n?|\n/g, BREAK).replace(/[ \u00a0]/g, SPACE);

/** Returns the complete text. */
export const finished = (text: string): string =>
  uncoded(
    text
      .replaceAll(' \n', '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  );

const uncoded = (text: string): string => text.replaceAll(BREAK, '\n').replaceAll(SPACE, ' ');

/** Puts `prefix` at the beginning of each line but the first. */
export const prefixed = (text: string, prefix: string): string =>
  text.replace(/[\n\ufdd2]/g, (line) => line + prefix);

const inOneLine = (text: string): string => text.replace(/[\n\ufdd2]+/g, ' ').trim();

/** Spaces stay outside of the emphasis, because Markdown allows none at its ends. */
export function emphasized(text: string, mark: string): string {
  const words = text.trim();
  if (isBlankText(words) || words.includes('\n')) return text;
  return text.replace(words, () => `${mark}${words}${mark}`);
}

export const heading = (text: string, level: number): string =>
  isBlankText(text) ? text : `${'#'.repeat(level)} ${inOneLine(text)}`;

export const listItem = (text: string, marker: string): string =>
  `${marker} ${prefixed(text.trim(), ' '.repeat(marker.length + 1))}`;

export function inlineCode(text: string): string {
  if (isBlankText(text)) return text;
  const mark = '`'.repeat(longestRun(text) + 1);
  return mark === '`' ? `\`${text}\`` : `${mark} ${text} ${mark}`;
}

export function codeBlock(text: string, language: string): string {
  const lines = uncoded(text).replace(/^\n/, '').trimEnd();
  if (lines === '') return '';
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  return rawCode(`${fence}${language}\n${lines}\n${fence}`);
}

export const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);

/** Returns a table. A table of one column only arranges text, as in mails. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows.filter((cells) => cells.some((cell) => !isBlankText(cell)));
  const columns = rows.reduce((most, { length }) => Math.max(most, length), 0);
  if (columns < 2) return [head, ...rest].map(([cell = '']) => cell.trim()).join('\n\n');
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => inOneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(Array.from({ length: columns }, () => '---')), ...rest.map(line)].join('\n');
}

/** Returns the words of a link with its address, unless the words are the address. */
export function link(words: string, address: string): string {
  const label = inOneLine(words);
  if (bareAddress(label) === bareAddress(address)) return words;
  if (isBlankText(label)) return `${address} `;
  const target = /[\s()<>]/.test(address) ? `<${address}>` : address;
  return words.replace(words.trim(), () => `[${label}](${target})`);
}

const bareAddress = (text: string): string =>
  text
    .replace(/^(?:https?:\/\/|mailto:|tel:)/i, '')
    .replace(/\/$/, '')
    .toLowerCase();
