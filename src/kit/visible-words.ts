/**
 * Gathers the words that people see in an element of a message whose kind the channel does not know. New kinds appear
 * before the channel can read them, and their words must still reach the agent.
 */

import { isPlain, list, type Plain, plain } from './json.ts';

/** Maximum nesting, number of objects and lists, and total UTF-16 units; the rest is left out. */
const DEPTH = 60;
const NODES = 5_000;
const CHARS = 40_000;

/** Properties that chat clients show as text if they contain a string or a number. */
const SHOWN = new Set(
  [
    'text, title, subtitle, label, caption, heading, header, body, description, summary, placeholder, pretext',
    'alt_text, altText, raw_text, plain_text, author_name, provider_name, service_name, footer, status_text, name',
    'hint, details, output, content, message, subtext, displayText',
    'activityTitle, activitySubtitle, activityText, price, quantity, total, tax, vat, legend, xAxisTitle, yAxisTitle',
    'codeSnippet',
    'x_label, y_label, initial_value, initial_date, initial_time',
    'display_name, display_id, button_label, salesforce_field_label',
  ]
    .join(', ')
    .split(', '),
);
/** Properties whose words people do not see, or only after a press. */
const HIDDEN = new Set([
  'metadata',
  'private_metadata',
  'payload',
  'msteams',
  '$data',
  'refresh',
  'confirm',
  'workflow',
]);
/** Lists of strings that people see. */
const LISTED = new Set(['categories', 'labels', 'values']);
/** Lists whose items have a hidden `value`, such as the choices of a field. */
const CHOICES = new Set(['choices', 'options', 'initial_options', 'elements', 'actions', 'buttons']);

interface Reading {
  /** Returns the words of an object of a known kind; undefined to gather them property by property. */
  readonly read?: (element: Plain) => string | undefined;
}

/**
 * Returns the words in their order. Equal words stay, because they are often values of a table; only the text for people
 * who do not see the picture is left out if it repeats another text of the same object.
 */
export function visibleWords(element: unknown, { read = () => undefined }: Reading = {}): readonly string[] {
  const found: string[] = [];
  let nodes = 0;
  let chars = 0;
  const add = (value: unknown): void => {
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const words = String(value).trim();
    const added = words.slice(0, CHARS - chars).toWellFormed();
    if (added === '') return;
    chars += added.length;
    found.push(added);
  };
  const visit = (value: unknown, inside: string, depth: number): void => {
    if (depth > DEPTH || nodes++ > NODES) return;
    if (!isPlain(value)) {
      for (const each of list(value))
        if (typeof each === 'object') visit(each, inside, depth + 1);
        else if (LISTED.has(inside)) add(each);
      return;
    }
    const known = read(value);
    if (known !== undefined) {
      add(known);
      return;
    }
    const before = found.length;
    for (const [name, member] of Object.entries(value)) {
      if (HIDDEN.has(name) || name === 'fallback' || (name === 'data' && isPlain(member))) continue;
      if (typeof member === 'object') visit(member, name, depth + 1);
      else if (isRepeated(value, name)) continue;
      else if (SHOWN.has(name) || (name === 'value' && showsValue(value, inside))) add(member);
    }
    if (found.length === before) takeFallback(value.fallback, depth);
  };
  const takeFallback = (fallback: unknown, depth: number): void =>
    typeof fallback === 'object' ? visit(fallback, 'fallback', depth + 1) : add(dropped(fallback));
  visit(element, '', 0);
  return found;
}

/** True for the alternative text of a picture whose title or caption says the same. */
const isRepeated = (element: Plain, name: string): boolean =>
  (name === 'alt_text' || name === 'altText') &&
  [element.title, element.caption, element.text].some(
    (each) => each === element[name] || plain(each).text === element[name],
  );

/** Returns undefined for `drop`, which is an instruction in an Adaptive Card. */
const dropped = (fallback: unknown): unknown => (fallback === 'drop' ? undefined : fallback);

/** True if people see the value: a number, the value of a named fact, or what stands in a field. */
function showsValue({ type, value, title, label }: Plain, inside: string): boolean {
  if (typeof value === 'number') return true;
  if (typeof type === 'string' && /^Input\./.test(type)) return true;
  return (title !== undefined || label !== undefined) && type === undefined && !CHOICES.has(inside);
}
