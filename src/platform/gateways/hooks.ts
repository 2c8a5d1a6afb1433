import type { AgentEvent } from '../../core/agents/agent.ts';
import type { Media, Step } from '../../core/reply.ts';
import type { BridgeError } from '../../errors.ts';
import { type Base, resolveAddress } from '../base-url.ts';
import type { Refusal } from '../envelope.ts';
import { tryJson } from '../json.ts';
import { type Fields, isFields, percentDecoded, textOf } from '../shapes.ts';
import { groupSources, Passages, passagesIn, passagesText, RESULT_LISTS, readableName } from '../sources.ts';
import type { AnswerHooks } from '../stream/answer.ts';
import type { RawMedia } from '../stream/extras.ts';

/** Returns the functions that make events from everything in an answer except its text. */
export function answerHooks(
  base: Base,
  refused: (refusal: Refusal) => BridgeError,
  fallback: (rule: string) => void,
): AnswerHooks {
  const passages = new Passages();
  const seen = new Set<string>();
  const newMedia = (raw: RawMedia): AgentEvent[] => {
    const media = seen.has(raw.url) ? undefined : mediaOf(raw, base);
    seen.add(raw.url);
    return media === undefined ? [] : [{ type: 'media', media }];
  };
  const newSources = (tool: unknown): AgentEvent[] =>
    passages.add(passagesIn(tool)) ? [{ type: 'sources', sources: groupSources(passages.all, base) }] : [];
  return {
    refused,
    fallback,
    toolText: () => passagesText(passages.all),
    extras: ({ thoughts, medias, suggestions, tool }) => [
      ...[...thoughts, ...toolSteps(tool)].map((step): AgentEvent => ({ type: 'step', step })),
      ...newSources(tool),
      ...medias.flatMap(newMedia),
      ...(suggestions.length === 0 ? [] : [{ type: 'suggestions', suggestions } as const]),
    ],
  };
}

/**
 * Converts an image or file of an answer. A number is a file id, which is not shown to people; any other value is an
 * address (platform contract EXP-9, EXP-10).
 */
function mediaOf({ kind, name, url }: RawMedia, base: Base): Media | undefined {
  const id = `media:${url}`;
  if (/^\d{4,}$/.test(url))
    return { id, kind, name: readableName(name, url) ?? kind, ref: { kind: 'file-id', id: url } };
  const address = resolveAddress(base, url);
  if (address === undefined) return undefined;
  const label = readableName(name) ?? readableName(lastSegment(address)) ?? address.hostname;
  return { id, kind, name: label, ref: { kind: 'url', url: address.href }, link: address.href };
}

/**
 * Returns the last path segment of an address; if its fragment contains a path (`#/a/b`), the last segment of that
 * path.
 */
function lastSegment({ pathname, hash }: URL): string {
  const written = `${pathname}${hash}`.split('/').at(-1) ?? '';
  return percentDecoded(written) ?? written;
}

/** Maximum number of steps from one event, and maximum lengths of their texts in UTF-16 units; what exceeds them is dropped. */
const MAX_STEPS = 20;
const MAX_NAME_CHARS = 200;
const MAX_DETAIL_CHARS = 4000;

const NAMES = ['tool', 'tool_name', 'toolName', 'pluginName', 'name', 'title'];
const UNNAMED = 'Tool';

/**
 * Converts tool results without passages, such as a calculation, into finished steps. A repeated result has the same
 * id, so it updates its step. Results with passages become sources instead.
 */
export function toolSteps(payload: unknown): readonly Step[] {
  const opened = typeof payload === 'string' ? (tryJson(payload) ?? payload) : payload;
  const results = Array.isArray(opened) ? opened : [opened];
  return results.slice(0, MAX_STEPS).flatMap(stepOf);
}

function stepOf(result: unknown): Step[] {
  if (isEmpty(result) || passagesIn(result).length > 0) return [];
  const written = isFields(result) ? textOf(result, NAMES) : undefined;
  const name = (written ?? UNNAMED).slice(0, MAX_NAME_CHARS).toWellFormed();
  const detail = textIn(result).slice(0, MAX_DETAIL_CHARS).toWellFormed();
  return [{ id: JSON.stringify(['tool', name, detail]), name, state: 'done', detail }];
}

const textIn = (result: unknown): string => (typeof result === 'string' ? result : JSON.stringify(result));

/** True if the tool returned nothing to show, for example because a search found nothing. */
function isEmpty(result: unknown): boolean {
  if (result === undefined || result === null || result === '') return true;
  if (Array.isArray(result)) return result.length === 0;
  return isFields(result) && (Object.keys(result).length === 0 || foundNone(result));
}

const foundNone = (result: Fields): boolean =>
  RESULT_LISTS.some((name) => Array.isArray(result[name]) && result[name].length === 0);
