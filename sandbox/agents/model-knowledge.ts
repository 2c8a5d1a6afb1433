import { compose } from '../knowledge/answer.ts';
import { weigh } from '../knowledge/search.ts';
import { suggestionsFor } from '../knowledge/suggest.ts';
import type { Agent } from './agent.ts';
import { type KnowledgeParts, retrieve, thoughts } from './knowledge.ts';
import type { Model } from './model.ts';

/** Answers with a model over the passages that were found (platform contract LOC-3). */
export function modelAgent(parts: KnowledgeParts, model: Model): Agent {
  return async function* (asked) {
    const started = parts.clock.now();
    const { query, hits } = retrieve(asked, parts);
    yield* thoughts(asked, hits, parts.clock.now() - started);
    const { sources } = compose(query, hits, weigh(query, parts.indexes.documents));
    yield { type: 'sources', sources };
    for await (const text of model(asked, sources)) yield { type: 'text', text };
    yield { type: 'suggestions', questions: suggestionsFor(hits, parts.indexes.documents, asked.question) };
  };
}

/** Answers with a model that follows its maker's prompt and has no documents. */
export function freeAgent(model: Model): Agent {
  return async function* (asked) {
    for await (const text of model(asked, undefined)) yield { type: 'text', text };
  };
}
