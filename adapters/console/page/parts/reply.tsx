import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { Step as StepView } from '../../../../src/kit/ladder.ts';
import type { ReplyView } from '../../wire.ts';
import { every, now } from '../clock.ts';
import { suggest } from '../state/acts.ts';
import { isLive } from '../state/messages.ts';
import { lengthOf } from '../state/time.ts';
import { Act } from './controls.tsx';
import { Icon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { Gallery } from './media.tsx';
import { Notice } from './notice.tsx';
import { renderContextOf } from './render-context.ts';
import { ReplyActions } from './reply-actions.tsx';
import { SourceList } from './source-list.tsx';

/** Shows an agent's reply in any state. The message changes as the reply grows; no second message is added. */
export function Reply({ reply, room, newest }: { reply: ReplyView; room: string; newest: boolean }) {
  const live = isLive(reply);
  const { turn, sources, media } = reply;
  const context = useMemo(() => renderContextOf({ turn, sources, media }), [turn, sources, media]);
  return (
    <div class={`reply ${reply.state}`} aria-busy={live}>
      {reply.state === 'waiting' && <Waiting ahead={reply.ahead ?? 0} />}
      {reply.state === 'thinking' && <Thinking reply={reply} />}
      {reply.steps.length > 0 && <Steps steps={reply.steps} open={reply.state === 'thinking'} live={live} />}
      {reply.text !== '' && <Markdown text={reply.text} context={context} growing={live} />}
      <Gallery media={reply.media} text={reply.text} />
      {reply.notices.map((notice) => (
        <Notice key={notice.text} tone={notice.tone} text={notice.text} />
      ))}
      {!live && reply.sources.length > 0 && <SourceList turn={reply.turn} sources={reply.sources} />}
      {newest && !live && (
        <Suggestions
          label="Suggested questions"
          questions={reply.suggestions}
          ask={(text) => suggest(reply.turn, text)}
        />
      )}
      <ReplyActions reply={reply} live={live} room={room} />
    </div>
  );
}

function Waiting({ ahead }: { ahead: number }) {
  const first = ahead === 1 ? '1 question ahead' : `${ahead} questions ahead`;
  return (
    <p class="reply-status">
      <Icon name="clock" size={16} />
      <span>Waiting{ahead > 0 && ` · ${first}`}</span>
    </p>
  );
}

const QUIET_MS = 10_000;

/** Says that the agent is thinking. After 10 s without progress, it also says for how long. */
function Thinking({ reply: { meanwhile, steps } }: { reply: ReplyView }) {
  const [quiet, setQuiet] = useState(0);
  useEffect(() => {
    const since = now();
    setQuiet(0);
    return every(1_000, () => setQuiet(now() - since));
  }, [meanwhile, steps]);
  return (
    <p class="reply-status">
      <span class="thinking-mark" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {meanwhile ?? 'Thinking'}
      {quiet >= QUIET_MS && ` · ${lengthOf(quiet)}`}
    </p>
  );
}

interface SuggestionsProps {
  readonly label: string;
  readonly questions: readonly string[];
  readonly ask: (question: string) => Promise<void>;
}

/** Suggested questions. A press asks the question in the person's name. */
export function Suggestions({ label, questions, ask }: SuggestionsProps) {
  if (questions.length === 0) return null;
  return (
    <section class="suggestions" aria-label={label}>
      {questions.map((text) => (
        <Act key={text} class="suggestion" busy={text} run={() => ask(text)}>
          {text}
        </Act>
      ))}
    </section>
  );
}

/** Shows the agent's steps as one line, which expands to a list. */
function Steps({ steps, open, live }: { steps: readonly StepView[]; open: boolean; live: boolean }) {
  const [chosen, choose] = useState<boolean | undefined>(undefined);
  const list = useId();
  const expanded = chosen ?? open;
  return (
    <div class="steps">
      <button
        type="button"
        class="steps-toggle"
        aria-expanded={expanded}
        aria-controls={list}
        onClick={() => choose(!expanded)}
      >
        <span class={expanded ? 'turned' : ''}>
          <Icon name="chevron" size={14} />
        </span>
        {titleOf(steps, live)}
      </button>
      <ol id={list} hidden={!expanded}>
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
    </div>
  );
}

function titleOf(steps: readonly StepView[], live: boolean): string {
  const running = steps.findLast((step) => step.state === 'running');
  if (live && running) return running.name;
  const spent = steps.reduce((sum, step) => sum + (step.elapsedMs ?? 0), 0);
  const count = steps.length === 1 ? '1 step' : `${steps.length} steps`;
  return spent > 0 ? `${count} · ${lengthOf(spent)}` : count;
}

function Step({ step }: { step: StepView }) {
  return (
    <li class={`step ${step.state}`}>
      <span class="step-mark" aria-hidden="true">
        {step.state === 'done' && <Icon name="check" size={12} />}
        {step.state === 'failed' && <Icon name="close" size={12} />}
      </span>
      <span class="step-name">
        {step.name}
        <span class="unseen">, {step.state}</span>
        {step.detail && <span class="step-detail">{step.detail}</span>}
      </span>
      {step.elapsedMs !== undefined && <span class="step-time">{lengthOf(step.elapsedMs)}</span>}
    </li>
  );
}
