import { Fragment, type TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchHit } from '../../wire.ts';
import { after, now } from '../clock.ts';
import { api, sentenceOf } from '../net/api.ts';
import { DIRECT, type PageState } from '../state/model.ts';
import { canNotify, isNotifying, switchNotifying } from '../state/notify.ts';
import { roomOf, roomsFor } from '../state/select.ts';
import { go, openMessage } from '../state/session.ts';
import { getState, show } from '../state/store.ts';
import { agoOf } from '../state/time.ts';
import { IconButton } from './controls.tsx';
import { close, Modal } from './dialog-form.tsx';
import { Icon, type IconName } from './icons.tsx';

interface Entry {
  readonly id: string;
  readonly group: 'Rooms' | 'Agents' | 'Commands' | 'Messages';
  readonly icon: IconName;
  readonly label: string;
  readonly hint: string;
  /** Text of a message; every second part is a hit. */
  readonly snippet?: readonly string[];
  readonly run: () => void;
}

/** Time after the last key until the search begins, in milliseconds. */
const PAUSE_MS = 150;
/** Minimum number of letters for a search of messages; one is enough in scripts with many letters. */
const SEARCHED = /[^\0-\u2e7f]|\S\S/u;

/** Dialog that finds rooms, conversations with agents, commands and messages. The focus stays in its field. */
export function Palette() {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const { hits, status } = useSearch(query);
  const places = useMemo(() => placesOf(getState()), []);
  const id = useId();
  const words = query.trim().toLowerCase();
  const entries = [
    ...places.filter(({ label }) => label.toLowerCase().includes(words)),
    ...hits.map(hitEntry),
  ];
  const chosen = entries[Math.min(active, entries.length - 1)];
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    entry.run();
  };
  const key = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || (!move && event.key !== 'Enter')) return;
    event.preventDefault();
    if (!move) choose(chosen);
    else if (entries.length > 0)
      setActive((Math.min(active, entries.length - 1) + move + entries.length) % entries.length);
  };
  return (
    <Modal title="Search" class="palette">
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search rooms, agents, commands and messages"
          aria-expanded={entries.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={chosen && `${id}-${chosen.id}`}
          placeholder="Search messages, or go to…"
          value={query}
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="go"
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={key}
        />
        <IconButton icon="close" label="Close search" onClick={close} />
      </div>
      <Results id={id} entries={entries} chosen={chosen} onPoint={setActive} onChoose={choose} />
      <p class={`palette-status ${status === '' ? 'unseen' : ''}`} role="status">
        {status || (words && `${entries.length} results`)}
      </p>
    </Modal>
  );
}

interface ResultsProps {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly chosen: Entry | undefined;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (entry: Entry) => void;
}

function Results({ id, entries, chosen, onPoint, onChoose }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    [chosen?.id],
  );
  return (
    <div class="palette-list" role="listbox" id={id} aria-label="Results" ref={list}>
      {entries.map((entry, index) => (
        <Fragment key={entry.id}>
          {entry.group !== entries[index - 1]?.group && (
            <div class="palette-group" role="presentation">
              {entry.group}
            </div>
          )}
          <Option
            id={`${id}-${entry.id}`}
            entry={entry}
            selected={entry === chosen}
            onPoint={() => onPoint(index)}
            onChoose={() => onChoose(entry)}
          />
        </Fragment>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly selected: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Option({ id, entry, selected, onPoint, onChoose }: OptionProps) {
  const { icon, label, hint, snippet } = entry;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div id={id} role="option" aria-selected={selected} onMouseMove={onPoint} onClick={onChoose}>
      <Icon name={icon} size={16} />
      <span class="palette-words">
        <span class="palette-label">{label}</span>
        <span class="quiet">{hint}</span>
        {snippet && (
          <span class="palette-snippet">
            {snippet.map((part, nth) => (nth % 2 === 1 ? <mark key={nth}>{part}</mark> : part))}
          </span>
        )}
      </span>
    </div>
  );
}

/** Searches messages a short time after the last key. `status` says what the list does not show. */
function useSearch(query: string) {
  const [found, setFound] = useState<{ hits: readonly SearchHit[]; status: string }>({
    hits: [],
    status: '',
  });
  useEffect(() => {
    if (!SEARCHED.test(query)) return setFound({ hits: [], status: '' });
    const ending = new AbortController();
    const cancel = after(PAUSE_MS, () => {
      api.search({ as: getState().who, text: query }, ending.signal).then(
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
  const room = roomOf(getState(), hit.room);
  const where = hit.thread === DIRECT ? `Conversation with ${room?.name}` : `#${room?.name}`;
  return {
    ...{ id: hit.id, group: 'Messages', icon: 'thread', label: hit.author.name, snippet: hit.snippet },
    hint: `${where} · ${agoOf(hit.at, now())}`,
    run: () => void openMessage(hit),
  };
}

function placesOf(state: PageState): readonly Entry[] {
  const { rooms, directs } = roomsFor(state);
  const command = (label: string, icon: IconName, run: () => void): Entry => ({
    ...{ id: label.replaceAll(' ', '-'), group: 'Commands', label, hint: '', icon, run },
  });
  return [
    ...rooms.map(({ id, name, topic }): Entry => {
      return { id, group: 'Rooms', icon: 'hash', label: name, hint: topic, run: () => go({ room: id }) };
    }),
    ...directs.map(({ id, name, topic }): Entry => {
      return { id, group: 'Agents', icon: 'ask', label: name, hint: topic, run: () => go({ room: id }) };
    }),
    command('New room', 'plus', () => show({ dialog: { kind: 'room' } })),
    ...(canNotify()
      ? [
          command(
            isNotifying() ? 'Switch notifications off' : 'Switch notifications on',
            'bell',
            () => void switchNotifying(),
          ),
        ]
      : []),
    command('Keyboard shortcuts', 'keys', () => show({ dialog: { kind: 'help' } })),
  ];
}
