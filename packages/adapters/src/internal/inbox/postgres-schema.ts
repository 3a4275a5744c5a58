import { CLOCK_MS } from '../postgres/schema.ts';
import { tableMigrationSql } from '../table-migrations.ts';
import { boxesOf, indexesOn, IS_IN } from './sql.ts';

/** What a function answers of an inbox. */
const ANSWER = `json_build_object('box', b.box, 'seq', b.seq, 'unread', b.unread, 'removed', b.removed`;

/**
 * The tables, and what writes them. A sequence of PostgreSQL's own would be seen out of order: of two transactions the one with the higher
 * number may commit first, and a reader who has gone past it would miss the other for ever. Here every change takes its number from the
 * inbox's row in the table of boxes, which it holds locked until it has committed, so nobody has a higher number before it is seen. In functions,
 * since a client that is a pool gives each statement another connection; each statement inside sees what was committed before it began,
 * which is after the lock was granted. All of it is one statement, since some clients send no more at a time.
 */
export function postgresSchema(table: string): string {
  const boxes = boxesOf(table);
  const first = `CREATE TABLE IF NOT EXISTS ${boxes} (
  box bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  recipient text NOT NULL,
  seq bigint NOT NULL DEFAULT 0,
  unread bigint NOT NULL DEFAULT 0,
  removed bigint NOT NULL DEFAULT 0,
  UNIQUE (tenant, recipient)
) WITH (fillfactor = 70);
CREATE TABLE IF NOT EXISTS ${table} (
  box bigint NOT NULL,
  position bigint NOT NULL,
  id text NOT NULL,
  change bigint NOT NULL,
  added_at bigint NOT NULL,
  read_at bigint,
  archived_at bigint,
  body text NOT NULL,
  PRIMARY KEY (box, position)
);
${indexesOn(table)}
CREATE OR REPLACE FUNCTION ${table}_put(of_tenant text, of_recipient text, items json) RETURNS json LANGUAGE plpgsql AS $fn$
DECLARE b ${boxes}%ROWTYPE; fresh json; n bigint;
BEGIN
  LOOP
    SELECT * INTO b FROM ${boxes} WHERE tenant = of_tenant AND recipient = of_recipient FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO ${boxes} (tenant, recipient) VALUES (of_tenant, of_recipient) ON CONFLICT DO NOTHING;
  END LOOP;
  WITH made AS (
    INSERT INTO ${table} (box, position, id, change, added_at, body)
    SELECT b.box, b.seq + g.nth, g.id, b.seq + g.nth, ${CLOCK_MS}, g.body
    FROM (SELECT i.item ->> 'id' AS id, i.item ->> 'body' AS body, row_number() OVER (ORDER BY i.at) AS nth
      FROM json_array_elements(items) WITH ORDINALITY AS i (item, at)
      WHERE NOT EXISTS (SELECT 1 FROM ${table} m WHERE m.box = b.box AND m.id = i.item ->> 'id')) g
    RETURNING id)
  SELECT coalesce(json_agg(id), '[]'), count(*) INTO fresh, n FROM made;
  IF n > 0 THEN UPDATE ${boxes} SET seq = seq + n, unread = unread + n WHERE box = b.box; END IF;
  RETURN fresh;
END $fn$;
CREATE OR REPLACE FUNCTION ${table}_mark(of_tenant text, of_recipient text, move text, ids json, of_box bigint, up_to bigint, most integer)
RETURNS json LANGUAGE plpgsql AS $fn$
DECLARE b ${boxes}%ROWTYPE; picked bigint[]; n bigint; fewer bigint; ms bigint;
BEGIN
  SELECT * INTO b FROM ${boxes} WHERE tenant = of_tenant AND recipient = of_recipient FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF ids IS NOT NULL THEN
    picked := ARRAY(SELECT m.position FROM ${table} m WHERE m.box = b.box
      AND m.id = ANY (ARRAY(SELECT json_array_elements_text(ids)))
      AND CASE move WHEN 'read' THEN m.read_at IS NULL WHEN 'unread' THEN m.read_at IS NOT NULL
        WHEN 'archive' THEN m.archived_at IS NULL ELSE m.archived_at IS NOT NULL END
      ORDER BY m.position);
  ELSIF b.box = of_box THEN
    picked := ARRAY(SELECT m.position FROM ${table} m WHERE m.box = b.box AND m.position <= up_to
      AND ${IS_IN.unread} ORDER BY m.position LIMIT most);
  END IF;
  n := coalesce(cardinality(picked), 0);
  IF n > 0 THEN
    ms := ${CLOCK_MS};
    SELECT count(*) INTO fewer FROM ${table} m WHERE m.box = b.box AND m.position = ANY (picked) AND ${IS_IN.unread};
    UPDATE ${table} m SET change = b.seq + p.nth,
      read_at = CASE move WHEN 'read' THEN ms WHEN 'unread' THEN NULL ELSE m.read_at END,
      archived_at = CASE move WHEN 'archive' THEN ms WHEN 'unarchive' THEN NULL ELSE m.archived_at END
    FROM unnest(picked) WITH ORDINALITY AS p (position, nth) WHERE m.box = b.box AND m.position = p.position;
    SELECT fewer - count(*) INTO fewer FROM ${table} m WHERE m.box = b.box AND m.position = ANY (picked) AND ${IS_IN.unread};
    UPDATE ${boxes} SET seq = seq + n, unread = unread - fewer WHERE box = b.box RETURNING * INTO b;
  END IF;
  RETURN ${ANSWER}, 'changed', n);
END $fn$;
CREATE OR REPLACE FUNCTION ${table}_erase(of_tenant text, of_recipient text) RETURNS bigint LANGUAGE plpgsql AS $fn$
DECLARE b ${boxes}%ROWTYPE; n bigint;
BEGIN
  SELECT * INTO b FROM ${boxes} WHERE tenant = of_tenant AND recipient = of_recipient FOR UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  DELETE FROM ${table} WHERE box = b.box;
  GET DIAGNOSTICS n = ROW_COUNT;
  DELETE FROM ${boxes} WHERE box = b.box;
  RETURN n;
END $fn$;
CREATE OR REPLACE FUNCTION ${table}_clean(older_than_ms bigint, most integer) RETURNS bigint LANGUAGE plpgsql AS $fn$
DECLARE until bigint := ${CLOCK_MS} - older_than_ms; locked bigint[]; n bigint := 0; of_one RECORD;
BEGIN
  -- Inboxes before their messages, and in one order, as everything else locks them; one that is busy is for the next time.
  locked := ARRAY(SELECT x.box FROM ${boxes} x WHERE x.box IN (
    SELECT m.box FROM (SELECT box FROM ${table} WHERE added_at <= until ORDER BY added_at LIMIT most) m)
    ORDER BY x.box FOR UPDATE SKIP LOCKED);
  FOR of_one IN
    WITH gone AS (DELETE FROM ${table} m USING (
        SELECT box, position FROM ${table} WHERE added_at <= until AND box = ANY (locked) ORDER BY added_at LIMIT most) o
      WHERE m.box = o.box AND m.position = o.position RETURNING m.box, m.read_at, m.archived_at)
    SELECT box, count(*) AS removed, count(*) FILTER (WHERE ${IS_IN.unread}) AS unread FROM gone GROUP BY box
  LOOP
    n := n + of_one.removed;
    UPDATE ${boxes} SET seq = seq + 1, removed = seq + 1, unread = unread - of_one.unread WHERE box = of_one.box;
    DELETE FROM ${boxes} x WHERE x.box = of_one.box AND NOT EXISTS (SELECT 1 FROM ${table} m WHERE m.box = x.box);
  END LOOP;
  RETURN n;
END $fn$;`;
  return tableMigrationSql({ table, steps: [first] });
}
