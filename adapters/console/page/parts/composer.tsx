import type { TargetedClipboardEvent, TargetedDragEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fileAddress } from '../net/api.ts';
import type { Candidate } from '../state/mention.ts';
import type { RoomPlace } from '../state/model.ts';
import { roomOf } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { sizeOf } from '../state/time.ts';
import { Avatar } from './avatar.tsx';
import { IconButton } from './controls.tsx';
import { Icon } from './icons.tsx';
import { editLast } from './keys.tsx';
import { Listbox } from './listbox.tsx';
import { Notice } from './notice.tsx';
import { type DraftState, useDraft } from './use-draft.ts';
import { useMentions } from './use-mentions.ts';
import { type Uploads, useUploads } from './use-uploads.ts';

/** Input for a message: text, mentions and files, which are sent together. */
export function Composer({ place, hint }: { place: RoomPlace; hint: string }) {
  const state = useDraft(place);
  const uploads = useUploads(state.draft.files.length, state.addFile);
  const [over, setOver] = useState(false);
  const archived = useSelect((all) => roomOf(all, place.room)?.archived);
  const dropped = (event: TargetedDragEvent<HTMLElement>) => {
    event.preventDefault();
    setOver(false);
    uploads.add(event.dataTransfer?.files);
  };
  if (archived)
    return (
      <div class="composer">
        <p class="archived-note">This room is archived, so it takes no new messages.</p>
      </div>
    );
  return (
    <form
      class={`composer ${over ? 'over' : ''}`}
      onSubmit={(event) => event.preventDefault()}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      {state.failure && <Notice alert tone="error" text={state.failure} />}
      <div class="composer-box">
        <AttachList state={state} uploads={uploads} />
        <Field place={place} hint={hint} state={state} uploads={uploads} />
        <ComposerFooter state={state} uploads={uploads} />
      </div>
    </form>
  );
}

interface FieldProps {
  readonly place: RoomPlace;
  readonly hint: string;
  readonly state: DraftState;
  readonly uploads: Uploads;
}

function Field({ place, hint, state, uploads }: FieldProps) {
  const mentions = useMentions(state.setText);
  const field = useRef<HTMLTextAreaElement>(null);
  const { text } = state.draft;
  const { list } = mentions;
  const open = mentions.candidates.length > 0;
  useLayoutEffect(() => grow(field.current), [text]);
  // Not `useEffect`: it runs after the paint, and a key that is pressed before would go elsewhere.
  useLayoutEffect(() => {
    if (window.matchMedia('(hover: hover)').matches) field.current?.focus();
  }, [state.key]);
  const pasted = (event: TargetedClipboardEvent<HTMLTextAreaElement>) => {
    const files = event.clipboardData?.files;
    if (!files?.length) return;
    event.preventDefault();
    uploads.add(files);
  };
  return (
    <>
      {open && (
        <Listbox
          state={list}
          label="Names to mention"
          class="mention-list"
          options={mentions.candidates.map(mentionOption)}
          onChoose={(index) => field.current && mentions.choose(field.current, index)}
        />
      )}
      <textarea
        ref={field}
        rows={1}
        value={text}
        placeholder={hint}
        aria-label={hint}
        aria-autocomplete="list"
        aria-controls={open ? list.id : undefined}
        aria-activedescendant={open ? `${list.id}-${list.active}` : undefined}
        readOnly={state.sending}
        onInput={(event) => {
          state.setText(event.currentTarget.value);
          mentions.look(event.currentTarget);
        }}
        onClick={(event) => mentions.look(event.currentTarget)}
        onBlur={mentions.close}
        onKeyDown={(event) => {
          if (event.isComposing || mentions.key(event)) return;
          if (event.key === 'ArrowUp' && text === '') editLast(event, place);
          else sendOnEnter(event, state, uploads);
        }}
        onPaste={pasted}
      />
    </>
  );
}

function sendOnEnter(event: KeyboardEvent, state: DraftState, uploads: Uploads): void {
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  if (!isUploading(uploads)) void state.send();
}

function isUploading(uploads: Uploads): boolean {
  return uploads.list.some((upload) => !upload.failure);
}

const MAX_HEIGHT_PX = 220;

/** Makes the field as tall as its text, up to 220 px. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${Math.min(field.scrollHeight, MAX_HEIGHT_PX)}px`;
}

function ComposerFooter({ state, uploads }: { state: DraftState; uploads: Uploads }) {
  const limit = useSelect((page) => page.setup?.limits.textChars ?? Number.POSITIVE_INFINITY);
  const { text, files } = state.draft;
  const busy = isUploading(uploads);
  const blank = text.trim() === '' && files.length === 0;
  const left = limit - text.length;
  return (
    <div class="composer-foot">
      <label class="icon-button" title="Attach images or files">
        <Icon name="clip" />
        <input
          type="file"
          multiple
          class="unseen"
          aria-label="Attach images or files"
          onChange={(event) => {
            uploads.add(event.currentTarget.files ?? undefined);
            event.currentTarget.value = '';
          }}
        />
      </label>
      <span class="composer-hint">
        <kbd>Enter</kbd> sends · <kbd>Shift</kbd>+<kbd>Enter</kbd> new line
      </span>
      {left < limit / 10 && (
        <span class={left < 0 ? 'over-limit' : 'quiet'}>{left.toLocaleString('en')}</span>
      )}
      <button
        type="button"
        class="send"
        aria-label="Send"
        disabled={blank || busy || state.sending || left < 0}
        onClick={() => void state.send()}
      >
        <Icon name="send" />
      </button>
    </div>
  );
}

const mentionOption = ({ kind, id, name, about }: Candidate) => ({
  key: `${kind} ${id}`,
  content: (
    <>
      <Avatar kind={kind} id={id} name={name} size="small" />
      <span class="mention-name">{name}</span>
      <span class="mention-about">{about}</span>
    </>
  ),
});

/** The files of a draft, and uploads that are running or have failed. */
function AttachList({ state, uploads }: { state: DraftState; uploads: Uploads }) {
  const { files } = state.draft;
  if (files.length + uploads.list.length === 0) return null;
  return (
    <ul class="attach-list" aria-label="Attached files">
      {files.map(({ id, name, image, bytes }) => (
        <li key={id} class="attached">
          {image ? <img src={fileAddress(id)} alt="" /> : <Icon name="file" />}
          <span class="attached-name">
            {name}
            <span class="quiet">{sizeOf(bytes)}</span>
          </span>
          <Remove name={name} onPress={() => state.dropFile(id)} />
        </li>
      ))}
      {uploads.list.map((upload) => (
        <li key={upload.id} class={`attached ${upload.failure ? 'failed' : 'busy'}`}>
          {upload.failure ? <Icon name="warn" /> : <span class="spinner" aria-hidden="true" />}
          <span class="attached-name">
            {upload.name}
            <span class="quiet" role="status">
              {upload.failure ?? 'Uploading'}
            </span>
          </span>
          <Remove name={upload.name} onPress={upload.cancel} />
        </li>
      ))}
    </ul>
  );
}

function Remove({ name, onPress }: { name: string; onPress: () => void }) {
  return <IconButton icon="close" size={13} label={`Remove ${name}`} class="remove" onClick={onPress} />;
}
