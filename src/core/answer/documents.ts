/** Adds the documents of a question to the room's knowledge workspace, so that the agent can find them. */

import { asBridgeError } from '../../errors.ts';
import type { Call, FileInWorkspace, Library, LibraryDocument, LibraryFile } from '../agents/library.ts';
import { fold } from '../live-reply/compose.ts';
import type { Notice, Step } from '../reply.ts';
import { actIn } from '../stores/audit.ts';
import type { Uploaded } from '../stores/thread-memory.ts';
import { words } from '../words.ts';
import type { ResolvedAgent, TurnContext } from './turn-context.ts';

/**
 * Maximum wait until a question's document is indexed, in milliseconds. After that, the agent is asked and may not
 * find the document.
 */
const MAX_WAIT_MS = 60_000;
/** First and maximum delay between two checks, in milliseconds. The delay doubles after each check. */
const FIRST_CHECK_MS = 1_000;
const MAX_CHECK_MS = 8_000;

/**
 * Resolves with one result for each document, in their order, once agents can find them or the wait is over. A warning
 * means that the agent does not find the document.
 */
export type AddDocuments = (documents: readonly LibraryDocument[]) => Promise<readonly AddedDocument[]>;

interface AddedDocument {
  readonly notice: Notice;
  /** Set if the agent can find the file. */
  readonly file?: FileInWorkspace;
}

interface Place {
  readonly library: Library;
  readonly platform: string | undefined;
  readonly workspace: string;
  readonly call: Call;
}

/**
 * Returns a function that uploads documents, or refuses them if the sender may not save documents here. Returns
 * undefined if the bridge has no access to documents, if the room has no knowledge workspace, or if no rule allows
 * anyone to save documents.
 */
export function documentsFor(
  context: TurnContext,
  { account, agent: { library, platform } }: ResolvedAgent,
): AddDocuments | undefined {
  const { permissions, room } = context.deps;
  const { thread, sender } = context.claim.turn.message;
  const { workspace } = room(thread);
  if (library === undefined || workspace === undefined || !permissions.offers('save-files')) return undefined;
  const noteSaving = (outcome: string, files: number) =>
    context.deps.noteAct({
      ...actIn(thread, sender),
      action: 'save-files',
      outcome,
      turn: context.claim.turn.id,
      files,
      detail: workspace,
    });
  if (!permissions.decide(sender, 'save-files', thread).allowed) {
    return async (documents) => {
      await noteSaving('refused', documents.length);
      return documents.map(({ name }) => ({ notice: { tone: 'warning', text: words.notSaved(name) } }));
    };
  }
  const place = { library, platform, workspace, call: { signal: context.scope.asking, account } };
  return async (documents) => {
    const added = await addAll(documents, place, context);
    await noteSaving('done', added.filter(({ notice }) => notice.tone === 'info').length);
    return added;
  };
}

async function addAll(
  documents: readonly LibraryDocument[],
  place: Place,
  context: TurnContext,
): Promise<readonly AddedDocument[]> {
  const all: Added[] = [];
  const uploaded: Uploaded[] = [];
  for (const document of documents) {
    const added = await addOne(document, place, context);
    all.push(added);
    if (added.id !== undefined)
      uploaded.push({ id: added.id, name: document.name, workspace: place.workspace });
  }
  if (uploaded.length > 0) await remember(uploaded, place, context);
  return all;
}

/** Records the uploaded documents, so that `undo` can delete them. A failure here disables only `undo`. */
async function remember(
  uploads: readonly Uploaded[],
  { call, platform }: Place,
  { claim, deps, liveReply }: TurnContext,
): Promise<void> {
  const { thread, sender } = claim.turn.message;
  await deps.memory
    .keepUploads(thread, { uploads, by: sender.id, account: call.account, platform })
    .catch((thrown: unknown) =>
      liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'undo' }),
    );
}

interface Added extends AddedDocument {
  /** Id of the file; set only if this upload created the file. */
  readonly id?: string;
}

async function addOne(document: LibraryDocument, place: Place, context: TurnContext): Promise<Added> {
  const { library, workspace, call } = place;
  const { name } = document;
  const show = (detail: string, state: Step['state']) =>
    context.liveReply.update((reply) =>
      fold(reply, { type: 'step', step: { id: `document ${name}`, name, detail, state } }),
    );
  show(words.uploading, 'running');
  try {
    const { id, known, workspace: workspaceId } = await library.add(document, workspace, call);
    show(words.indexing, 'running');
    const state = await waitUntilIndexed(id, place, context);
    const isReady = state === 'ready';
    show(isReady ? words.fileStates.ready : words.fileStates[state], state === 'failed' ? 'failed' : 'done');
    context.liveReply.emit('document', { known, state });
    const text = isReady ? words.documentAdded(name, workspace, known) : words.documentLate(name, state);
    return {
      notice: { tone: isReady ? 'info' : 'warning', text },
      ...(isReady && { file: { id, workspace: workspaceId } }),
      ...(!known && { id }),
    };
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = asBridgeError(thrown);
    show(words.notUploaded, 'failed');
    context.liveReply.emit('trouble', { code: error.code, what: 'document' });
    return { notice: { tone: 'warning', text: words.documentRefused(name, error.tellUser) } };
  }
}

/** Waits until the file is indexed. Reports a file that disappears meanwhile as failed. */
async function waitUntilIndexed(
  id: string,
  { library, workspace, call }: Place,
  { deps }: TurnContext,
): Promise<LibraryFile['state']> {
  const { clock } = deps;
  const until = clock.now() + MAX_WAIT_MS;
  for (let pause = FIRST_CHECK_MS; ; pause = Math.min(pause * 2, MAX_CHECK_MS)) {
    const state = (await library.stateOf(id, workspace, call)) ?? 'failed';
    if (state !== 'indexing' || clock.now() + pause > until) return state;
    await clock.wait(pause, call.signal);
  }
}
