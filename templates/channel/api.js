/** Makes the calls to the chat, and converts the chat's responses into outcomes. */

/** @import { Outcome } from 'parley/kit' */
/** @typedef {{ action: string, detail: string, turn: string, label: string }} Button */
/** @typedef {ReturnType<typeof createApi>} Api */

/**
 * @param {string} url address of the chat
 * @param {string} secret
 */
export function createApi(url, secret) {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  /**
   * Makes one call. The signal aborts a call that takes too long.
   * @param {'PUT' | 'DELETE'} method
   * @param {string} id
   * @param {object | undefined} body
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  const call = async (method, id, body, signal) => {
    try {
      const address = `${url}/messages/${encodeURIComponent(id)}`;
      const response = await fetch(address, {
        method,
        headers,
        signal,
        body: body ? JSON.stringify(body) : null,
      });
      await response.body?.cancel();
      return outcomeOf(response, id);
    } catch {
      signal.throwIfAborted();
      // The chat may have received the call. Parley makes it again.
      return { kind: 'unknown' };
    }
  };
  return {
    /**
     * Creates the message, or changes it if it exists. Because the channel chooses the id, a repeated call shows nothing
     * twice. If your chat chooses the ids, look for the message before you post it again.
     * @param {string} id
     * @param {{ thread: string, text: string, buttons: readonly Button[] }} message
     * @param {AbortSignal} signal
     */
    put: (id, message, signal) => call('PUT', id, message, signal),
    /**
     * @param {string} id
     * @param {AbortSignal} signal
     */
    remove: (id, signal) => call('DELETE', id, undefined, signal),
  };
}

/**
 * @param {Pick<Response, 'ok' | 'status' | 'headers'>} response
 * @param {string} id
 * @returns {Outcome}
 */
export function outcomeOf({ ok, status, headers }, id) {
  if (ok) return { kind: 'done', id };
  if ([403, 404, 410].includes(status)) return { kind: 'refused', why: 'gone' };
  if (status === 429)
    return { kind: 'refused', why: 'rate', retryAfterMs: 1_000 * (Number(headers.get('retry-after')) || 1) };
  return { kind: 'unknown' };
}
