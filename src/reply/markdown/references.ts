/** Converts reference links (`[text][label]`) to inline links, for channels that support only inline links. */

import { blockTokens, normalLabel, type References } from './grammar.ts';

/**
 * Matches a code span, an escaped character, or brackets (possibly of an image) with the reference label after them.
 */
const construct =
  /(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|\\[\s\S]|(!?)\[((?:\\.|[^[\]\\\n]){1,300})\](?:\[((?:\\.|[^[\]\\\n]){0,300})\])?(?![([:])/g;
const fence = /^[ \t>]*(`{3,}|~{3,})/;
const definition = /^ {0,3}\[((?:\\.|[^[\]\\]){1,300})\]:/;

/** Maximum length of a line that is converted, in UTF-16 units. Searching a longer line for code could be slow. */
const LINE_CHARS = 4_000;

/** Link addresses by normalized label. */
export type Definitions = ReadonlyMap<string, string>;

/** Reads the link definitions of a text. Ignores definitions in code. */
export function definitionsIn(text: string): Definitions {
  if (!text.includes(']:')) return new Map();
  const references: References = {};
  blockTokens(text, references);
  return new Map(Object.entries(references).map(([key, { href }]) => [key, href]));
}

/** Replaces reference links with inline links, and removes the lines that define the references. */
export function inlined(text: string, definitions: Definitions): string {
  if (definitions.size === 0) return text;
  let open: string | undefined;
  const lines = text.split('\n').flatMap((line): readonly string[] => {
    const found = fence.exec(line)?.[1];
    if (open !== undefined) {
      if (found?.startsWith(open)) open = undefined;
      return [line];
    }
    open = found;
    if (found !== undefined || !line.includes(']')) return [line];
    const defined = definition.exec(line)?.[1];
    if (defined !== undefined && definitions.has(normalLabel(defined))) return [];
    if (line.length > LINE_CHARS) return [line];
    return [
      line.replace(construct, (whole, ...found: readonly string[]) => linkOf(found, definitions) ?? whole),
    ];
  });
  return lines.join('\n');
}

/** @param found the match of `construct`; it contains no label if it is code */
function linkOf(
  [, image, label = '', reference]: readonly (string | undefined)[],
  definitions: Definitions,
): string | undefined {
  const target = image === '!' ? undefined : definitions.get(normalLabel(reference || label));
  return target && `[${label}](<${target.replace(/[<>\\]/g, encodeURIComponent)}>)`;
}
