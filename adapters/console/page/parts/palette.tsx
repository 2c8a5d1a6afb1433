import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { RoomView, SearchHit } from '../../wire.ts';
import { after, now } from '../clock.ts';
import { api, sentenceOf } from '../net/api.ts';
import { DIRECT, type PageState } from '../state/model.ts';
import { roomOf, roomsFor, titleOf } from '../state/select.ts';
import { go, openMessage } from '../state/session.ts';
import { getState, show, useSelect } from '../state/store.ts';
import { agoOf } from '../state/time.ts';
import { IconButton } from './controls.tsx';
import { close, Modal } from './dialog-form.tsx';
import { Help } from './help.tsx';
import { Icon, type IconName } from './icons.tsx';
import { Listbox, useListbox } from './listbox.tsx';
import { RoomDialog } from './room-dialogs.tsx';

interface Entry {
  readonly group: 'Rooms' | 'Agents' | 'Conversations' | 'Commands' | 'Messages';
  readonly icon: IconName;
  readonly label: string;
  readonly hint: string;
  /** Text of a message; every second part is a hit. */
  readonly snippet: readonly string[];
  readonly run: () => void;
}

/** Time after the last key until the search begins, in milliseconds. */
const PAUSE_MS = 150;
/** Minimum number of letters for a search of messages; one is enough in scripts with many letters. */
const SEARCHED = /[^\0-\u2e7f]|\S\S/u;

/** Dialog that finds rooms, agents, conversations by their titles, commands and messages. The focus stays in its field. */
export function Palette() {
  const [query, setQuery] = useState('');
  const { hits, status } = useSearch(query);
  const places = placesOf(useSelect((state) => state));
  const words = query.trim().toLowerCase();
  const entries = [
    ...places.filter((place) => soughtOf(place).toLowerCase().includes(words)),
    ...hits.map(hitEntry),
  ];
  const list = useListbox(useId(), entries.length);
  const choose = (index: number) => {
    close();
    entries[index]?.run();
  };
  const key = (event: KeyboardEvent) => {
    if (list.move(event) || event.key !== 'Enter' || event.isComposing || entries.length === 0) return;
    event.preventDefault();
    choose(list.active);
  };
  return (
    <Modal title="Search" class="palette">
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search rooms, agents, conversations, commands and messages"
          aria-expanded={entries.length > 0}
          aria-controls={list.id}
          aria-autocomplete="list"
          aria-activedescendant={list.active >= 0 ? `${list.id}-${list.active}` : undefined}
          placeholder="Search messages, or go to…"
          value={query}
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="go"
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            list.setActive(0);
          }}
          onKeyDown={key}
        />
        <IconButton icon="close" label="Close search" onClick={close} />
      </div>
      <Listbox
        state={list}
        label="Results"
        class="palette-list"
        options={entries.map(optionOf)}
        onChoose={choose}
      />
      <p class={`palette-status ${status === '' ? 'unseen' : ''}`} role="status">
        {status || (words && `${entries.length} results`)}
      </p>
    </Modal>
  );
}

const optionOf = ({ group, icon, label, hint, snippet }: Entry, index: number) => ({
  key: `${group} ${index}`,
  group,
  content: (
    <>
      <Icon name={icon} size={16} />
      <span class="palette-words">
        <span class="palette-label">{label}</span>
        <span class="quiet">{hint}</span>
        {snippet.length > 0 && <span class="palette-snippet">{snippet.map(marked)}</span>}
      </span>
    </>
  ),
});

const marked = (part: string, nth: number) => (nth % 2 === 1 ? <mark key={nth}>{part}</mark> : part);

const nothing: { readonly hits: readonly SearchHit[]; readonly status: string } = { hits: [], status: '' };

/** Searches messages a short time after the last key. `status` says what the list does not show. */
function useSearch(query: string) {
  const [found, setFound] = useState(nothing);
  useEffect(() => {
    if (!SEARCHED.test(query)) return setFound(nothing);
    const ending = new AbortController();
    const cancel = after(PAUSE_MS, () => {
      api.act('/search', { as: getState().who, text: query }, '', ending.signal).then(
        ({ hits }) => setFound({ hits, status: hits.length === 0 ? 'No messages contain these words.' : '' }),
        (thrown: unknown) => ending.signal.aborted || setFound({ hits: [], status: sentenceOf(thrown) }),
      );
    });
    return () => {
      cancel();
      ending.abort();
    };
  }, [query]);
  return found;
}

function hitEntry(hit: SearchHit): Entry {
  const name = roomOf(getState(), hit.room)?.name;
  const where = hit.thread === DIRECT ? `Conversation with ${name}` : `#${name}`;
  const hint = `${where} · ${agoOf(hit.at, now())}`;
  const run = () => void openMessage(hit);
  return { group: 'Messages', icon: 'thread', label: hit.author.name, hint, snippet: hit.snippet, run };
}

/** Returns the text by which a place is found: of a conversation its title and its agent, otherwise its name. */
const soughtOf = ({ group, label, hint }: Entry): string =>
  group === 'Conversations' ? `${label} ${hint}` : label;

function placesOf(state: PageState): readonly Entry[] {
  const { rooms, archived, directs } = roomsFor(state);
  const isBegun = (room: RoomView) => titleOf(room) !== undefined;
  const begun = directs.filter(isBegun);
  const places = [...rooms, ...archived, ...directs.filter((room) => !isBegun(room)), ...begun].map(
    (room) => {
      const { id, name, topic, kind } = room;
      const run = () => go({ room: id });
      if (kind === 'room') return { group: 'Rooms', icon: 'hash', label: name, hint: topic, run } as const;
      const title = titleOf(room);
      return title === undefined
        ? ({ group: 'Agents', icon: 'ask', label: name, hint: topic, run } as const)
        : ({ group: 'Conversations', icon: 'thread', label: title, hint: name, run } as const);
    },
  );
  const command = (label: string, icon: IconName, dialog: JSX.Element) =>
    ({ group: 'Commands', label, icon, hint: '', run: () => show({ dialog }) }) as const;
  const commands = [
    command('New room', 'plus', <RoomDialog />),
    command('Keyboard shortcuts', 'keys', <Help />),
  ];
  return [...places, ...commands].map((entry) => ({ ...entry, snippet: [] }));
}
