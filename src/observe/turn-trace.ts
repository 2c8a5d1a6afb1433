/** The spans of one turn, as far as this process runs the turn. */

import {
  type Attributes,
  type Context,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { CoreEvent } from '../core/turn-events.ts';

type Detail = CoreEvent['detail'];

/** The facts about a request to the platform that its span contains. */
export interface TracedRequest {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** The path with names in place of values, such as `/v1/files/{id}`. */
  readonly template?: string | undefined;
  /** Set for addresses outside the platform. */
  readonly guarded?: true;
}

/** The value of `gen_ai.system`, by the agent's interface; any other agent runs on the agent platform. */
const SYSTEMS: Readonly<Record<string, string>> = { openai: 'openai', function: 'parley' };

/**
 * Maximum duration of a span `progress`, in milliseconds. A process that is killed loses the open span, and the spans that
 * ended within the same time, because those wait as long for their export. OpenTelemetry's limit of 128 events per span
 * allows 25 calls a second.
 */
const PROGRESS_MS = 5_000;
/** Minimum duration of a call that always has a span of its own, in milliseconds. */
const SLOW_MS = 1_000;

const KEY = createContextKey('the turn that is running');

/** Returns the turn whose work the context belongs to. */
export function turnIn(context: Context): TurnTrace | undefined {
  const found = context.getValue(KEY);
  return found instanceof TurnTrace ? found : undefined;
}

export class TurnTrace {
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #channel: string;
  readonly #isLatest: boolean;
  /** Context of the turn's work: spans that are started in it are children of the turn's span. */
  readonly inside: Context;
  #agent = '';
  #asking: Span | undefined;
  /** The open span `progress`: `from` is its start, `until` the end of its last call. */
  #progress: { readonly span: Span; readonly from: number; until: number } | undefined;
  /** Names of the calls so far, because the first call of each name has a span. */
  readonly #families = new Set<string>();
  /** Code of the error that ended the turn's answer. */
  #error: string | undefined;

  /**
   * @param span the span of the turn
   * @param isLatest true for the names `gen_ai.*` of version 1.41 of the semantic conventions, false for those of 1.36
   * (docs/gen-ai/gen-ai-agent-spans.md there)
   */
  constructor(tracer: Tracer, span: Span, channel: string, isLatest: boolean) {
    this.#tracer = tracer;
    this.#span = span;
    this.#channel = channel;
    this.#isLatest = isLatest;
    this.inside = trace.setSpan(ROOT_CONTEXT, span).setValue(KEY, this);
  }

  /** The trace's id; undefined if the sampler left this trace out. */
  get traceId(): string | undefined {
    return this.#span.isRecording() ? this.#span.spanContext().traceId : undefined;
  }

  see(event: CoreEvent): void {
    this.#handlers[event.name]?.(event);
  }

  /** Ends what is open when the process stops working on the turn, which may go on in another process. */
  leave(at: number): void {
    this.#endAsking(at, 'left');
    this.#endProgress();
  }

  readonly #handlers: Partial<Record<CoreEvent['name'], (event: CoreEvent) => void>> = {
    kept: ({ at, detail }) => void this.#start('intake', at - Number(detail.ms)).end(new Date(at)),
    claimed: ({ at, detail }) => {
      const { attempt, waitedMs } = detail;
      this.#span.addEvent('claimed', { 'parley.attempt': Number(attempt) }, new Date(at));
      // A later claim follows an attempt of which this process does not know when it ended.
      if (attempt === 1) this.#start('wait', at - Number(waitedMs)).end(new Date(at));
    },
    routed: ({ detail }) => {
      this.#agent = String(detail.agent);
      this.#span.setAttribute('gen_ai.agent.name', this.#agent);
    },
    asking: ({ at, detail }) => this.#ask(at, detail),
    session: ({ detail }) =>
      void this.#asking?.setAttribute('gen_ai.conversation.id', String(detail.session)),
    answering: ({ at }) => void this.#asking?.addEvent('first text', new Date(at)),
    ending: ({ at }) => this.#endAsking(at),
    interrupted: ({ at, detail }) => this.#endAsking(at, String(detail.why)),
    trouble: ({ at, detail }) => this.#report(at, detail),
    move: ({ at, detail }) => this.#call(at, detail),
    settled: ({ at, detail }) => this.#settle(at, detail),
  };

  #start(name: string, at: number, kind = SpanKind.INTERNAL, attributes: Attributes = {}): Span {
    return this.#tracer.startSpan(name, { kind, attributes, startTime: new Date(at) }, this.inside);
  }

  #ask(at: number, { interface: face }: Detail): void {
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': this.#agent,
      [this.#isLatest ? 'gen_ai.provider.name' : 'gen_ai.system']: SYSTEMS[String(face)] ?? 'agent_platform',
    };
    const kind = face === 'function' ? SpanKind.INTERNAL : SpanKind.CLIENT;
    this.#asking = this.#start(`invoke_agent ${this.#agent}`, at, kind, attributes);
  }

  #endAsking(at: number, outcome = 'done'): void {
    this.#asking?.setAttribute('parley.outcome', outcome).end(new Date(at));
    this.#asking = undefined;
  }

  /** Without `what`, the error ended the answer. Its message stays out of the trace, because it may quote people. */
  #report(at: number, { code = 'internal', what }: Detail): void {
    if (what !== undefined) {
      this.#span.addEvent('trouble', { 'parley.step': what, 'error.type': String(code) }, new Date(at));
      return;
    }
    this.#error = String(code);
    if (this.#asking) fail(this.#asking, this.#error);
    this.#endAsking(at, 'failed');
  }

  /**
   * Makes a span of the call, or an event of the span `progress` if the call only showed a part of the answer, quickly and
   * without a failure. An event costs less than half of a span.
   */
  #call(at: number, { family: name, essential, outcome, why, ms: duration }: Detail): void {
    const [family, ms] = [String(name), Number(duration)];
    const isFirst = !this.#families.has(family);
    this.#families.add(family);
    if (essential === false && outcome === 'done' && ms < SLOW_MS && !isFirst) {
      this.#note(family, at, ms);
      return;
    }
    const attributes = {
      'messaging.system': this.#channel,
      'messaging.operation.name': family,
      'messaging.operation.type': 'send',
      'parley.outcome': String(outcome),
    };
    const span = this.#start(`${this.#channel} ${family}`, at - ms, SpanKind.CLIENT, attributes);
    if (outcome !== 'done') fail(span, String(why ?? outcome));
    span.end(new Date(at));
  }

  #note(family: string, at: number, ms: number): void {
    if (this.#progress && at - this.#progress.from > PROGRESS_MS) this.#endProgress();
    this.#progress ??= { span: this.#start('progress', at - ms), from: at - ms, until: at };
    this.#progress.until = at;
    this.#progress.span.addEvent(`${this.#channel} ${family}`, { 'parley.ms': ms }, new Date(at));
  }

  #endProgress(): void {
    this.#progress?.span.end(new Date(this.#progress.until));
    this.#progress = undefined;
  }

  #settle(at: number, { state, chars = 0 }: Detail): void {
    this.#endAsking(at);
    this.#endProgress();
    this.#span.setAttributes({ 'parley.state': String(state), 'parley.answer.chars': Number(chars) });
    if (state === 'failed' || state === 'partial') fail(this.#span, this.#error ?? 'internal');
    this.#span.end(new Date(at));
  }

  /**
   * Starts the span of one HTTP request to the platform. Its address stays out of the trace, because it may contain a
   * person's e-mail address (platform contract GEN-17), and a host that an answer names is a part of the answer.
   */
  request({ operation, method, url, template = '', guarded }: TracedRequest): Span {
    const attributes = {
      'http.request.method': method,
      'url.template': template,
      'parley.operation': operation,
      ...(guarded === undefined && { 'server.address': new URL(url).host }),
    };
    const name = `${method} ${template}`.trim();
    const parent = this.#asking ? trace.setSpan(this.inside, this.#asking) : this.inside;
    return this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  }
}

/** Marks the span as failed. The status contains only the stable code of the error. */
export function fail(span: Span, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  span.setAttribute('error.type', code);
}
