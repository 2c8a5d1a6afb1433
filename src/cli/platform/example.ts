import type { AnyOperation } from '../../platform/api.ts';
import type { Input } from './inputs.ts';
import { samples } from './samples.ts';

/** More places than this are no line that anybody types; a file says it better. */
const MOST_PLACES = 6;

/** A command line of the operation, which a shell takes as it stands. */
export function exampleOf({ id, capability, command }: AnyOperation, inputs: readonly Input[]): string {
  const sample = samples[id] ?? {};
  const given = inputs.filter(({ name }) => sample[name] !== undefined);
  const placed = given.filter(({ positional }) => positional);
  const words = (each: Input) => wordsOf(each, sample[each.name]);
  const rest =
    placed.length > MOST_PLACES
      ? ['--file', 'request.yaml']
      : [...placed, ...given.filter((each) => !placed.includes(each))].flatMap(words);
  return ['parley platform', capability, command, ...rest.map(shellWord)].join(' ');
}

function wordsOf(input: Input, value: unknown): readonly string[] {
  const { name, kind, positional } = input;
  const flag = `--${flagName(input)}`;
  if (name === 'conditions' && Array.isArray(value)) return value.flatMap((each) => ['--where', where(each)]);
  if (kind === 'switch') return [value === false ? `--no-${flagName(input)}` : flag];
  if (kind === 'secret') return [flag, `${input.flag}.txt`];
  if (kind === 'yaml') return [flag, flow(value)];
  const values = Array.isArray(value) ? value.map(String) : [String(value)];
  return positional ? values : values.flatMap((each) => [flag, each]);
}

export const flagName = ({ flag, kind }: Input): string => (kind === 'secret' ? `${flag}-file` : flag);

const MARKS: Readonly<Record<string, string>> = { contains: '~', equal: '=' };

function where(condition: { fieldName: string; fieldValue: string; conditionalType: string }): string {
  const { fieldName, fieldValue, conditionalType } = condition;
  return `${fieldName}${MARKS[conditionalType] ?? ` ${conditionalType} `}${fieldValue}`;
}

/** A value as YAML in one line; a text that YAML would take for something else keeps its quotes. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}: ${flow(each)}`)
      .join(', ')}}`;
  }
  const plain = typeof value === 'string' && /^[A-Za-z][\w .?@-]*$/.test(value);
  return plain && !/^(true|false|null|yes|no|on|off)$/i.test(value) ? value : JSON.stringify(value);
}

const shellWord = (word: string): string =>
  /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
