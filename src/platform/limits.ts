/**
 * Timeouts and size limits of the platform client. Operators can change the timeouts (platform contract GEN-18, fault
 * F11, attack S09).
 */

export type Timeouts = Readonly<typeof defaultTimeouts>;

export const defaultTimeouts = {
  /** Maximum milliseconds to open a connection. */
  connectMs: 10_000,
  /** Maximum milliseconds until the headers of a response arrive. */
  firstByteMs: 120_000,
  /** Maximum milliseconds without data during a response. Comments and heartbeats do not count as data. */
  idleMs: 60_000,
  /** Maximum milliseconds for an agent's complete answer. */
  answerMs: 570_000,
  /** Maximum milliseconds for any other call, except uploads. */
  callMs: 30_000,
  /** Maximum milliseconds for an upload. */
  uploadMs: 300_000,
};

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum length of one event of a stream, in characters. */
export const MAX_EVENT_CHARS = MIB;
/** Maximum length of one answer, in characters. A longer answer is cut and gets a remark. */
export const MAX_ANSWER_CHARS = 256 * KIB;
/** Maximum size of one stream, in decoded bytes. */
export const MAX_STREAM_BYTES = 64 * MIB;
/** Maximum size of a JSON response, in decoded bytes. */
export const MAX_JSON_BYTES = 8 * MIB;
/** Maximum size of an error's body, in decoded bytes; a larger body is ignored. */
export const MAX_ERROR_BYTES = 64 * KIB;
/** Maximum size of an image or file, in decoded bytes (platform contract MED-3). */
export const MAX_MEDIA_BYTES = 20 * MIB;
/** Maximum number of redirects followed for one image or file (platform contract MED-3). */
export const MAX_REDIRECTS = 3;
/** Maximum number of connections to one origin. Each concurrent turn uses one. */
export const MAX_CONNECTIONS = 4096;
/** Maximum number of images of one question, and maximum size of each in bytes (platform contract IMG-5). */
export const MAX_IMAGES = 10;
export const MAX_IMAGE_BYTES = 10 * MIB;
/**
 * Maximum size of a download, in decoded bytes. May be large, because a download is never held in memory as a whole.
 */
export const MAX_DOWNLOAD_BYTES = 1024 * MIB;
/**
 * Maximum size of an uploaded file, in bytes. This is the client's own limit, because the platform does not document
 * one (platform contract FIL-11).
 */
export const MAX_UPLOAD_BYTES = 100 * MIB;
