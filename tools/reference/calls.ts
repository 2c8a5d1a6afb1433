/** Writes the example calls of the reference as TypeScript that compiles. Pure. */

import type { z } from 'zod';
import { samples } from '../../src/cli/platform/samples.ts';
import { type AnyOperation, factsOf, toType } from '../../src/platform/api.ts';
import { elementOf } from './wire-schema.ts';

/** Maximum characters of a line. A longer call gets one line per field. */
const WIDTH = 100;

/** Returns the example call in TypeScript. It has the same values as the example command line. */
export function callText(operation: AnyOperation): string {
  const { id, shape, answer } = operation;
  const named = (members: string) => `api.${id}, ${members}`;
  if (shape === 'page')
    return `for await (const { items } of client.pages(${fitted(operation, named)})) console.log(items);`;
  if (answer === 'bytes')
    return `const { name, bytes } = await client.download(${fitted(operation, named)});`;
  const call = `await client.call(${fitted(operation, named)});`;
  if (answer === 'stream') return `const whole = ${call}\n${growing(operation)}`;
  return shape === 'nothing' ? call : `const result = ${call}`;
}

function growing(operation: AnyOperation): string {
  const members = membersOf(operation).concat('stream: true');
  return `for await (const event of client.ask(api.${operation.id}, ${inLines(members)})) console.log(event);`;
}

function fitted(operation: AnyOperation, named: (members: string) => string): string {
  const members = membersOf(operation);
  const line = named(members.length === 0 ? '{}' : `{ ${members.join(', ')} }`);
  return line.length <= WIDTH - 'const result = await client.call();'.length ? line : named(inLines(members));
}

const inLines = (members: readonly string[]): string =>
  `{\n${members.map((member) => `  ${member},\n`).join('')}}`;

function membersOf({ id, request }: AnyOperation): readonly string[] {
  return Object.entries(samples[id] ?? {}).map(([name, value]) => {
    const written = takesFiles(toType(request.shape[name])) ? fileLiteral(value) : literal(value);
    return `${name}: ${written}`;
  });
}

function takesFiles(member: z.ZodType): boolean {
  return factsOf(elementOf(member) ?? member).file === true;
}

function fileLiteral(path: unknown): string {
  return Array.isArray(path)
    ? `[${path.map(fileLiteral).join(', ')}]`
    : `await fileFromDisk(${literal(path)})`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([name, each]) => `${name}: ${literal(each)}`)
      .join(', ')} }`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
