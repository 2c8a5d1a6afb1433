import type { Call, FoundSource, KnowledgeWorkspace, Library, LibraryFile } from '../core/agents/library.ts';
import type { Source } from '../core/reply.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { words } from '../core/words.ts';
import { type Base, resolveAddress } from './base-url.ts';
import type { PlatformClient } from './caller.ts';
import { createAdding, optionsOf, stateOf, wasRefused } from './library-adding.ts';
import { type FileItem, listFiles } from './operations/files.ts';
import { type Hit, retrieve } from './operations/retrieval.ts';
import { createQna, listWorkspaces } from './operations/workspaces.ts';
import { readableName } from './sources.ts';
import { type ListedWorkspace, type WorkspaceFinder, workspaceFinder } from './tasks/workspaces.ts';

/** Maximum number of passages that one search returns. */
const PASSAGES = 8;

/**
 * Gives access to the agents' documents over the Open API.
 * @param known stores the ids of uploaded documents, keyed by their content
 */
export function createLibrary(client: PlatformClient, known: Keyed): Library {
  const finder = workspaceFinder(client);
  return {
    async search(query, { workspace }, call) {
      const where = workspace === undefined ? {} : { workspaces: [workspace] };
      const { items } = await client.call(retrieve, { query, topk: PASSAGES, ...where }, optionsOf(call));
      return foundIn(items, client.base);
    },
    async files(workspace, limit, call) {
      const options = optionsOf(call);
      const { name } = await finder.find(workspace, options);
      const page = await client.call(listFiles, { workspace: name, pageSize: limit }, options);
      return {
        files: page.items.map((item) => fileOf(item, client.base)),
        total: page.totalCount ?? page.items.length,
      };
    },
    ...createAdding({ client, finder, known }),
    addPair: (pair, workspace, call) => addPair(pair, workspace, { client, finder, call }),
    async workspaces(call) {
      const categories = await client.call(listWorkspaces, {}, optionsOf(call));
      return categories.flatMap((category) => category.workspaces.map(workspaceOf));
    },
  };
}

interface Adding {
  readonly client: PlatformClient;
  readonly finder: WorkspaceFinder;
  readonly call: Call;
}

async function addPair(
  { question, answer }: Parameters<Library['addPair']>[0],
  workspace: string,
  { client, finder, call }: Adding,
): Promise<'stored' | 'unconfirmed'> {
  const options = optionsOf(call);
  const { name } = await finder.find(workspace, options);
  try {
    await client.call(createQna, { workspace: name, questions: [question], answer }, options);
    return 'stored';
  } catch (thrown) {
    // Any other failure may come after the platform stored the question-answer pair. This cannot be checked, because no
    // operation lists such pairs (platform contract QNA-2).
    if (wasRefused(thrown)) throw thrown;
    return 'unconfirmed';
  }
}

function fileOf(item: FileItem, base: Base): LibraryFile {
  const { id, fileCanPreview, previewUrl } = item;
  const link = fileCanPreview ? resolveAddress(base, previewUrl)?.href : undefined;
  const name = readableName(item.name, id) ?? words.unnamedFile;
  return { id, name, state: stateOf(item), ...(link !== undefined && { link }) };
}

const workspaceOf = ({ name, fileCount }: ListedWorkspace): KnowledgeWorkspace => ({
  name,
  ...(fileCount !== undefined && { files: fileCount }),
});

type ScoreName = 'rerankScore' | 'rrfScore' | 'searchScore';

/**
 * Names of the scores, the most significant first. The score of the last ranking step is the most significant,
 * because a reranker changes the order of the earlier steps.
 */
const RANKINGS: readonly ScoreName[] = ['rerankScore', 'rrfScore', 'searchScore'];

/** Combines the passages of each document into one source, at the position of its best passage. */
function foundIn(hits: readonly Hit[], base: Base): readonly FoundSource[] {
  // A ranking step that did not run reports 0 for every passage.
  const ranking = RANKINGS.find((name) => hits.some((hit) => (hit[name] ?? 0) !== 0));
  const kind =
    ranking !== undefined && ranking !== 'rrfScore' && hits.every((hit) => isShare(hit[ranking] ?? 0))
      ? 'relevance'
      : 'rank';
  const keyOf = ({ fileId, url, fileName, chunkId }: Hit) => fileId ?? url ?? fileName ?? chunkId ?? '';
  return [...Map.groupBy(hits, keyOf)].map(([key, passages]) => {
    const value = ranking && passages[0]?.[ranking];
    const score = value === undefined ? {} : { score: { kind, value } as const };
    return { source: sourceOf(key, passages, base), ...score };
  });
}

function sourceOf(key: string, passages: readonly Hit[], base: Base): Source {
  const [best] = passages;
  const score = best && relevanceOf(best);
  const link = resolveAddress(base, passages.find(({ url }) => url !== undefined && url !== '')?.url)?.href;
  return {
    key,
    title:
      readableName(best?.metadata?.Title, best?.fileId) ?? readableName(best?.fileName, best?.fileId) ?? '',
    kind: 'document',
    ...(best?.fileId !== undefined && { document: best.fileId }),
    ...(score !== undefined && { score }),
    ...(link !== undefined && { link }),
    fragments: passages.map((passage) => {
      const own = relevanceOf(passage);
      return { text: passage.content ?? '', ...(own !== undefined && { score: own }) };
    }),
  };
}

/**
 * Returns a score between 0 and 1 that people can read as relevance. Returns undefined if there is only the score of
 * a rank fusion, which has no such range.
 */
function relevanceOf({ rerankScore, searchScore }: Hit): number | undefined {
  // A score of 0 means that no reranker ran.
  const score = rerankScore || searchScore;
  return score !== undefined && isShare(score) ? score : undefined;
}

const isShare = (score: number): boolean => score >= 0 && score <= 1;
