/** Who we are to Microsoft's services. */

export type Audience = 'connector' | 'graph';

export interface Tokens {
  /**
   * A token for the service, kept until shortly before it expires. One that was `refused` is not given again: it is
   * renewed. Throws `BridgeError` where Microsoft gives none.
   */
  get(audience: Audience, signal: AbortSignal, refused?: string): Promise<string>;
}
