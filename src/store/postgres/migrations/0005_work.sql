-- Claims. One statement, so no client ever holds a lock between two of them; rows that another
-- claim or commit has locked are passed over. When all that is due fits, it is taken as it comes.
-- Otherwise namespaces take turns from a cursor that goes on where the last call ended: they are
-- enumerated by jumping through the index, so a namespace with a million rows costs one step. Every
-- row returned says where the cursor is now; a row without a name says nothing else.
--
-- Sorting is off so that rows come in the order of the index meant for them: on a table that was
-- never analysed, reading all rows of a namespace by the primary key and sorting looks as good.
CREATE FUNCTION claim_v1(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, uid text, revision bigint,
  expires_at bigint, due_at bigint, attempts int, turn text) LANGUAGE plpgsql
SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  v_now bigint := now_v1(p_skew_ms);
  v_fits boolean;
  v_turns text[];
  v_share int;
  v_rows tid[];
  v_kind text[];
  v_namespace text[];
  v_name text[];
  v_token bigint[];
  v_uid text[];
  v_revision bigint[];
  v_due_at bigint[];
  v_attempts int[];
BEGIN
  SELECT count(*) <= p_limit AND NOT coalesce(bool_or(s.namespace = ANY (p_skip)), false)
      AND (p_per_namespace IS NULL OR coalesce(max(s.n), 0) <= p_per_namespace)
    INTO v_fits FROM (
      SELECT f.namespace, count(*) OVER (PARTITION BY f.namespace) AS n FROM (
        SELECT q.namespace FROM unnest(p_kinds) AS k(kind)
        CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
          AND d.due_at > -1 AND d.due_at <= v_now
          ORDER BY d.due_at LIMIT p_limit + 1) q LIMIT p_limit + 1) f) s;
  IF v_fits THEN
    v_rows := ARRAY(SELECT q.at FROM unnest(p_kinds) AS k(kind)
      CROSS JOIN LATERAL (SELECT d.ctid AS at FROM due d WHERE d.kind = k.kind
        AND d.due_at > -1 AND d.due_at <= v_now AND d.namespace <> ALL (p_skip)
        ORDER BY d.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED) q LIMIT p_limit);
  ELSE
    SELECT t.p_turns, t.p_last INTO v_turns, p_cursor
      FROM turns_v1(p_kinds, p_limit, p_skip, p_cursor, p_visits, v_now) t;
    v_share := greatest(1, ceil(p_limit::numeric / greatest(cardinality(v_turns), 1)));
    v_rows := take_v1(p_kinds, v_turns, least(v_share, p_per_namespace), p_limit, v_now);
    IF cardinality(v_rows) < p_limit AND v_share < coalesce(p_per_namespace, p_limit) THEN
      v_rows := take_v1(p_kinds, v_turns, least(p_limit, p_per_namespace), p_limit, v_now);
    END IF;
  END IF;
  IF cardinality(v_rows) = 0 THEN
    turn := p_cursor;
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT array_agg(d.kind), array_agg(d.namespace), array_agg(d.name), array_agg(d.token),
      array_agg(r.uid), array_agg(r.revision), array_agg(d.due_at), array_agg(d.attempts + 1)
    INTO v_kind, v_namespace, v_name, v_token, v_uid, v_revision, v_due_at, v_attempts
    FROM unnest(v_rows) AS o(at)
    LEFT JOIN LATERAL (SELECT q.kind, q.namespace, q.name, q.due_at, q.attempts,
      nextval('claim_token') AS token FROM due q WHERE q.ctid = o.at OFFSET 0) d ON true
    LEFT JOIN LATERAL (SELECT q.uid, q.revision FROM resource q WHERE q.kind = d.kind
      AND q.namespace = d.namespace AND q.name = d.name OFFSET 0) r ON true;
  INSERT INTO due AS d (kind, namespace, name, due_at, token, owner, attempts)
    SELECT w.kind, w.namespace, w.name, v_now + p_lease_ms, w.token, p_owner, w.attempts
    FROM unnest(v_kind, v_namespace, v_name, v_token, v_attempts)
      AS w(kind, namespace, name, token, attempts)
    ON CONFLICT (kind, namespace, name) DO UPDATE SET due_at = excluded.due_at, wake_at = NULL,
      token = excluded.token, owner = excluded.owner, attempts = excluded.attempts;
  RETURN QUERY SELECT w.kind, w.namespace, w.name, w.token, w.uid, w.revision,
      v_now + p_lease_ms, w.due_at, w.attempts, p_cursor
    FROM unnest(v_kind, v_namespace, v_name, v_token, v_uid, v_revision, v_due_at, v_attempts)
      AS w(kind, namespace, name, token, uid, revision, due_at, attempts);
END $$;

-- Whose turn it is: namespaces with something due, from the one after the cursor around to it,
-- until as many are found as can be served or so many were visited, most of which may have work only
-- later. p_last is where the next call goes on. Namespaces beyond the walk are not forgotten: those
-- of what has waited longest fill the rest.
CREATE FUNCTION turns_v1(p_kinds text[], p_limit int, p_skip text[], p_cursor text, p_visits int,
  p_now bigint, OUT p_turns text[], OUT p_last text) LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  WITH RECURSIVE walk AS (
    SELECT p_cursor COLLATE "C" AS namespace, 0 AS visit, p_cursor IS NULL AS is_around,
      false AS is_due, 0 AS found
    UNION ALL
    SELECT n.namespace, o.visit + 1, n.is_around, n.is_due, o.found + n.is_due::int
    FROM walk o CROSS JOIN LATERAL (
      SELECT m.*, m.namespace <> ALL (p_skip) AND EXISTS (SELECT 1 FROM unnest(p_kinds) AS k(kind)
        CROSS JOIN LATERAL (SELECT 1 FROM due d WHERE d.kind = k.kind AND d.namespace >= ''
          AND d.namespace = m.namespace AND d.due_at <= p_now ORDER BY d.due_at LIMIT 1) q OFFSET 0)
        AS is_due
      FROM (SELECT coalesce(a.namespace, f.namespace) AS namespace,
          o.is_around OR a.namespace IS NULL AS is_around
        FROM (SELECT min(q.namespace) AS namespace FROM unnest(p_kinds) AS k(kind)
          CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
            AND d.namespace >= '' AND d.namespace > o.namespace ORDER BY d.namespace LIMIT 1) q) a
        LEFT JOIN LATERAL (SELECT min(q.namespace) AS namespace FROM unnest(p_kinds) AS k(kind)
          CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
            AND d.namespace >= '' ORDER BY d.namespace LIMIT 1) q) f
          ON a.namespace IS NULL AND (o.visit = 0 OR NOT o.is_around)
        OFFSET 0) m
      WHERE NOT m.is_around OR p_cursor IS NULL OR m.namespace <= p_cursor
    ) n
    WHERE o.visit < p_visits AND o.found < p_limit AND n.namespace IS NOT NULL
  )
  SELECT coalesce(array_agg(w.namespace ORDER BY w.visit) FILTER (WHERE w.is_due), '{}'),
      (array_agg(w.namespace ORDER BY w.visit DESC))[1]
    INTO p_turns, p_last FROM walk w;
  IF cardinality(p_turns) < p_limit THEN
    p_turns := p_turns || ARRAY(SELECT DISTINCT o.namespace FROM unnest(p_kinds) AS k(kind)
      CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
        AND d.due_at > -1 AND d.due_at <= p_now ORDER BY d.due_at LIMIT p_limit) o
      WHERE o.namespace <> ALL (p_skip) AND o.namespace <> ALL (p_turns));
  END IF;
END $$;

-- Locks up to p_share rows of each namespace and returns them in turns.
CREATE FUNCTION take_v1(p_kinds text[], p_turns text[], p_share int, p_limit int, p_now bigint)
RETURNS tid[] LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  RETURN ARRAY(SELECT r.at FROM (
      SELECT q.at, t.turn, row_number() OVER (PARTITION BY t.turn ORDER BY q.due_at) AS rank
      FROM unnest(p_turns) WITH ORDINALITY AS t(namespace, turn)
      CROSS JOIN unnest(p_kinds) AS k(kind)
      CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at FROM due d WHERE d.kind = k.kind
        AND d.namespace >= '' AND d.namespace = t.namespace AND d.due_at <= p_now
        ORDER BY d.due_at LIMIT p_share FOR UPDATE SKIP LOCKED) q
    ) r WHERE r.rank <= p_share ORDER BY r.rank, r.turn LIMIT p_limit);
END $$;

-- The next due time or lease end of these kinds, and the time.
CREATE FUNCTION next_due_v1(p_kinds text[], p_skew_ms bigint, OUT due_at bigint, OUT now bigint)
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  now := now_v1(p_skew_ms);
  SELECT min(q.due_at) INTO due_at FROM unnest(p_kinds) AS k(kind)
    CROSS JOIN LATERAL (SELECT d.due_at FROM due d WHERE d.kind = k.kind AND d.due_at > -1
      ORDER BY d.due_at LIMIT 1) q;
END $$;

-- One step of the removal of superseded changes; each is a short transaction of its own, and the
-- lock on its progress keeps two processes from doing the same step.
CREATE FUNCTION compact_v1(p_items int, OUT removed bigint, OUT done bigint, OUT mark bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_from bigint;
  v_gone bigint[];
BEGIN
  SELECT c.done INTO v_from FROM compaction c WHERE c.one FOR UPDATE;
  SELECT h.compacted INTO mark FROM head h WHERE h.one;
  done := least(v_from + p_items, mark);
  removed := 0;
  IF done <= v_from THEN done := v_from; RETURN; END IF;
  SELECT array_agg(g.revision) INTO v_gone FROM (
    SELECT c.previous AS revision FROM change c
      WHERE c.revision > v_from AND c.revision <= compact_v1.done AND c.previous IS NOT NULL
    UNION ALL
    SELECT c.revision FROM change c
      WHERE c.revision > v_from AND c.revision <= compact_v1.done AND c.type = 3) g;
  IF v_gone IS NOT NULL THEN
    DELETE FROM change c WHERE c.revision = ANY (v_gone);
    GET DIAGNOSTICS removed = ROW_COUNT;
  END IF;
  UPDATE compaction SET done = compact_v1.done WHERE one;
END $$;

-- New envelopes, and with them new digests, since those are keyed too: a put of the same body must
-- go on to be recognised. Under the lock of the head, because it touches the index of resources.
CREATE FUNCTION reseal_v1(p_revision bigint[], p_stale bytea[], p_fresh bytea[], p_digest bytea[])
RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  w record;
  c record;
  v_count int := 0;
BEGIN
  PERFORM 1 FROM head h WHERE h.one FOR UPDATE;
  FOR w IN SELECT * FROM unnest(p_revision, p_stale, p_fresh, p_digest)
      AS u(revision, stale, fresh, digest) LOOP
    UPDATE change SET sealed = w.fresh, digest = w.digest
      WHERE change.revision = w.revision AND change.sealed = w.stale
      RETURNING change.kind, change.namespace, change.name,
        octet_length(change.document) + octet_length(change.sealed) AS size INTO c;
    CONTINUE WHEN NOT FOUND;
    v_count := v_count + 1;
    UPDATE resource r SET digest = w.digest, size = c.size WHERE r.kind = c.kind AND r.namespace = c.namespace
      AND r.name = c.name AND r.revision = w.revision;
  END LOOP;
  RETURN v_count;
END $$;
