import type { AgentEvent } from '../../core/agents/agent.ts';
import type { Media } from '../../core/reply.ts';
import type { BridgeError } from '../../errors.ts';
import { type Base, resolveAddress } from '../base-url.ts';
import type { Refusal } from '../envelope.ts';
import { groupSources, Passages, passagesIn, passagesText, readableName } from '../sources.ts';
import type { AnswerHooks } from '../stream/answer.ts';
import type { RawMedia } from '../stream/extras.ts';
import { toolSteps } from '../stream/tool-steps.ts';

/** Makes events of what an answer carries beside its text; one for each asking. */
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

/** Platform contract EXP-9, EXP-10: a number is a file id, which people never read, anything else an address. */
function mediaOf({ kind, name, url }: RawMedia, base: Base): Media | undefined {
  const id = `media:${url}`;
  if (/^\d{4,}$/.test(url))
    return { id, kind, name: readableName(name, url) ?? kind, ref: { kind: 'file-id', id: url } };
  const address = resolveAddress(base, url);
  if (address === undefined) return undefined;
  const shown = readableName(name) ?? readableName(lastSegment(address)) ?? address.hostname;
  return { id, kind, name: shown, ref: { kind: 'url', url: address.href }, link: address.href };
}

/** What people would call the file; a page with a `#` route names it there. */
function lastSegment({ pathname, hash }: URL): string {
  const written = `${pathname}${hash}`.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
