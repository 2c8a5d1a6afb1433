/** The part of `@xmpp/client` that the tests use. The package has no types of its own. */
declare module '@xmpp/client' {
  export interface XmlElement {
    readonly name: string;
    readonly attrs: Readonly<Record<string, string>>;
    readonly children: readonly (XmlElement | string)[];
    getChild(name: string, ns?: string): XmlElement | undefined;
    getChildren(name: string, ns?: string): readonly XmlElement[];
    getChildText(name: string, ns?: string): string | null;
    text(): string;
    toString(): string;
  }
  export interface XmppClient {
    readonly jid: { toString(): string };
    readonly reconnect: { stop(): void };
    readonly iqCallee: { get(ns: string, name: string, handle: () => XmlElement): void };
    readonly iqCaller: { request(iq: XmlElement): Promise<XmlElement> };
    on(event: 'stanza', handle: (stanza: XmlElement) => void): void;
    on(event: 'error', handle: (error: Error) => void): void;
    on(event: 'disconnect' | 'online', handle: () => void): void;
    connect(service: string): Promise<unknown>;
    open(options: { readonly domain: string; readonly lang: string }): Promise<unknown>;
    disconnect(): Promise<unknown>;
    start(): Promise<unknown>;
    stop(): Promise<unknown>;
    send(element: XmlElement): Promise<void>;
  }
  export function client(options: {
    readonly service: string;
    readonly domain: string;
    readonly resource?: string;
    /** Calls `authenticate` with one of the mechanisms that the server offers. */
    readonly credentials: (
      authenticate: (
        credentials: { readonly username: string; readonly password: string },
        mechanism: string | undefined,
      ) => Promise<void>,
      mechanisms: readonly string[],
    ) => Promise<void>;
  }): XmppClient;
  export function xml(
    name: string,
    attrs?: Readonly<Record<string, string | undefined>>,
    ...children: readonly (XmlElement | string | undefined)[]
  ): XmlElement;
}
