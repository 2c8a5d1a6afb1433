/** Reads what `npm audit --json` printed. */

import { z } from 'zod';

const severities = ['info', 'low', 'moderate', 'high', 'critical'] as const;
/** Severities that make the check fail. The others are only printed. */
const REFUSED: ReadonlySet<string> = new Set(['high', 'critical']);

const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.enum(severities),
      via: z.array(z.union([z.string(), z.looseObject({ title: z.string(), url: z.string() })])),
    }),
  ),
});
const failure = z.object({ message: z.string() });

export type Advisories =
  | { readonly kind: 'checked'; readonly lines: readonly string[]; readonly refused: number }
  /** The registry did not answer the request for advisories. */
  | { readonly kind: 'unchecked'; readonly why: string };

/** @param printed the standard output of `npm audit --json`, which may not be JSON if npm failed */
export function advisoriesIn(printed: string): Advisories {
  const value = parsed(printed);
  const read = report.safeParse(value);
  if (!read.success) {
    const { data } = failure.safeParse(value);
    return { kind: 'unchecked', why: data?.message ?? 'npm printed no report' };
  }
  const all = Object.entries(read.data.vulnerabilities);
  return {
    kind: 'checked',
    lines: all.map(([name, { severity, via }]) => `${severity}: ${name} (${via.map(titleOf).join('; ')})`),
    refused: all.filter(([, { severity }]) => REFUSED.has(severity)).length,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function titleOf(via: string | { readonly title: string; readonly url: string }): string {
  return typeof via === 'string' ? `because of ${via}` : `${via.title}, ${via.url}`;
}
