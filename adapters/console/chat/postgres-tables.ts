import type { SharedDatabase } from '../../../src/kit/ladder.ts';

/** Key of the advisory lock under which replicas that start together create the tables one after another. */
const CREATING = 7_257_539_011;

/**
 * The chat's tables in PostgreSQL. `chat_feed` has one row: the number of the newest event. Every change of the chat
 * locks it, so changes happen one after another, and events are committed in the order of their numbers. `chat_events`
 * contains the newest events; a body is NULL after its message was deleted. `chat_found` is the index of messages: `k`
 * is the number of the event with which a message could first be read, and `words` the words by which it is found.
 * `chat_file_bytes` contains uploaded files in pieces. Numbers are times in milliseconds, or numbers of events.
 */
const TABLES = `
  CREATE TABLE parley.chat_feed (seq bigint NOT NULL, alone boolean PRIMARY KEY DEFAULT true CHECK (alone));
  INSERT INTO parley.chat_feed (seq) VALUES (1);
  CREATE TABLE parley.chat_events (
    seq bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), message text, body text
  );
  CREATE INDEX chat_events_of_message ON parley.chat_events (message) WHERE message IS NOT NULL;
  CREATE TABLE parley.chat_rooms (
    n bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, body text NOT NULL
  );
  CREATE TABLE parley.chat_private_rooms (
    n bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, body text NOT NULL
  );
  CREATE TABLE parley.chat_room_members (
    n bigint GENERATED ALWAYS AS IDENTITY, room text NOT NULL, person text NOT NULL, PRIMARY KEY (room, person)
  );
  CREATE TABLE parley.chat_messages (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    room text NOT NULL,
    thread text NOT NULL,
    at bigint NOT NULL,
    turn text UNIQUE,
    nonce text UNIQUE,
    engaged smallint NOT NULL,
    due smallint NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX chat_messages_of_thread ON parley.chat_messages (room, thread, n);
  CREATE INDEX chat_roots_of_room ON parley.chat_messages (room, n) WHERE thread = id;
  CREATE INDEX chat_messages_due ON parley.chat_messages (n) WHERE due = 1;
  CREATE TABLE parley.chat_found (
    id text PRIMARY KEY REFERENCES parley.chat_messages (id) ON DELETE CASCADE,
    room text NOT NULL,
    thread text NOT NULL,
    k bigint,
    author text NOT NULL,
    mentions text,
    open boolean NOT NULL,
    words tsvector NOT NULL
  );
  CREATE INDEX chat_found_of_room ON parley.chat_found (room, k);
  CREATE INDEX chat_found_newest ON parley.chat_found (k);
  CREATE INDEX chat_found_open ON parley.chat_found (id) WHERE open;
  CREATE INDEX chat_found_words ON parley.chat_found USING gin (words);
  CREATE TABLE parley.chat_reads (
    person text NOT NULL, room text NOT NULL, thread text NOT NULL, k bigint NOT NULL,
    PRIMARY KEY (person, room, thread)
  );
  CREATE TABLE parley.chat_files (
    id text PRIMARY KEY, at bigint NOT NULL, attached smallint NOT NULL, body text NOT NULL
  );
  CREATE INDEX chat_files_unattached ON parley.chat_files (at) WHERE attached = 0;
  CREATE TABLE parley.chat_file_owners (file text PRIMARY KEY, person text NOT NULL);
  CREATE TABLE parley.chat_file_rooms (file text NOT NULL, room text NOT NULL, PRIMARY KEY (file, room));
  CREATE TABLE parley.chat_file_bytes (
    file text NOT NULL, nth integer NOT NULL, at bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (file, nth)
  );
  ALTER TABLE parley.chat_file_bytes ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE parley.chat_people (
    rowid bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, body text NOT NULL
  );
  CREATE TABLE parley.chat_sign_ins (key text PRIMARY KEY, body text NOT NULL);
`;

/** Creates the tables if there are none. */
export async function createTables({ transaction }: SharedDatabase): Promise<void> {
  await transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [CREATING]);
    const [found] = await query("SELECT to_regclass('parley.chat_feed') IS NOT NULL AS exists");
    if (found?.exists !== true) await query(TABLES);
  });
}
