import type { Source } from '../store/sessions.ts';
import type { MediaDialect } from './names.ts';

/** Sources as a tool result, in the shape of the chosen dialect (platform contract CHL-19, DEC-20). */
export function toolResult(sources: readonly Source[], dialect: MediaDialect): unknown {
  const items = sources.map((source) => ({
    category: 'tool',
    document_id: source.document,
    chunk_id: BigInt(source.chunk),
    title: source.title,
    content: source.content,
    score: source.score,
  }));
  const other = sources.map((source) => ({
    documentId: source.document,
    fileName: source.title,
    page_content: source.content,
    similarity: source.score,
  }));
  switch (dialect) {
    case 'tool-results':
      return { results: items };
    case 'tool-references':
      return { references: items };
    case 'tool-documents':
      return { documents: items };
    case 'tool-list':
      return { list: items };
    case 'tool-data':
      return { data: items };
    case 'tool-string':
      return JSON.stringify(other);
    case 'tool-text':
      return sources.map((source) => `${source.title}: ${source.content}`).join('\n');
    case 'tool-other-names':
      return other;
    default:
      return items;
  }
}
