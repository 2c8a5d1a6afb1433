import { useEffect, useState } from 'preact/hooks';
import type { ReceiptView } from '../../wire.ts';
import { api, sentenceOf } from '../net/api.ts';
import { replyOf } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { PanelFrame } from './panel-frame.tsx';
import { fullTime, lengthOf } from './time.ts';

type Entry = ReceiptView['entries'][number];

/** What the bridge did for a reply, as it recorded it: each event with its time since the first. */
export function ReceiptPanel({ turn }: { turn: string }) {
  const state = useSelect((page) => replyOf(page, turn)?.reply.state);
  const [receipt, setReceipt] = useState<ReceiptView>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const control = new AbortController();
    setFailure(undefined);
    api.receipt(turn, control.signal).then(setReceipt, (thrown: unknown) => {
      if (!control.signal.aborted) setFailure(sentenceOf(thrown));
    });
    return () => control.abort();
  }, [turn, state]);
  const entries = receipt?.turn === turn ? receipt.entries : [];
  const first = entries[0]?.at ?? 0;
  const whole = (entries.at(-1)?.at ?? first) - first;
  return (
    <PanelFrame title="What the bridge did" note={`${entries.length} events in ${lengthOf(whole)}`}>
      {failure && <p class="notice error">{failure}</p>}
      <ol class="receipt">
        {entries.map((entry, index) => (
          <EntryRow key={index} entry={entry} since={entry.at - first} />
        ))}
      </ol>
      <p class="quiet receipt-turn">
        Turn <code>{turn}</code>
      </p>
    </PanelFrame>
  );
}

function EntryRow({ entry, since }: { entry: Entry; since: number }) {
  const details = Object.entries(entry.detail);
  return (
    <li>
      <time title={fullTime(entry.at)}>+{lengthOf(since)}</time>
      <div>
        <p class="receipt-name">{wordsOf(entry.name)}</p>
        {details.length > 0 && (
          <dl>
            {details.map(([name, value]) => (
              <div key={name}>
                <dt>{wordsOf(name)}</dt>
                <dd>{String(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </li>
  );
}

/** "first-text", "firstText" and "first.text" read "first text". */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_.]+/g, ' ')
    .toLowerCase();
}
