import { useMemo } from 'preact/hooks';
import type { RoomView } from '../../wire.ts';
import { loadKey } from '../state/model.ts';
import { messagesOf } from '../state/select.ts';
import { go } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Composer } from './composer.tsx';
import { IconButton } from './controls.tsx';
import { useReturnedFocus } from './focus.ts';
import { Earlier, LoadState } from './loading.tsx';
import { Timeline } from './timeline.tsx';

/** Shows a thread: beside its room or, on a narrow screen, in place of the room. */
export function ThreadPane({ room, thread }: { room: RoomView; thread: string }) {
  const all = useSelect((state) => messagesOf(state, room.id));
  const loaded = useSelect((state) => state.loaded[loadKey(room.id, thread)]);
  const messages = useMemo(() => all.filter((message) => message.thread === thread), [all, thread]);
  useReturnedFocus();
  const leave = () => go({ room: room.id });
  const gone = typeof loaded === 'object' && loaded.gone;
  return (
    <section class="pane thread-pane" aria-label="Thread">
      <header class="pane-head">
        <IconButton icon="back" label="Back to the room" class="icon-button back-button" onClick={leave} />
        <div class="pane-title">
          <h2>Thread</h2>
          <p>#{room.name}</p>
        </div>
        <IconButton icon="close" label="Close thread" class="icon-button close-button" onClick={leave} />
      </header>
      <LoadState
        place={{ room: room.id, thread }}
        empty={messages.length === 0}
        back={{ label: 'Back to the room', go: leave }}
      >
        <Timeline
          key={thread}
          place={{ room: room.id, thread }}
          label="Messages in the thread"
          messages={messages}
          days={false}
          under={(message) =>
            message.id === thread ? (
              <>
                <Divider count={Math.max(message.answers ?? 0, messages.length - 1)} />
                <Earlier place={{ room: room.id, thread }} before={messages[1]?.id} />
              </>
            ) : null
          }
        />
      </LoadState>
      {!gone && <Composer key={thread} place={{ room: room.id, thread }} hint="Reply in the thread" />}
    </section>
  );
}

function Divider({ count }: { count: number }) {
  if (count < 1) return null;
  return <p class="thread-divider">{count === 1 ? '1 reply' : `${count} replies`}</p>;
}
