import { useId, useState } from 'preact/hooks';
import type { StepView } from '../../wire.ts';
import { lengthOf } from '../state/time.ts';
import { Icon } from './icons.tsx';

/** What the agent did on the way: one line, and on demand every step. */
export function Steps({ steps, open, live }: { steps: readonly StepView[]; open: boolean; live: boolean }) {
  const [chosen, choose] = useState<boolean | undefined>(undefined);
  const list = useId();
  const shown = chosen ?? open;
  return (
    <div class="steps">
      <button
        type="button"
        class="steps-toggle"
        aria-expanded={shown}
        aria-controls={list}
        onClick={() => choose(!shown)}
      >
        <span class={shown ? 'turned' : ''}>
          <Icon name="chevron" size={14} />
        </span>
        {titleOf(steps, live)}
      </button>
      <ol id={list} hidden={!shown}>
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

const stateWords = { running: 'running', done: 'done', failed: 'failed' } as const;

function Step({ step }: { step: StepView }) {
  return (
    <li class={`step ${step.state}`}>
      <span class="step-mark" aria-hidden="true">
        {step.state === 'done' && <Icon name="check" size={12} />}
        {step.state === 'failed' && <Icon name="close" size={12} />}
      </span>
      <span class="step-name">
        {step.name}
        <span class="unseen">, {stateWords[step.state]}</span>
        {step.detail && <span class="step-detail">{step.detail}</span>}
      </span>
      {step.elapsedMs !== undefined && <span class="step-time">{lengthOf(step.elapsedMs)}</span>}
    </li>
  );
}
