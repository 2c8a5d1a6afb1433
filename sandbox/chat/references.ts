import { sharePath } from '../store/documents.ts';
import type { Source } from '../store/sessions.ts';

/** The fragments behind an answer (platform contract REF-2), best first. */
export function referenceList(sources: readonly Source[], base: string): readonly unknown[] {
  return sources.map((source) => ({
    title: source.title,
    content: source.content,
    score: source.score,
    url: `${base}${sharePath(source.document)}`,
    type: 'document',
  }));
}
