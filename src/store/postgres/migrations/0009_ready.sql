-- Claims that leave the indexes alone. Until now a claim moved the end of its lease into due_at, which
-- the indexes are ordered by, so each of them was changed twice for every run. What they are ordered
-- by now is ready_at, the time at which a row became due: a claim keeps that (kept_at), so its row
-- changes where it is and no index hears of it. A claim is found again when it expires because it
-- never left: whoever looks for work passes over what is ready and leased.
--
-- Only young claims may be in the way of others: a renewal lets go of kept_at, and from then on the
-- row stands in the indexes at the end of its lease. Where very many are held, claims do the same to
-- those after which a thousand others were given out.
--
-- Both indexes name a kind by a number, since most of what a change of an index costs is comparing:
-- hashtextextended, which hash partitions keep the same in every release. Whoever uses it compares
-- the kind as well.
--
-- Processes of the release before know nothing of kept_at: what they claim, wake and release is right
-- nevertheless, since ready_at follows due_at wherever there is no claim. A kept_at that is left over
-- is never later than now, so a row is never found too late. Their statements that look for work are
-- those below from now on, because the indexes that they were written for are gone.
ALTER TABLE due SET (fillfactor = 70);
ALTER TABLE due ADD COLUMN kept_at bigint,
  ADD COLUMN kind_no bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(kind, 0)) STORED,
  ADD COLUMN ready_at bigint GENERATED ALWAYS AS
    (CASE WHEN token IS NULL OR kept_at IS NULL THEN due_at ELSE kept_at END) STORED;
DROP INDEX due_order;
DROP INDEX due_turns;
-- The predicates are there for the same reason as before, see 0001.
CREATE INDEX due_ready ON due (kind_no, ready_at) WHERE ready_at > -1;
CREATE INDEX due_ready_turns ON due (kind_no, namespace, ready_at) WHERE namespace >= '';

-- As claim_v3 (0008). With p_crowded the caller says that its last claim was full: then what is due
-- most likely fits no better this time, and nobody counts it.
CREATE FUNCTION claim_v4(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_known_from bigint,
  p_known_to bigint, p_crowded boolean, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, expires_at bigint,
  due_at bigint, attempts int, turn text, revision bigint, uid text, document varchar,
  sealed bytea) LANGUAGE plpgsql
SET enable_sort = off SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_now bigint := now_v1(p_skew_ms);
  v_nos bigint[] := ARRAY(SELECT hashtextextended(k.kind, 0) FROM unnest(p_kinds) AS k(kind));
  -- The namespaces of what is due, as far as it can be given.
  v_found text[];
  v_fits boolean := false;
  v_turns text[];
  v_share int;
  v_rows tid[];
  v_due_at bigint[];
  v_expired boolean;
  v_moved int := 0;
  v_token bigint;
BEGIN
  IF NOT p_crowded THEN
    v_found := ARRAY(SELECT q.namespace FROM unnest(p_kinds, v_nos) AS k(kind, no)
      CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind_no = k.no AND d.kind = k.kind
        AND d.ready_at > -1 AND d.ready_at <= v_now AND d.due_at <= v_now
        ORDER BY d.ready_at LIMIT p_limit + 1) q LIMIT p_limit + 1);
    v_fits := cardinality(v_found) <= p_limit AND NOT v_found && p_skip;
    IF v_fits AND cardinality(v_found) > p_per_namespace THEN
      SELECT bool_and(s.n <= p_per_namespace) INTO v_fits
        FROM (SELECT count(*) AS n FROM unnest(v_found) AS f(namespace) GROUP BY f.namespace) s;
    END IF;
  END IF;
  IF v_fits THEN
    SELECT array_agg(o.at), array_agg(o.due_at) INTO v_rows, v_due_at
      FROM (SELECT q.at, q.due_at FROM unnest(p_kinds, v_nos) AS k(kind, no)
        CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at FROM due d
          WHERE d.kind_no = k.no AND d.kind = k.kind AND d.ready_at > -1 AND d.ready_at <= v_now
          AND d.due_at <= v_now AND d.namespace <> ALL (p_skip)
          ORDER BY d.ready_at LIMIT p_limit FOR UPDATE SKIP LOCKED) q LIMIT p_limit) o;
  ELSE
    SELECT t.p_turns, t.p_last INTO v_turns, p_cursor
      FROM turns_v3(p_kinds, v_nos, p_limit, p_skip, p_cursor, p_visits, v_now) t;
    v_share := greatest(1, ceil(p_limit::numeric / greatest(cardinality(v_turns), 1)));
    LOOP
      SELECT t.* INTO v_rows, v_due_at, v_expired
        FROM take_v3(p_kinds, v_nos, v_turns, least(v_share, p_per_namespace), p_limit, v_now) t;
      IF coalesce(cardinality(v_rows), 0) < p_limit
          AND v_share < coalesce(p_per_namespace, p_limit) THEN
        SELECT t.* INTO v_rows, v_due_at, v_expired
          FROM take_v3(p_kinds, v_nos, v_turns, least(p_limit, p_per_namespace), p_limit, v_now) t;
      END IF;
      EXIT WHEN v_expired IS NOT TRUE OR v_moved >= 1000;
      -- Those whose workers died are due since the end of their leases: it is not their turn before
      -- those that waited all the time. A claim moves so many at most, whatever else has expired.
      v_moved := v_moved + cardinality(v_rows);
      UPDATE due d SET kept_at = NULL
        WHERE d.ctid = ANY (v_rows) AND d.token IS NOT NULL AND d.kept_at IS NOT NULL;
    END LOOP;
  END IF;
  IF v_rows IS NULL THEN
    turn := p_cursor;
    RETURN NEXT;
    RETURN;
  END IF;
  RETURN QUERY WITH taken AS (
    UPDATE due d SET due_at = v_now + p_lease_ms, kept_at = o.due_at, wake_at = NULL,
        token = nextval('claim_token'), owner = p_owner, attempts = d.attempts + 1
      FROM unnest(v_rows, v_due_at) AS o(at, due_at) WHERE d.ctid = o.at
      RETURNING d.kind, d.namespace, d.name, d.token, d.due_at AS expires_at, o.due_at, d.attempts)
    SELECT t.*, p_cursor, r.revision, r.uid, c.document::varchar, c.sealed FROM taken t
    LEFT JOIN LATERAL (SELECT q.uid, q.revision FROM resource q WHERE q.kind = t.kind
      AND q.namespace = t.namespace AND q.name = t.name OFFSET 0) r ON true
    LEFT JOIN LATERAL (SELECT q.document, q.sealed FROM change q WHERE q.revision =
      CASE WHEN r.revision NOT BETWEEN p_known_from AND p_known_to THEN r.revision END
      OFFSET 0) c ON true;
  v_token := currval('claim_token');
  IF v_token / 512 <> (v_token - cardinality(v_rows)) / 512 THEN
    v_rows := ARRAY(SELECT q.at FROM unnest(p_kinds, v_nos) AS k(kind, no)
      CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at, d.token FROM due d
        WHERE d.kind_no = k.no AND d.kind = k.kind AND d.ready_at > -1 AND d.ready_at <= v_now
        ORDER BY d.ready_at LIMIT 4096) q WHERE q.due_at > v_now AND q.token < v_token - 1024);
    UPDATE due d SET kept_at = NULL WHERE d.ctid = ANY (ARRAY(SELECT h.ctid FROM due h
      WHERE h.ctid = ANY (v_rows) AND h.due_at > v_now FOR UPDATE SKIP LOCKED));
  END IF;
END $$;

-- As turns_v2 (0008).
CREATE FUNCTION turns_v3(p_kinds text[], p_nos bigint[], p_limit int, p_skip text[],
  p_cursor text, p_visits int, p_now bigint, OUT p_turns text[], OUT p_last text) LANGUAGE plpgsql
SET enable_sort = off AS $$
DECLARE
  v_visits int;
BEGIN
  WITH RECURSIVE walk AS (
    SELECT p_cursor COLLATE "C" AS namespace, 0 AS visit, p_cursor IS NULL AS is_around,
      false AS is_due, 0 AS found
    UNION ALL
    SELECT n.namespace, o.visit + 1, n.is_around, n.is_due, o.found + n.is_due::int
    FROM walk o CROSS JOIN LATERAL (
      SELECT m.*, m.namespace <> ALL (p_skip)
        AND EXISTS (SELECT 1 FROM unnest(p_kinds, p_nos) AS k(kind, no)
          CROSS JOIN LATERAL (SELECT 1 FROM due d WHERE d.kind_no = k.no AND d.kind = k.kind
            AND d.namespace >= '' AND d.namespace = m.namespace AND d.ready_at <= p_now
            AND d.due_at <= p_now ORDER BY d.ready_at LIMIT 1) q OFFSET 0)
        AS is_due
      FROM (SELECT coalesce(a.namespace, f.namespace) AS namespace,
          o.is_around OR a.namespace IS NULL AS is_around
        FROM (SELECT min(q.namespace) AS namespace FROM unnest(p_nos) AS k(no)
          CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind_no = k.no
            AND d.namespace >= '' AND d.namespace > o.namespace ORDER BY d.namespace LIMIT 1) q) a
        CROSS JOIN LATERAL (SELECT min(q.namespace) AS namespace FROM unnest(p_nos) AS k(no)
          CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind_no = k.no
            AND d.namespace >= '' ORDER BY d.namespace LIMIT 1) q
          WHERE a.namespace IS NULL AND (o.visit = 0 OR NOT o.is_around)) f
        OFFSET 0) m
      WHERE NOT m.is_around OR p_cursor IS NULL OR m.namespace <= p_cursor
      OFFSET 0
    ) n
    WHERE o.visit < p_visits AND o.found < p_limit AND n.namespace IS NOT NULL
  )
  SELECT coalesce(array_agg(w.namespace ORDER BY w.visit) FILTER (WHERE w.is_due), '{}'),
      (array_agg(w.namespace ORDER BY w.visit DESC))[1], max(w.visit)
    INTO p_turns, p_last, v_visits FROM walk w;
  IF cardinality(p_turns) < p_limit AND v_visits >= p_visits THEN
    p_turns := p_turns || ARRAY(SELECT DISTINCT o.namespace
      FROM unnest(p_kinds, p_nos) AS k(kind, no)
      CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind_no = k.no AND d.kind = k.kind
        AND d.ready_at > -1 AND d.ready_at <= p_now AND d.due_at <= p_now
        ORDER BY d.ready_at LIMIT p_limit) o
      WHERE o.namespace <> ALL (p_skip) AND o.namespace <> ALL (p_turns));
  END IF;
END $$;

-- As take_v2 (0008). p_expired says that a claim which has expired is among them and stands in the
-- index where it was when it was claimed.
CREATE FUNCTION take_v3(p_kinds text[], p_nos bigint[], p_turns text[], p_share int,
  p_limit int, p_now bigint, OUT p_rows tid[], OUT p_due_at bigint[], OUT p_expired boolean)
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  SELECT array_agg(o.at), array_agg(o.due_at), bool_or(o.due_at <> o.ready_at)
    INTO p_rows, p_due_at, p_expired FROM (
    SELECT r.at, r.due_at, r.ready_at FROM (
      SELECT q.at, q.due_at, q.ready_at, t.turn,
        row_number() OVER (PARTITION BY t.turn ORDER BY q.ready_at) AS rank
      FROM unnest(p_turns) WITH ORDINALITY AS t(namespace, turn)
      CROSS JOIN unnest(p_kinds, p_nos) AS k(kind, no)
      CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at, d.ready_at FROM due d
        WHERE d.kind_no = k.no AND d.kind = k.kind AND d.namespace >= ''
        AND d.namespace = t.namespace AND d.ready_at <= p_now AND d.due_at <= p_now
        ORDER BY d.ready_at LIMIT p_share FOR UPDATE SKIP LOCKED) q
    ) r WHERE r.rank <= p_share ORDER BY r.rank, r.turn LIMIT p_limit) o;
END $$;

-- The next due time or lease end of these kinds, and the time. When nothing waits, all that is ready
-- is leased, and that is little.
CREATE FUNCTION next_due_v2(p_kinds text[], p_skew_ms bigint, OUT due_at bigint, OUT now bigint)
LANGUAGE plpgsql SET enable_sort = off AS $$
DECLARE
  v_nos bigint[] := ARRAY(SELECT hashtextextended(k.kind, 0) FROM unnest(p_kinds) AS k(kind));
BEGIN
  now := now_v1(p_skew_ms);
  SELECT min(q.due_at) INTO due_at FROM unnest(p_kinds, v_nos) AS k(kind, no)
    CROSS JOIN LATERAL (SELECT d.due_at FROM due d
      WHERE d.kind_no = k.no AND d.kind = k.kind AND d.ready_at > -1
      AND d.ready_at <= next_due_v2.now AND d.due_at <= next_due_v2.now
      ORDER BY d.ready_at LIMIT 1) q;
  IF due_at IS NOT NULL THEN RETURN; END IF;
  SELECT least(min(q.leased), min(q.later)) INTO due_at FROM unnest(p_kinds, v_nos) AS k(kind, no)
    CROSS JOIN LATERAL (SELECT
      (SELECT min(d.due_at) FROM due d
        WHERE d.kind_no = k.no AND d.kind = k.kind AND d.ready_at > -1
        AND d.ready_at <= next_due_v2.now) AS leased,
      (SELECT d.ready_at FROM due d
        WHERE d.kind_no = k.no AND d.kind = k.kind AND d.ready_at > -1
        AND d.ready_at > next_due_v2.now ORDER BY d.ready_at LIMIT 1) AS later OFFSET 0) q;
END $$;

-- What the releases before call. They find what these find.
CREATE OR REPLACE FUNCTION claim_v3(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_known_from bigint,
  p_known_to bigint, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, expires_at bigint,
  due_at bigint, attempts int, turn text, revision bigint, uid text, document varchar,
  sealed bytea) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT * FROM claim_v4(p_owner, p_kinds, p_limit, p_lease_ms, p_per_namespace,
    p_skip, p_cursor, p_visits, p_known_from, p_known_to, false, p_skew_ms);
END $$;

-- Without documents: all of them are known.
CREATE OR REPLACE FUNCTION claim_v2(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, uid text, revision bigint,
  expires_at bigint, due_at bigint, attempts int, turn text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT c.kind, c.namespace, c.name, c.token, c.uid, c.revision, c.expires_at,
      c.due_at, c.attempts, c.turn
    FROM claim_v4(p_owner, p_kinds, p_limit, p_lease_ms, p_per_namespace, p_skip, p_cursor,
      p_visits, 0, 9223372036854775807, false, p_skew_ms) c;
END $$;

CREATE OR REPLACE FUNCTION claim_v1(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, uid text, revision bigint,
  expires_at bigint, due_at bigint, attempts int, turn text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT * FROM claim_v2(p_owner, p_kinds, p_limit, p_lease_ms, p_per_namespace,
    p_skip, p_cursor, p_visits, p_skew_ms);
END $$;

CREATE OR REPLACE FUNCTION next_due_v1(p_kinds text[], p_skew_ms bigint, OUT due_at bigint,
  OUT now bigint) LANGUAGE plpgsql AS $$
BEGIN
  SELECT n.due_at, n.now INTO due_at, now FROM next_due_v2(p_kinds, p_skew_ms) n;
END $$;
