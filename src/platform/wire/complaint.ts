import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Longest given value that a sentence repeats. */
const SHOWN = 40;

/** One sentence for each fault of a request: the member, its limit, and what was given (platform contract LIM). */
export function complaints(error: z.ZodError): string {
  return error.issues.map((issue) => `${placeOf(issue)}${faultOf(issue)}`).join('; ');
}

const placeOf = ({ path }: Issue): string => (path.length === 0 ? '' : `${path.join('.')}: `);

function faultOf(issue: Issue): string {
  switch (issue.code) {
    case 'too_big':
      return `at most ${issue.maximum}${unitOf(issue.origin)}, not ${sizeOf(issue.input)}`;
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int'
        ? 'must not be empty'
        : `at least ${issue.minimum}${unitOf(issue.origin)}, not ${sizeOf(issue.input)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}${given(issue.input)}`;
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${issue.expected}${given(issue.input)}`;
    case 'unrecognized_keys':
      return `there is no member ${issue.keys.join(', ')}`;
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' elements' : '';
}

function sizeOf(input: unknown): string {
  return typeof input === 'string' || Array.isArray(input) ? String(input.length) : String(input);
}

/** Short plain values only: what is long may be somebody's text, what is no scalar says nothing. */
function given(input: unknown): string {
  const plain = typeof input === 'string' || typeof input === 'number' || typeof input === 'boolean';
  const shown = String(input);
  return plain && shown.length <= SHOWN ? `, not ${JSON.stringify(input)}` : '';
}
