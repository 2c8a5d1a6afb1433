/** The operator's page: figures of the whole bridge, without any text of people or agents. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import {
  addressTo,
  CHOICES,
  FILTERS,
  type OperatePlace,
  readPlace,
  TABS,
  type Tab,
} from '../state/operate.ts';
import { leaveOperating, operate } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Icon, Mark } from './icons.tsx';
import { CONTENTS } from './operate-tabs.tsx';
import { TurnPanel } from './operate-turn.tsx';

export function Operate({ address }: { readonly address: string }) {
  const place = readPlace(address);
  const turn = place.filters.get('turn');
  const Content = CONTENTS[place.tab];
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => main.current?.focus(), []);
  return (
    <div class="operate" data-turn={turn ? 'open' : undefined}>
      <header>
        <Mark />
        <h1>Operations</h1>
        <button type="button" class="button small" onClick={leaveOperating}>
          <Icon name="back" size={15} /> Chat
        </button>
        <nav aria-label="Operations">
          {Object.entries(TABS).map(([tab, label]) => (
            <a
              key={tab}
              href={addressTo(place, { tab: tab as Tab })}
              aria-current={tab === place.tab ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
      </header>
      <main class="operate-body" ref={main} tabIndex={-1} aria-label={TABS[place.tab]}>
        {place.tab !== 'people' && <Filters place={place} />}
        <Content key={place.tab} place={place} />
      </main>
      {turn && <TurnPanel key={turn} turn={turn} onClose={() => operate(addressTo(place, { turn: '' }))} />}
    </div>
  );
}

/** The filters. Each choice becomes part of the address, so that it can be shared. */
function Filters({ place }: { readonly place: OperatePlace }) {
  const { filters } = place;
  const agents = useSelect((state) => state.setup?.agents) ?? [];
  const set = [...filters.keys()].filter((name) => name !== 'hours' && name !== 'turn');
  const change = (name: string) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    operate(addressTo(place, { [name]: value.trim() }));
  };
  const clear = Object.fromEntries(set.map((name) => [name, undefined]));
  return (
    <details class="operate-filters" open={matchMedia('(min-width: 721px)').matches || set.length > 0}>
      <summary>Filters{set.length > 0 && ` (${set.length})`}</summary>
      <form onSubmit={(event) => event.preventDefault()}>
        {Object.entries(CHOICES).map(([name, { label, usual, options }]) => (
          <label class="field" key={name}>
            {label}
            <select value={filters.get(name) ?? usual} onChange={change(name)}>
              {Object.entries(options).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        ))}
        {Object.entries(FILTERS).map(([name, label]) => (
          <label class="field" key={name}>
            {label}
            <input
              value={filters.get(name) ?? ''}
              onChange={change(name)}
              list={name === 'agent' ? 'operate-agents' : undefined}
              autocomplete="off"
              spellcheck={false}
            />
          </label>
        ))}
        <datalist id="operate-agents">
          {agents.map((agent) => (
            <option key={agent.name} value={agent.name} />
          ))}
        </datalist>
        {set.length > 0 && (
          <button type="button" class="button small" onClick={() => operate(addressTo(place, clear))}>
            Clear filters
          </button>
        )}
      </form>
    </details>
  );
}
