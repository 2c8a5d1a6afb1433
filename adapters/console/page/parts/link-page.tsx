import { useEffect, useState } from 'preact/hooks';
import type { LinkView } from '../../wire.ts';
import { api, Refusal, sentenceOf } from '../net/api.ts';
import type { Connecting } from '../state/model.ts';
import { forgetLink, leaveLink } from '../state/session.ts';
import { getState, show } from '../state/store.ts';
import { CentredForm } from './centred.tsx';
import { Notice } from './notice.tsx';

type Stage = 'asking' | 'shown' | 'confirming' | 'ended';

/** The page on which a signed-in person links their id in another channel to their account. */
export function LinkPage({ connecting }: { readonly connecting: Connecting }) {
  const [stage, setStage] = useState<Stage>('asking');
  const [view, setView] = useState<LinkView>();
  const [failure, setFailure] = useState<string>();
  const send = async (request: Promise<LinkView>, next: Stage) => {
    try {
      setView(await request);
      setStage(next);
    } catch (thrown) {
      // The address still contains the link, so the sign-in leads back to this page.
      if (thrown instanceof Refusal && thrown.status === 401) return show({ phase: 'sign-in' });
      setFailure(withoutMarks(sentenceOf(thrown)));
      setStage('ended');
    }
    if (connecting.kind === 'proof') forgetLink();
  };
  useEffect(() => {
    if (connecting.kind === 'code') void send(api.link(connecting.token), 'shown');
    else void send(api.finishConnecting(connecting.channel, connecting.query), 'ended');
  }, []);
  const submit = () => {
    if (stage === 'ended') return leaveLink();
    if (stage !== 'shown' || connecting.kind !== 'code') return;
    setStage('confirming');
    void send(api.confirmLink(connecting.token), 'ended');
  };
  return (
    <CentredForm live title="Connect your account" onSubmit={submit}>
      {stage === 'asking' && <p role="status">Opening</p>}
      {view && stage !== 'ended' && <Question view={view} busy={stage === 'confirming'} />}
      {failure && <Notice alert tone="error" text={failure} />}
      {view && stage === 'ended' && !failure && (
        <p role="status">
          <Who view={view} /> is now connected to the account <b>{view.account}</b> {spanOf(view.days)}. Send
          “unlink” there to end this.
        </p>
      )}
      {stage === 'ended' && (
        <button type="submit" class="button primary wide">
          Open the console
        </button>
      )}
    </CentredForm>
  );
}

function Question({ view, busy }: { readonly view: LinkView; readonly busy: boolean }) {
  const { setup, who } = getState();
  const me = setup?.people.find(({ id }) => id === who)?.name;
  return (
    <>
      <p>
        <Who view={view} /> wants to ask with your account <b>{view.account}</b>, and will see everything that
        you may see.
      </p>
      {me !== undefined && <p class="quiet">You are signed in as {me}.</p>}
      <Notice tone="warning" text="If this is not you, or if somebody sent you this link, press Cancel." />
      <button type="submit" class="button primary wide" disabled={busy}>
        {busy ? 'Connecting' : 'Connect'}
      </button>
      <button type="button" class="button wide" disabled={busy} onClick={leaveLink}>
        Cancel
      </button>
    </>
  );
}

const Who = ({ view: { name, person, title } }: { readonly view: LinkView }) => (
  <>
    <b dir="auto">{name}</b> ({person} in {title})
  </>
);

const spanOf = (days: number): string => (days === 1 ? 'for a day' : `for ${days} days`);

/** Removes the backticks around commands, which chats show in another font. */
const withoutMarks = (sentence: string): string => sentence.replaceAll('`', '');
