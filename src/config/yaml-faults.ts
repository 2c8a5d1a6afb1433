/** Explains the faults that the YAML parser finds: where they are, and what to do. */

import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml';

const QUOTES = 'Put quotes around the value.';
const OWN_LINES =
  'Write each setting in a line of its own. If a value contains a colon with a space, put quotes around the value.';
const COLUMN = 'Begin all settings of a group in the same column.';

/** Explanations by the parser's code, for faults whose position is right. */
const EXPLAINED: Partial<Record<YAMLError['code'], readonly [what: string, cure: string]>> = {
  TAB_AS_INDENT: ['is indented with a tab', 'Replace the tab by spaces.'],
  BAD_INDENT: ['is indented differently from its group', COLUMN],
  BLOCK_AS_IMPLICIT_KEY: ['contains a second colon', OWN_LINES],
  MULTILINE_IMPLICIT_KEY: ['is continued by a setting in the next line', `${COLUMN} ${OWN_LINES}`],
  BAD_SCALAR_START: ['contains a value that begins with a special character', QUOTES],
  BAD_DQ_ESCAPE: [
    'contains an unknown escape after a backslash',
    'Use single quotes, in which a backslash is an ordinary character.',
  ],
  BAD_ALIAS: ['contains a value that begins with *', QUOTES],
  TAG_RESOLVE_FAILED: [
    'contains a value that begins with !',
    'Put quotes around the value. To read a variable, write { env: NAME }.',
  ],
  MULTIPLE_DOCS: ['begins a second document', 'Remove the line "---", or what follows it.'],
};

/**
 * Returns the fault's offset in the file, what is wrong, and the cure.
 * @param text the whole file
 */
export function explain({ code, message, pos }: YAMLError, document: Document.Parsed, text: string) {
  const [offset] = pos;
  if (code === 'DUPLICATE_KEY') {
    const name = /^[^\s:]{1,80}/.exec(text.slice(offset))?.[0] ?? 'a setting';
    return {
      offset,
      what: `sets ${name} a second time`,
      cure: 'Keep one of the two, and move what is below the other to it.',
    };
  }
  const opened = openedAt(message, offset, document);
  if (opened !== undefined) {
    const sign = text[opened] ?? '';
    const [what, end] = CLOSERS[sign] ?? ['bracket', sign];
    return {
      offset: opened,
      what: `opens a ${what} that is never closed`,
      cure: `Add ${end} where the value ends.`,
    };
  }
  const [what, cure] = EXPLAINED[code] ?? [
    `is not YAML: ${message.replace(/\.$/, '')}`,
    `Correct the line. ${OWN_LINES}`,
  ];
  return { offset, what, cure };
}

const CLOSERS: Readonly<Record<string, readonly [what: string, end: string]>> = {
  '"': ['quote', '"'],
  "'": ['quote', "'"],
  '[': ['list', ']'],
  '{': ['group', '}'],
};

/** Returns where the quote or bracket begins whose end is missing. The parser reports the place where it gave up. */
function openedAt(message: string, end: number, document: Document.Parsed): number | undefined {
  const isQuote = /closing .quote/.test(message);
  if (!isQuote && !/end with a [\]}]/.test(message)) return undefined;
  let found: number | undefined;
  visit(document, {
    Node(_, node) {
      const fits = isQuote
        ? isScalar(node) && node.type?.startsWith('QUOTE')
        : isCollection(node) && node.flow;
      const [from, to] = node.range ?? [0, 0];
      if (fits && from < end && to >= end) found = from;
    },
  });
  return found;
}
