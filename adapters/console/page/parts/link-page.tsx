import { useEffect, useState } from 'preact/hooks';
import type { LinkView } from '../../wire.ts';
import { api, Refusal, sentenceOf } from '../net/api.ts';
import type { Connecting } from '../state/model.ts';
import { forgetLink, leaveLink } from '../state/session.ts';
import { getState, show } from '../state/store.ts';
import { CentredForm } from './centred.tsx';
import { Notice } from './notice.tsx';

type Step =
  | { readonly kind: 'asking' }
  | { readonly kind: 'shown' | 'confirming' | 'done'; readonly view: LinkView }
  | { readonly kind: 'refused'; readonly text: string };

/** The page on which a signed-in person links their id in another channel to their account. */
export function LinkPage({ connecting }: { readonly connecting: Connecting }) {
  const [step, setStep] = useState<Step>({ kind: 'asking' });
  const refused = (thrown: unknown) => {
    // The address still contains the link, so the sign-in leads back to this page.
    if (thrown instanceof Refusal && thrown.status === 401) return show({ phase: 'sign-in' });
    if (connecting.kind === 'proof') forgetLink();
    setStep({ kind: 'refused', text: withoutMarks(sentenceOf(thrown)) });
  };
  const done = (view: LinkView) => {
    if (connecting.kind === 'proof') forgetLink();
    setStep({ kind: 'done', view });
  };
  useEffect(() => {
    const asked =
      connecting.kind === 'code'
        ? api.link(connecting.token).then((view) => setStep({ kind: 'shown', view }))
        : api.finishConnecting(connecting.channel, connecting.query).then(done);
    asked.catch(refused);
  }, []);
  const confirm = (view: LinkView) => {
    if (connecting.kind !== 'code') return;
    setStep({ kind: 'confirming', view });
    api.confirmLink(connecting.token).then(done).catch(refused);
  };
  const submit = () => {
    if (step.kind === 'shown') confirm(step.view);
    else if (step.kind !== 'confirming') leaveLink();
  };
  return (
    <CentredForm live title="Connect your account" onSubmit={submit}>
      <Content step={step} />
    </CentredForm>
  );
}

function Content({ step }: { readonly step: Step }) {
  switch (step.kind) {
    case 'asking':
      return <p role="status">Opening</p>;
    case 'refused':
      return (
        <>
          <Notice alert tone="error" text={step.text} />
          <Leave />
        </>
      );
    case 'done':
      return (
        <>
          <p role="status">
            <Who view={step.view} /> is now connected to the account <b>{step.view.account}</b>{' '}
            {spanOf(step.view.days)}. Send “unlink” there to end this.
          </p>
          <Leave />
        </>
      );
    case 'shown':
    case 'confirming':
      return <Question view={step.view} busy={step.kind === 'confirming'} />;
  }
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

const Leave = () => (
  <button type="submit" class="button primary wide">
    Open the console
  </button>
);

const Who = ({ view: { name, person, title } }: { readonly view: LinkView }) => (
  <>
    <b dir="auto">{name}</b> ({person} in {title})
  </>
);

const spanOf = (days: number): string => (days === 1 ? 'for a day' : `for ${days} days`);

/** Removes the backticks around commands, which chats show in another font. */
const withoutMarks = (sentence: string): string => sentence.replaceAll('`', '');
