/** Implements `parley feedback`, which prints people's feedback for those who maintain the agents. */

import type { Feedback } from '../core/stores/feedback.ts';
import { csvLine, csvRecord } from '../kit/csv.ts';
import { createFeedback } from '../store/feedback.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { printResult } from './print.ts';
import { withEngine } from './store.ts';

interface FeedbackOptions {
  readonly json?: true;
  readonly csv?: true;
  readonly config?: string;
}

/** Prints the feedback in the store. Works even while the bridge is running. */
export async function feedback(
  { json, csv, config: file }: FeedbackOptions,
  deps: CommandDeps,
): Promise<number> {
  const { config } = await loadSettings(deps, file);
  const all = await withEngine(config, (engine) => createFeedback(engine).all());
  if (csv && !json) for (const line of csvOf(all)) console.log(line);
  else printResult(json, all.map(lineOf), summary(all));
  return 0;
}

const COLUMNS = [
  'at',
  'agent',
  'verdict',
  'note',
  'person',
  'channel',
  'tenant',
  'room',
  'turn',
  'reply',
] as const;

const lineOf = (one: Feedback) => ({ ...one, at: new Date(one.at).toISOString() });

const csvOf = (all: readonly Feedback[]): readonly string[] => [
  csvLine(COLUMNS),
  ...all.map((one) => csvRecord(COLUMNS, lineOf(one))),
];

function summary(all: readonly Feedback[]): readonly string[] {
  if (all.length === 0) return ['There is no feedback yet.'];
  const agents = Map.groupBy(all, ({ agent = 'no agent' }) => agent);
  const counts = [...agents].map(([agent, given]) => {
    const up = given.filter(({ verdict }) => verdict === 'up').length;
    return `${agent}: ${up} up, ${given.length - up} down`;
  });
  const notes = all.filter(({ note }) => note !== undefined);
  return [...counts, ...notes.map(({ agent, verdict, note }) => `  ${agent ?? ''} ${verdict}: ${note}`)];
}
