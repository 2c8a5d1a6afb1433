import { useEffect, useState } from 'preact/hooks';
import type { ReceiptView } from '../../wire.ts';
import { api, sentenceOf } from '../net/api.ts';
import { type ReceiptRow, receiptRows } from '../state/receipt.ts';
import { replyOf } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { fullTime, lengthOf } from '../state/time.ts';
import { PanelFrame } from './panel-frame.tsx';

/** Lists what the bridge did for a reply. Each event has the time since the first one. */
export function ReceiptPanel({ turn }: { turn: string }) {
  const state = useSelect((page) => replyOf(page, turn)?.reply.state);
  const reconnects = useSelect((page) => page.reconnects);
  const [receipt, setReceipt] = useState<ReceiptView>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const control = new AbortController();
    setFailure(undefined);
    api.receipt(turn, control.signal).then(setReceipt, (thrown: unknown) => {
      if (!control.signal.aborted) setFailure(sentenceOf(thrown));
    });
    return () => control.abort();
  }, [turn, state, reconnects]);
  const entries = receipt?.turn === turn ? receipt.entries : [];
  const rows = receiptRows(entries);
  const first = entries[0]?.at ?? 0;
  const whole = (entries.at(-1)?.at ?? first) - first;
  return (
    <PanelFrame
      title="Timeline"
      note={`${rows.length} ${rows.length === 1 ? 'step' : 'steps'} in ${lengthOf(whole)}`}
    >
      {failure && <p class="notice error">{failure}</p>}
      <Receipt entries={entries} />
      <p class="quiet receipt-turn">
        Turn <code>{turn}</code>
      </p>
    </PanelFrame>
  );
}

/** The steps of the bridge for a reply. Each one has the time since the first one. */
export function Receipt({ entries }: Pick<ReceiptView, 'entries'>) {
  const first = entries[0]?.at ?? 0;
  return (
    <ol class="receipt">
      {receiptRows(entries).map((row, index) => (
        <Row key={index} row={row} since={row.at - first} />
      ))}
    </ol>
  );
}

function Row({ row, since }: { row: ReceiptRow; since: number }) {
  return (
    <li>
      <time title={fullTime(row.at)}>+{lengthOf(since)}</time>
      <div>
        <p class="receipt-name">{row.sentence}</p>
        {row.details.length > 0 && (
          <dl>
            {row.details.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </li>
  );
}
