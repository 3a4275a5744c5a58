/*
 * Each entry leads from the schema before it to the next; `S` stands for its name. Never change one that was released; add another.
 *
 * A delivery is two rows: what never changes once it is made (`deliveries`), and what every step writes anew (`states`), so that a step
 * writes little and touches few indexes. The first is found through the second, so that it needs no index over ids alone. Where a column of a partial index is null, its row is not in that index at all. Texts that are
 * looked up are stored without control characters (`plain`), and sorted by bytes, which is the quickest and the same everywhere.
 * Sums are kept as differences that every write appends and housekeeping adds up: a single row for each would be one that all wait for.
 * Those of deliveries are named by the statement that moves them: a trigger would have to be handed a copy of each row, old and new.
 */
const MIGRATIONS: readonly string[] = [
  `
  -- Which memory this is: another server or timeline may have lost what the one before it had confirmed (PROTOCOL rule 12).
  -- As its owner, whoever asks: two users with different rights must not see two memories.
  CREATE FUNCTION S.identity() RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $fn$
  DECLARE server text := '-'; timeline text := '-';
  BEGIN
    BEGIN
      SELECT system_identifier::text INTO server FROM pg_control_system();
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
      timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    RETURN server || '/' || timeline;
  END $fn$;

  CREATE TABLE S.store (
    id smallint PRIMARY KEY CHECK (id = 1),
    key text NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    identity text NOT NULL,
    changed_at bigint,
    quiet_until bigint NOT NULL DEFAULT 0,
    reckoned boolean NOT NULL DEFAULT true,
    gates bigint NOT NULL DEFAULT 0,
    -- A call that lost many races has asked the others to stand back until then.
    reserved_by text,
    reserved_until bigint NOT NULL DEFAULT 0
  );
  INSERT INTO S.store (id, key, identity) VALUES (1, gen_random_uuid()::text, S.identity());
  -- Fences: seconds times 2^21, so that those of a later memory are higher whatever was forgotten.
  CREATE SEQUENCE S.fences AS bigint;
  PERFORM setval('S.fences', floor(extract(epoch FROM clock_timestamp()))::bigint * 2097152);

  CREATE TABLE S.notifications (
    id text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL DEFAULT 0,
    tenant text NOT NULL,
    type text NOT NULL,
    state text NOT NULL,
    sealed boolean NOT NULL,
    recipients text NOT NULL,
    open bigint NOT NULL DEFAULT 0,
    work_at bigint,
    ended boolean NOT NULL DEFAULT false,
    over_at bigint,
    erase_at bigint,
    unreadable boolean NOT NULL DEFAULT false,
    body text NOT NULL,
    data text
  ) WITH (fillfactor = 80);
  CREATE INDEX notifications_by_work ON S.notifications (work_at, id) WHERE work_at IS NOT NULL;
  CREATE INDEX notifications_ended ON S.notifications (id) WHERE ended;
  CREATE INDEX notifications_over ON S.notifications (over_at) WHERE over_at IS NOT NULL;
  CREATE INDEX notifications_by_erasure ON S.notifications (erase_at) WHERE erase_at IS NOT NULL;
  CREATE INDEX notifications_unsealed ON S.notifications (id) WHERE NOT sealed AND over_at IS NULL;
  CREATE INDEX notifications_unreadable ON S.notifications (id) WHERE unreadable;
  CREATE TABLE S.pages (
    notification text COLLATE "C" NOT NULL,
    page integer NOT NULL,
    targets integer NOT NULL,
    fingerprint text NOT NULL,
    content text NOT NULL,
    PRIMARY KEY (notification, page)
  );
  CREATE TABLE S.deliveries (
    notification text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    tenant text NOT NULL,
    type text NOT NULL,
    class text NOT NULL,
    recipient text COLLATE "C" NOT NULL,
    channel text NOT NULL,
    fixed text NOT NULL,
    data text,
    PRIMARY KEY (notification, id)
  );
  CREATE INDEX deliveries_by_recipient ON S.deliveries (recipient);
  CREATE TABLE S.states (
    id text COLLATE "C" PRIMARY KEY,
    notification text COLLATE "C" NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    provider text NOT NULL,
    state text NOT NULL,
    work_at bigint,
    watch_at bigint,
    attention text,
    settled_at bigint,
    erase_at bigint,
    assumed boolean NOT NULL,
    body text NOT NULL,
    story text NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.05);
  CREATE INDEX states_by_work ON S.states (work_at, id) WHERE work_at IS NOT NULL;
  CREATE INDEX states_by_watch ON S.states (watch_at, id) WHERE watch_at IS NOT NULL;
  CREATE INDEX states_by_attention ON S.states (attention, id) WHERE attention IS NOT NULL;
  CREATE INDEX states_by_erasure ON S.states (erase_at) WHERE erase_at IS NOT NULL;
  CREATE INDEX states_assumed ON S.states (id) WHERE assumed;
  CREATE TABLE S.contents (delivery text COLLATE "C" PRIMARY KEY, message text NOT NULL);
  CREATE TABLE S.messages (
    key text COLLATE "C" NOT NULL, delivery text COLLATE "C" NOT NULL, PRIMARY KEY (key, delivery)
  );
  CREATE INDEX messages_by_delivery ON S.messages (delivery);
  CREATE TABLE S.claims (request_id text COLLATE "C" PRIMARY KEY, until bigint NOT NULL, ids text NOT NULL);
  CREATE INDEX claims_by_end ON S.claims (until);
  CREATE TABLE S.kept (
    about text COLLATE "C" NOT NULL, provider text NOT NULL, message text NOT NULL, kind text NOT NULL, kept_at bigint NOT NULL,
    body text NOT NULL, PRIMARY KEY (about, provider, message, kind)
  );
  CREATE INDEX kept_by_age ON S.kept (kept_at);
  CREATE TABLE S.suppressions (
    tenant text COLLATE "C" NOT NULL, recipient text COLLATE "C" NOT NULL, topic text NOT NULL, channel text NOT NULL, by text NOT NULL,
    why text NOT NULL, PRIMARY KEY (tenant, recipient, topic, channel)
  );
  CREATE TABLE S.blocks (scope text PRIMARY KEY, recheck_ms bigint NOT NULL, by text NOT NULL, why text NOT NULL);
  CREATE TABLE S.strays (id text COLLATE "C" PRIMARY KEY, seen_at bigint NOT NULL);
  CREATE TABLE S.sums (name text NOT NULL, n bigint NOT NULL);

  CREATE FUNCTION S.sum_added() RETURNS trigger LANGUAGE plpgsql AS $fn$
  BEGIN
    INSERT INTO S.sums SELECT TG_ARGV[0] || state, count(*) FROM added GROUP BY state;
    RETURN NULL;
  END $fn$;
  CREATE FUNCTION S.sum_removed() RETURNS trigger LANGUAGE plpgsql AS $fn$
  BEGIN
    INSERT INTO S.sums SELECT TG_ARGV[0] || state, -count(*) FROM removed GROUP BY state;
    RETURN NULL;
  END $fn$;
  CREATE FUNCTION S.sum_moved() RETURNS trigger LANGUAGE plpgsql AS $fn$
  BEGIN
    INSERT INTO S.sums
      SELECT TG_ARGV[0] || state, sum(n)
      FROM (SELECT state, -1 AS n FROM removed UNION ALL SELECT state, 1 FROM added) AS each
      GROUP BY state HAVING sum(n) <> 0;
    RETURN NULL;
  END $fn$;
  CREATE TRIGGER sum_removed AFTER DELETE ON S.states REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION S.sum_removed('d:');
  CREATE TRIGGER sum_added AFTER INSERT ON S.notifications REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION S.sum_added('n:');
  CREATE TRIGGER sum_removed AFTER DELETE ON S.notifications REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION S.sum_removed('n:');
  CREATE TRIGGER sum_moved AFTER UPDATE ON S.notifications REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION S.sum_moved('n:');
  `,
];

/** The schema that this code works with. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/** The store's clock, epoch ms. Not `now()`, which stands still within a transaction. */
export const CLOCK_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint' as const;

/**
 * One statement that brings the schema up to date, whole or not at all; a second run changes nothing, and of several at once one
 * migrates while the others wait for it.
 */
export function migrationText(schema: string): string {
  const steps = MIGRATIONS.map(
    (migration, i) => `
  IF at < ${i + 1} THEN ${migration.replaceAll(/\bS\./g, `${schema}.`)}
    INSERT INTO ${schema}.migrations (version) VALUES (${i + 1});
  END IF;`,
  );
  return `DO $migration$
DECLARE at integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('sendonce migration', 0));
  CREATE SCHEMA IF NOT EXISTS ${schema};
  CREATE TABLE IF NOT EXISTS ${schema}.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
  SELECT coalesce(max(version), 0) INTO at FROM ${schema}.migrations;
${steps.join('\n')}
END $migration$;`;
}
